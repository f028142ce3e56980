import CommandSupport

/// One command of `trendyd`, in three steps: it reads its words, acts, and shows what came of it.
protocol DaemonCommand: Sendable {
  associatedtype Answer

  static var spec: CommandSpec { get }

  /// Reads the command line. Nothing is opened or changed yet: a word that is wrong is said before.
  init(_ session: DaemonSession) throws

  /// Does what was asked.
  func act(_ session: DaemonSession) async throws -> Answer

  /// Prints the answer, in the format that was asked for.
  func show(_ answer: Answer, _ session: DaemonSession) throws -> ExitCode
}

extension DaemonCommand {
  static func run(_ session: DaemonSession) async throws -> ExitCode {
    let command = try Self(session)
    return try command.show(try await command.act(session), session)
  }
}

/// The commands of `trendyd`, from which its help and its manual come.
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
    about: [
      "trendyd is the hub that devices sync with, and the agent that syncs this",
      "machine's store in the background.",
    ],
    commands: all.map { $0.spec },
    globalOptions: [
      OptionSpec("--json", help: "JSON documents, for scripts"),
      OptionSpec("--quiet", "-q", help: "no talk"),
      OptionSpec("--version", help: "the version, and nothing else"),
      OptionSpec("--help", "-h", help: "this text"),
    ],
    notes: [
      "What hub init is told by --listen, --host, --proxy and --limit is kept; run goes",
      "by it, by the configuration instead, and by what it is told itself before all.",
      "Settings: trendy config list.",
    ])

  /// Commands that answer also where the configuration is wrong.
  static let workWithoutSettings = [
    CheckConfigCommand.spec, ReloadCommand.spec, CompletionsCommand.spec, HelpCommand.spec, WordsCommand.spec,
  ].map(\.path)

  static func run(_ spec: CommandSpec, _ session: DaemonSession) async throws -> ExitCode {
    guard let command = all.first(where: { $0.spec.path == spec.path }) else {
      preconditionFailure("the table is made from these")
    }
    return try await command.run(session)
  }
}

extension CommandGroup {
  static let run = CommandGroup("run", "Serving and syncing.")
  static let hub = CommandGroup("hub", "The hub's data.")
  static let people = CommandGroup("people", "Who may come in to the hub.")
}
