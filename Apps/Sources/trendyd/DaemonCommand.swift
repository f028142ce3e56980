import CommandSupport

/// Command of `trendyd`, run in three steps: parse the arguments, act, and print the result.
protocol DaemonCommand: Sendable {
  associatedtype Answer

  static var spec: CommandSpec { get }

  /// Parses and validates the arguments without opening the hub or the store.
  init(_ session: DaemonSession) throws

  func act(_ session: DaemonSession) async throws -> Answer

  func show(_ answer: Answer, _ session: DaemonSession) throws -> ExitCode
}

extension DaemonCommand {
  static func run(_ session: DaemonSession) async throws -> ExitCode {
    let command = try Self(session)
    return try command.show(try await command.act(session), session)
  }
}

enum DaemonCommands {
  static let all: [any DaemonCommand.Type] = [
    RunCommand.self, StatusCommand.self, ReloadCommand.self, CheckConfigCommand.self, MetricsCommand.self,
    ServiceInstallCommand.self, ServiceRemoveCommand.self, ServicePrintCommand.self,
    HubInitCommand.self, HubStatusCommand.self, HubBackupCommand.self, HubRestoreCommand.self, HubMoveCommand.self,
    PairCommand.self, UserAddCommand.self, UserListCommand.self, UserLimitCommand.self, UserRemoveCommand.self,
    UserRestoreCommand.self,
    TokenCreateCommand.self, TokenListCommand.self, TokenRevokeCommand.self,
    WebhookAddCommand.self, WebhookListCommand.self, WebhookTryCommand.self, WebhookRemoveCommand.self,
    CompletionsCommand.self, HelpCommand.self, WordsCommand.self,
  ]

  static let table = CommandTable(
    program: "trendyd",
    about: "trendyd is the hub that your devices sync with, and the agent that syncs this machine in the background.",
    commands: all.map { $0.spec },
    globalOptions: [
      OptionSpec("--json", help: "print JSON documents"),
      OptionSpec("--quiet", "-q", help: "print only results and errors"),
      OptionSpec("--version", help: "print the version"),
      OptionSpec("--help", "-h", help: "print help"),
    ],
    notes: [
      "Settings: the options of 'trendyd run' take precedence over the configuration (trendy config list), which takes "
        + "precedence over --listen, --host, --proxy and --limit of 'trendyd hub init'."
    ])

  /// Commands that run even if the configuration is invalid.
  static let workWithoutSettings = [
    CheckConfigCommand.spec, ReloadCommand.spec, CompletionsCommand.spec, HelpCommand.spec, WordsCommand.spec,
  ].map(\.path)

  static func run(_ spec: CommandSpec, _ session: DaemonSession) async throws -> ExitCode {
    guard let command = all.first(where: { $0.spec.path == spec.path }) else {
      preconditionFailure("the table contains only these commands")
    }
    return try await command.run(session)
  }
}

extension CommandGroup {
  static let run = CommandGroup("run", "Run and install the daemon.")
  static let hub = CommandGroup("hub", "Set up, back up and move the hub.")
  static let users = CommandGroup("people", "Users, devices, tokens and webhooks of the hub.")
}
