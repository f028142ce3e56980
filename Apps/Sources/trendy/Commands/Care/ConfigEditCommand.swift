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
    "config edit", summary: "Open the configuration file in your editor, and check it afterwards.", group: .care,
    examples: ["config edit"])

  init(_ session: Session) throws {
    guard !session.arguments.has("--no-input") else {
      throw session.usageError("An editor asks for input", hint: "Without one: trendy config set KEY VALUE")
    }
  }

  /// The file as it is now.
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
    session.console.done("\(answer.path) is right: \(Quantity(answer.entries.count, "setting")).")
    return .done
  }
}

/// The person's editor.
struct Editor {
  /// Words of a shell, as `VISUAL` may hold options.
  private let command: String

  init(environment: [String: String]) {
    command = ["VISUAL", "EDITOR"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? "vi"
  }

  /// Returns when the editor has ended.
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
        "The editor '\(command)' failed", hint: "VISUAL or EDITOR names another. The file is \(path).",
        exit: .configuration)
    }
  }
}
