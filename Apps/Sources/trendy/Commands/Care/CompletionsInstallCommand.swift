import CommandSupport
import TrendyFoundation

/// `trendy completions install`
struct CompletionsInstallCommand: Command {
  static let spec = CommandSpec(
    "completions install", .optional("shell", .oneOf(CompletionShell.allCases.map(\.rawValue))),
    summary:
      "Put the completions of trendy and trendyd where the shell looks for them: the login shell, or the one named.",
    group: .care, examples: ["completions install", "completions install zsh"], columns: ["shell", "file"])

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
        login.isEmpty ? "SHELL does not say which shell this is" : "There are no completions for \(login) (SHELL)",
        hint: "Name one: trendy completions install \(CompletionShell.allCases.map(\.rawValue).joined(separator: "|"))")
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
          "\(file.path) cannot be written: \(error)",
          hint: "trendy completions print \(shell.rawValue) gives its content, to be put elsewhere.",
          exit: .cannotCreate)
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
      console.done("Written: \(file)")
    }
    console.done(answer.next)
    return .done
  }
}

/// The folders of a person in which shells look for completions.
private struct CompletionHome {
  private let environment: [String: String]

  init(environment: [String: String]) { self.environment = environment }

  /// What an XDG variable names, else a folder of the home.
  private func folder(_ variable: String, else path: String) -> URL {
    // The specification has relative paths ignored.
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

  /// What a person has to do for the shell to find them, if anything.
  func nextStep(for shell: CompletionShell, in folder: URL) -> String {
    switch shell {
    case .fish: return "fish finds it by itself, at once."
    case .bash:
      let loader = "/usr/share/bash-completion/bash_completion"
      return FileManager.default.fileExists(atPath: loader)
        ? "bash-completion finds it in the next shell."
        : "To load it without the package bash-completion, add to ~/.bashrc:  source \(folder.path)/trendy"
    case .zsh:
      let startup = (environment["ZDOTDIR"].map { URL(filePath: $0) } ?? home).appending(path: ".zshrc")
      // A start-up file that cannot be read is as one that does not name the folder.
      let text = (try? String(contentsOf: startup, encoding: .utf8)) ?? ""
      return text.contains(folder.path)
        ? "\(startup.path) names the folder: zsh finds it in the next shell."
        : "Add to \(startup.path), before compinit:  fpath=(\(folder.path) $fpath); autoload -Uz compinit && compinit"
    }
  }
}
