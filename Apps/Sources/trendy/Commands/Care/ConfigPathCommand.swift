import CommandSupport

struct ConfigPathCommand: Command {
  static let spec = CommandSpec(
    "config path", summary: "Print the path of the configuration file, even if it does not exist.", group: .system,
    examples: ["config path"])

  init(_ session: Session) {}

  func act(_ session: Session) -> ConfigurationFile { ConfigurationFile(environment: Environment.all) }

  func show(_ answer: ConfigurationFile, _ session: Session) -> ExitCode {
    if session.console.isJSON {
      session.console.document(
        "trendy.config_path/1", [("path", .string(answer.path)), ("exists", .bool(answer.exists))])
    } else {
      session.console.data(answer.path)
    }
    return .done
  }
}
