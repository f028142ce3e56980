import CommandSupport
import TrendyFoundation

struct CompletionsInstallCommand: Command {
  static let spec = CommandSpec(
    "completions install", .optional("shell", .oneOf(CompletionShell.allCases.map(\.rawValue))),
    summary:
      "Install completions for trendy and trendyd in the login shell or in the given shell.",
    group: .system, examples: ["completions install", "completions install zsh"], columns: ["shell", "file"])

  struct Answer {
    var shell: CompletionShell
    var files: [String]
    var next: String
  }

  private let shell: CompletionShell

  init(_ session: Session) throws {
    if let name = session.arguments.positionals.first {
      shell = try CompletionShell(named: name)
      return
    }
    let login = Environment.all["SHELL"]?.split(separator: "/").last.map(String.init) ?? ""
    guard let shell = CompletionShell(rawValue: login) else {
      throw session.usageError(
        login.isEmpty ? "Cannot determine your shell: SHELL is not set" : "No completions for your shell, '\(login)'",
        hint:
          "Choose a shell: trendy completions install \(CompletionShell.allCases.map(\.rawValue).joined(separator: "|"))"
      )
    }
    self.shell = shell
  }

  func act(_ session: Session) throws -> Answer {
    let home = CompletionHome(environment: Environment.all)
    let folder = home.folder(of: shell)
    var files: [String] = []
    for program in [Commands.table.program, "trendyd"] {
      let file = folder.appending(path: shell.fileName(for: program))
      do {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(shell.script(for: program).utf8).write(to: file, options: .atomic)
      } catch {
        throw CommandError(
          cannot: "write", file.path, error,
          hint: "Save the output of 'trendy completions print \(shell.rawValue)' somewhere else.")
      }
      files.append(file.path)
    }
    return Answer(shell: shell, files: files, next: home.nextStep(for: shell, in: folder))
  }

  func show(_ answer: Answer, _ session: Session) -> ExitCode {
    let console = session.console
    if console.isJSON {
      console.document(
        "trendy.completions/1",
        [
          ("shell", .string(answer.shell.rawValue)), ("files", .array(answer.files.map { .string($0) })),
          ("next", .string(answer.next)),
        ])
    }
    for file in answer.files {
      if console.format == .plain { console.row([answer.shell.rawValue, file]) }
      console.done("Installed \(file)")
    }
    console.done(answer.next)
    return .done
  }
}

/// Folders from which shells load the user's completions.
private struct CompletionHome {
  private let environment: [String: String]

  init(environment: [String: String]) { self.environment = environment }

  /// Returns the folder in an XDG variable, or a default relative to the home folder.
  private func folder(_ variable: String, else path: String) -> URL {
    // The XDG Base Directory specification requires relative paths to be ignored.
    if let named = environment[variable], named.hasPrefix("/") { return URL(filePath: named) }
    return home.appending(path: path)
  }

  private var home: URL { URL(filePath: HomeFolder.path(in: environment)) }

  func folder(of shell: CompletionShell) -> URL {
    let data = folder("XDG_DATA_HOME", else: ".local/share")
    switch shell {
    case .bash:
      let own = environment["BASH_COMPLETION_USER_DIR"].flatMap { $0.isEmpty ? nil : URL(filePath: $0) }
      return (own ?? data.appending(path: "bash-completion")).appending(path: "completions")
    case .fish: return folder("XDG_CONFIG_HOME", else: ".config").appending(path: "fish/completions")
    case .zsh: return data.appending(path: "zsh/site-functions")
    }
  }

  /// Returns what remains for the user to do before the completions work.
  func nextStep(for shell: CompletionShell, in folder: URL) -> String {
    switch shell {
    case .fish: return "Active in fish now."
    case .bash:
      let loader = "/usr/share/bash-completion/bash_completion"
      return FileManager.default.fileExists(atPath: loader)
        ? "Active in your next shell."
        : "The package bash-completion is not installed. Add to ~/.bashrc:  source \(folder.path)/trendy"
    case .zsh:
      let startup = (environment["ZDOTDIR"].map { URL(filePath: $0) } ?? home).appending(path: ".zshrc")
      // Without a readable startup file, the user has yet to add the folder.
      let text = (try? String(contentsOf: startup, encoding: .utf8)) ?? ""
      return text.contains(folder.path)
        ? "Active in your next shell."
        : "Add to \(startup.path), before compinit:  fpath=(\(folder.path) $fpath); autoload -Uz compinit && compinit"
    }
  }
}
