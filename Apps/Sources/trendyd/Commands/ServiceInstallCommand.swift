import CommandSupport
import Foundation

extension OptionSpec {
  static let serviceScope = [
    OptionSpec("--user", help: "install a user service instead of a system service"),
    OptionSpec(
      "--role", value: "role", kind: .oneOf(DaemonRun.Role.allCases.map(\.rawValue)),
      help: "agent, hub or both (default hub; with --user agent)"),
  ]
}

extension ServiceInstallation {
  init(_ session: DaemonSession) throws(CommandError) {
    let isUser = session.arguments.has("--user")
    guard let role = DaemonRun.Role(rawValue: session.arguments.value("--role") ?? (isUser ? "agent" : "hub")) else {
      throw session.invalid("--role", hint: "Use agent, hub or both.")
    }
    try self.init(role: role, isUser: isUser, environment: session.environment)
  }
}

struct ServiceInstallCommand: DaemonCommand {
  static let spec = CommandSpec(
    "service install", summary: "Install trendyd as a systemd service (launchd on macOS) and start it.", group: .run,
    examples: ["service install", "service install --user", "service install --user --role both"],
    options: OptionSpec.serviceScope)

  struct Answer {
    var files: [(path: String, isChanged: Bool)]
    /// Commands for the user to run if the service manager is not running on this machine.
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
        "\(program) cannot run as a system service, which has no access to \(hidden)",
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

  private static func program() throws(CommandError) -> String {
    guard let path = Bundle.main.executablePath else {
      throw CommandError("Cannot determine the path of this program", hint: "Please report this.", exit: .bug)
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
    for file in answer.files { console.done("\(file.path)\(file.isChanged ? "" : "  (unchanged)")") }
    if answer.commands.isEmpty {
      console.done("Started. It also starts with \(installation.isUser ? "your session" : "the machine").")
    } else {
      console.done("The service manager is not running on this machine. When it runs, enter these commands:")
      for command in answer.commands { console.done("  \(command)") }
    }
    if installation.isUser {
      console.done("To keep it running while you are logged out:  loginctl enable-linger")
    } else {
      console.done("To pair a device:  sudo trendyd pair --data /var/lib/trendy-hub")
    }
    return .done
  }
}

struct ServiceRemoveCommand: DaemonCommand {
  static let spec = CommandSpec(
    "service remove", summary: "Stop the service and remove its files; all data is kept.", group: .run,
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
          "\(installation.url(of: file).path) was not written by trendyd",
          hint: "Nothing was removed. Delete the file yourself if you do not need it.", exit: .refused)
      case nil: break
      }
    }
    guard !ours.isEmpty else {
      let file = installation.files.last.map { installation.url(of: $0).path } ?? ""
      throw CommandError(
        "No service installed: \(file) not found", hint: "Install one: trendyd service install", exit: .notFound)
    }
    if installation.isManagerPresent { for command in installation.stopCommands { try installation.run(command) } }
    for file in ours {
      let url = installation.url(of: file)
      do {
        try FileManager.default.removeItem(at: url)
      } catch {
        throw CommandError(cannot: "delete", url.path, error)
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

struct ServicePrintCommand: DaemonCommand {
  static let spec = CommandSpec(
    "service print", .one("file", .oneOf(ServiceFile.all.map(\.label)), "file"),
    summary: "Print a service file, for packages.", group: .run,
    examples: [
      "service print trendy-hub.service", "service print user/trendy-agent.service --program /usr/bin/trendyd",
    ],
    options: [
      OptionSpec("--program", value: "path", kind: .file, help: "path of trendyd (default /usr/local/bin/trendyd)")
    ])

  private let file: ServiceFile
  private let program: String

  init(_ session: DaemonSession) throws {
    let name = session.arguments.positionals[0]
    guard let file = ServiceFile.all.first(where: { $0.label == name }) else {
      throw CommandError(
        "Unknown service file '\(name)'",
        hint: "Available files: \(ServiceFile.all.map(\.label).joined(separator: ", ")).",
        exit: .usage)
    }
    self.file = file
    program = session.arguments.value("--program") ?? "/usr/local/bin/trendyd"
    guard program.hasPrefix("/") else { throw session.invalid("--program", hint: "Use an absolute path.") }
  }

  func act(_ session: DaemonSession) -> String { file.text(program: program) }

  func show(_ answer: String, _ session: DaemonSession) -> ExitCode {
    session.console.raw(answer)
    return .done
  }
}
