import CommandSupport
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

struct ConfigEditCommand: Command {
  static let spec = CommandSpec(
    "config edit", summary: "Edit the configuration file in your editor, then check it.", group: .system,
    examples: ["config edit"])

  init(_ session: Session) throws {
    guard !session.arguments.has("--no-input") else {
      throw session.usageError("Cannot open an editor with --no-input", hint: Editor.otherWay)
    }
    editor = try Editor(environment: Environment.all)
  }

  private let editor: Editor

  func act(_ session: Session) throws(CommandError) -> ConfigurationFile {
    let path = session.settings.file.path
    if !session.settings.file.exists {
      try ConfigurationFile.update(path) { file in file.explain() }
    }
    try editor.edit(path)
    return ConfigurationFile(path: path)
  }

  func show(_ answer: ConfigurationFile, _ session: Session) -> ExitCode {
    for problem in answer.problems { _ = session.console.report(problem) }
    guard answer.problems.isEmpty else { return .configuration }
    session.console.done("\(answer.path) is valid: \(Quantity(answer.entries.count, "setting")).")
    return .done
  }
}

struct Editor {
  /// Shell command line, because `VISUAL` and `EDITOR` may contain options.
  private let command: String
  static let otherWay = "Use: trendy config set KEY VALUE"
  private static let isOnTerminal = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1

  /// Chooses the editor: `VISUAL`, `EDITOR` or, on a terminal, `vi`.
  init(environment: [String: String]) throws(CommandError) {
    let named = ["VISUAL", "EDITOR"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    guard named != nil || Self.isOnTerminal else {
      throw CommandError(
        "Cannot open an editor: neither VISUAL nor EDITOR is set, and there is no terminal",
        hint: Self.otherWay, exit: .configuration)
    }
    command = named ?? "vi"
  }

  /// Opens a file in the editor and waits until the editor exits.
  func edit(_ path: String) throws(CommandError) {
    let words: [String] = ["sh", "-c", "\(command) \"$1\"", "sh", path]
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // If standard input is a pipe, an editor would wait for keystrokes that never arrive.
    if !Self.isOnTerminal { posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) }
    var child: pid_t = 0
    let code = posix_spawn(&child, "/bin/sh", &actions, nil, arguments, environ)
    var ending: Int32 = 0
    if code == 0 { while waitpid(child, &ending, 0) < 0, errno == EINTR {} }
    guard code == 0, ending == 0 else {
      throw CommandError(
        "The editor '\(command)' failed", hint: "Set VISUAL or EDITOR to another program. The file is \(path).",
        exit: .configuration)
    }
  }
}
