import CommandSupport
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// `trendy config edit`
struct ConfigEditCommand: Command {
  static let spec = CommandSpec(
    "config edit", summary: "Edit the configuration file in your editor, then check it.", group: .system,
    examples: ["config edit"])

  init(_ session: Session) throws {
    guard !session.arguments.has("--no-input") else {
      throw session.usageError("Cannot open an editor with --no-input", hint: "Use: trendy config set KEY VALUE")
    }
  }

  /// Returns the edited file.
  func act(_ session: Session) throws(CommandError) -> ConfigurationFile {
    let path = session.settings.file.path
    if !session.settings.file.exists {
      try ConfigurationFile.update(path) { file in file.explain() }
    }
    try Editor(environment: Environment.all).edit(path)
    return ConfigurationFile(path: path)
  }

  func show(_ answer: ConfigurationFile, _ session: Session) -> ExitCode {
    for problem in answer.problems { _ = session.console.report(problem) }
    guard answer.problems.isEmpty else { return .configuration }
    session.console.done("\(answer.path) is valid: \(Quantity(answer.entries.count, "setting")).")
    return .done
  }
}

/// The user's editor.
struct Editor {
  /// Shell command, because `VISUAL` may contain options.
  private let command: String

  init(environment: [String: String]) {
    command = ["VISUAL", "EDITOR"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? "vi"
  }

  /// Runs the editor until it exits.
  func edit(_ path: String) throws(CommandError) {
    let words: [String] = ["sh", "-c", "\(command) \"$1\"", "sh", path]
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    var child: pid_t = 0
    let code = posix_spawn(&child, "/bin/sh", nil, nil, arguments, environ)
    var ending: Int32 = 0
    if code == 0 { while waitpid(child, &ending, 0) < 0, errno == EINTR {} }
    guard code == 0, ending == 0 else {
      throw CommandError(
        "The editor '\(command)' failed", hint: "Set VISUAL or EDITOR to another program. The file is \(path).",
        exit: .configuration)
    }
  }
}
