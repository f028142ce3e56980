import CommandSupport
import Foundation

extension OptionSpec {
  static let serviceScope = [
    OptionSpec("--user", help: "for your own session, and not for the machine"),
    OptionSpec(
      "--role", value: "role", kind: .oneOf(DaemonRun.Role.allCases.map(\.rawValue)),
      help: "agent, hub or both (hub; with --user agent)"),
  ]
}

extension ServiceInstallation {
  /// The service that `--user` and `--role` mean.
  init(_ session: DaemonSession) throws(CommandError) {
    let isUser = session.arguments.has("--user")
    guard let role = DaemonRun.Role(rawValue: session.arguments.value("--role") ?? (isUser ? "agent" : "hub")) else {
      throw session.invalid("--role", hint: "It is agent, hub or both.")
    }
    try self.init(role: role, isUser: isUser, environment: session.environment)
  }
}

/// `trendyd service install`
struct ServiceInstallCommand: DaemonCommand {
  static let spec = CommandSpec(
    "service install", summary: "Have systemd (on macOS launchd) start trendyd, now and always.", group: .run,
    examples: ["service install", "service install --user", "service install --user --role both"],
    options: OptionSpec.serviceScope)

  struct Answer {
    /// Paths, and whether each is new or changed.
    var files: [(path: String, isChanged: Bool)]
    /// What is left to be said to the service manager; nothing where it was said.
    var commands: [String]
  }

  private let installation: ServiceInstallation

  init(_ session: DaemonSession) throws { installation = try ServiceInstallation(session) }

  func act(_ session: DaemonSession) throws -> Answer {
    let program = try Self.program()
    if !installation.isUser,
      let hidden = ["/home/", "/root/", "/run/user/", "/tmp/", "/var/tmp/"].first(where: program.hasPrefix)
    {
      throw CommandError(
        "\(program) cannot be a service of the machine: it does not see \(hidden)",
        hint: "Install the programs first: make install", exit: .configuration)
    }
    var files: [(String, Bool)] = []
    for file in installation.files {
      files.append((installation.url(of: file).path, try installation.write(file, program: program)))
    }
    let commands = installation.startCommands
    guard installation.isManagerPresent else {
      return Answer(files: files, commands: commands.map { $0.joined(separator: " ") })
    }
    for command in commands { try installation.run(command) }
    return Answer(files: files, commands: [])
  }

  /// The file of this program.
  private static func program() throws(CommandError) -> String {
    guard let path = Bundle.main.executablePath else {
      throw CommandError("This program does not know where it lies", exit: .bug)
    }
    return URL(filePath: path).resolvingSymlinksInPath().path
  }

  func show(_ answer: Answer, _ session: DaemonSession) -> ExitCode {
    let console = session.console
    if console.isJSON {
      let files = answer.files.map { JSONText.object([("path", .string($0.path)), ("changed", .bool($0.isChanged))]) }
      console.document(
        "trendyd.service/1",
        [
          ("files", .array(files)), ("started", .bool(answer.commands.isEmpty)),
          ("commands", .array(answer.commands.map { .string($0) })),
        ])
    }
    for file in answer.files { console.done("\(file.path)\(file.isChanged ? "" : "  as it was")") }
    if answer.commands.isEmpty {
      console.done("It runs, and starts with \(installation.isUser ? "your session" : "the machine").")
    } else {
      console.done("The service manager does not run here. Where it does:")
      for command in answer.commands { console.done("  \(command)") }
    }
    if installation.isUser {
      console.done("Also while you are not logged in:  loginctl enable-linger")
    } else {
      console.done("A code for a device:  sudo trendyd pair --data /var/lib/trendy-hub")
    }
    return .done
  }
}

/// `trendyd service remove`
struct ServiceRemoveCommand: DaemonCommand {
  static let spec = CommandSpec(
    "service remove", summary: "End the service and take its files away; what was recorded stays.", group: .run,
    examples: ["service remove", "service remove --user"], options: OptionSpec.serviceScope)

  private let installation: ServiceInstallation

  init(_ session: DaemonSession) throws { installation = try ServiceInstallation(session) }

  func act(_ session: DaemonSession) throws -> [String] {
    var ours: [ServiceFile] = []
    for file in installation.files {
      switch try installation.isOurs(file) {
      case true?: ours.append(file)
      case false?:
        throw CommandError(
          "\(installation.url(of: file).path) was not written by trendyd, and stays",
          hint: "Nothing was removed. Remove it by hand if it is not wanted.", exit: .refused)
      case nil: break
      }
    }
    guard !ours.isEmpty else {
      let file = installation.files.last.map { installation.url(of: $0).path } ?? ""
      throw CommandError("There is no service to remove: no \(file)", exit: .notFound)
    }
    if installation.isManagerPresent { for command in installation.stopCommands { try installation.run(command) } }
    for file in ours {
      let url = installation.url(of: file)
      do {
        try FileManager.default.removeItem(at: url)
      } catch {
        throw CommandError("\(url.path) cannot be removed: \(error.localizedDescription)", exit: .cannotCreate)
      }
    }
    if installation.isManagerPresent { for command in installation.forgetCommands { try installation.run(command) } }
    return ours.map { installation.url(of: $0).path }
  }

  func show(_ answer: [String], _ session: DaemonSession) -> ExitCode {
    if session.console.isJSON {
      session.console.document("trendyd.service/1", [("removed", .array(answer.map { .string($0) }))])
    }
    for path in answer { session.console.done("Removed \(path)") }
    return .done
  }
}

/// `trendyd service print`
struct ServicePrintCommand: DaemonCommand {
  static let spec = CommandSpec(
    "service print", .one("file", .oneOf(ServiceFile.all.map(\.label)), "the file"),
    summary: "One of the files that service install writes, for packages.", group: .run,
    examples: [
      "service print trendy-hub.service", "service print user/trendy-agent.service --program /usr/bin/trendyd",
    ],
    options: [
      OptionSpec("--program", value: "path", kind: .file, help: "where trendyd will lie (/usr/local/bin/trendyd)")
    ])

  private let file: ServiceFile
  private let program: String

  init(_ session: DaemonSession) throws {
    let name = session.arguments.positionals[0]
    guard let file = ServiceFile.all.first(where: { $0.label == name }) else {
      throw CommandError(
        "There is no file '\(name)'", hint: "There are: \(ServiceFile.all.map(\.label).joined(separator: ", ")).",
        exit: .usage)
    }
    self.file = file
    program = session.arguments.value("--program") ?? "/usr/local/bin/trendyd"
    guard program.hasPrefix("/") else { throw session.invalid("--program", hint: "It is a whole path.") }
  }

  func act(_ session: DaemonSession) -> String { file.text(program: program) }

  func show(_ answer: String, _ session: DaemonSession) -> ExitCode {
    session.console.raw(answer)
    return .done
  }
}
