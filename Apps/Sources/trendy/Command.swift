import CommandSupport

/// One command of `trendy`, in three steps: it reads its words, acts, and shows what came of it.
protocol Command: Sendable {
  associatedtype Answer

  static var spec: CommandSpec { get }

  /// Reads the command line. Nothing is opened or changed yet: a word that is wrong is said before.
  init(_ session: Session) throws

  /// Does what was asked.
  func act(_ session: Session) throws -> Answer

  /// Prints the answer, in the format that was asked for.
  func show(_ answer: Answer, _ session: Session) throws -> ExitCode
}

extension Command {
  static func run(_ session: Session) throws -> ExitCode {
    let command = try Self(session)
    return try command.show(try command.act(session), session)
  }
}

/// One whose work is done by the program beside this one, which has the network.
protocol NetworkCommand: Command {}

extension NetworkCommand {
  func act(_ session: Session) throws -> ExitCode { try NetworkProgram.replaceThisProcess(with: session) }

  func show(_ answer: ExitCode, _ session: Session) -> ExitCode { answer }
}

/// The commands of `trendy`, from which its help, its manual and its completions come.
enum Commands {
  static let all: [any Command.Type] = daily + see + define + drive + data + sync + care

  private static let daily: [any Command.Type] = [
    InitCommand.self, LogCommand.self, StartCommand.self, StopCommand.self, SkipCommand.self, TodayCommand.self,
    ListCommand.self, ShowCommand.self, EditCommand.self,
    RemoveCommand.self, UndoCommand.self, RedoCommand.self,
  ]

  private static let see: [any Command.Type] = [
    StatsCommand.self, StreaksCommand.self, RecordsCommand.self, WeekCommand.self, MonthCommand.self,
    YearCommand.self, CalendarCommand.self, ChartCommand.self, InsightsCommand.self, DigestCommand.self,
  ]

  private static let define: [any Command.Type] = [
    TypeAddCommand.self, TypeListCommand.self, TypeShowCommand.self, TypeEditCommand.self, TypeMergeCommand.self,
    TypeRemoveCommand.self, TypePropertyAddCommand.self, TypePropertyEditCommand.self, TypePropertyRemoveCommand.self,
    PlaceAddCommand.self, PlaceListCommand.self, PlaceShowCommand.self, PlaceEditCommand.self, PlaceRemoveCommand.self,
    PlaceCheckCommand.self, PlaceSimulateCommand.self,
  ]

  private static let drive: [any Command.Type] = [
    TripListCommand.self, TripShowCommand.self, TripStartCommand.self, TripEndCommand.self, TripCancelCommand.self,
    TripAddCommand.self, TripEditCommand.self, TripSplitCommand.self,
    TripMergeCommand.self, TripRemoveCommand.self, TripClassifyCommand.self, TripReportCommand.self,
    TripRuleAddCommand.self, TripRuleListCommand.self, TripRuleRemoveCommand.self, TrackAddCommand.self,
    TrackListCommand.self,
    TripRecomputeCommand.self, TripExplainCommand.self, VehicleAddCommand.self, VehicleListCommand.self,
    VehicleEditCommand.self, VehicleRemoveCommand.self, VehicleOdometerLogCommand.self,
    VehicleOdometerCheckCommand.self, TrackDetectCommand.self, CompanionPairCommand.self, CompanionFollowCommand.self,
    CompanionListCommand.self, CompanionRemoveCommand.self, CompanionStatusCommand.self, CompanionNoticesCommand.self,
  ]

  private static let data: [any Command.Type] = [
    ImportCommand.self, ImportListCommand.self, ImportUndoCommand.self, ExportCommand.self, ExportMileageCommand.self,
    ExportReportCommand.self,
    BackupCommand.self, RestoreCommand.self,
  ]

  private static let sync: [any Command.Type] = [
    ConnectCommand.self, DisconnectCommand.self, SyncCommand.self, SyncStatusCommand.self, SyncHistoryCommand.self,
    SyncConflictsCommand.self, SyncConflictsShowCommand.self, SyncConflictsKeepCommand.self,
    SyncConflictsRetryCommand.self, SyncConflictsRestoreCommand.self, SyncConflictsDropCommand.self,
    SyncRepairCommand.self,
  ]

  private static let care: [any Command.Type] = [
    StatusCommand.self, DoctorCommand.self, ConfigGetCommand.self, ConfigSetCommand.self, ConfigUnsetCommand.self,
    ConfigListCommand.self, ConfigEditCommand.self, ConfigPathCommand.self, CompletionsInstallCommand.self,
    CompletionsPrintCommand.self, DemoCommand.self, HelpCommand.self, WordsCommand.self,
  ]

  static let table = CommandTable(
    program: "trendy",
    about: [
      "trendy records what happens in a life, on this machine, and brings a person's",
      "devices to one state. Without a command it shows today.",
    ],
    commands: all.map { $0.spec }, globalOptions: GlobalOptions.all,
    notes: [
      "Times: 8:30, 'yesterday 21:00', '20 min ago', 2026-11-20; trendy help times.",
      "Ids: any beginning that only one has, or @1 for what was recorded last.",
      "Exit: 0 done, 1 the answer is no, 64 usage, 65 bad data, 66 not found,",
      "  69 unreachable, 70 bug, 73 cannot create, 74 read or write, 75 try again,",
      "  76 version, 77 refused, 78 configuration, 130 interrupted.",
    ], topics: [.times])

  /// Commands that answer also where the configuration is wrong: those that help to put it right.
  static let workWithoutSettings = [
    ConfigGetCommand.spec, ConfigSetCommand.spec, ConfigUnsetCommand.spec, ConfigListCommand.spec,
    ConfigEditCommand.spec, ConfigPathCommand.spec, CompletionsInstallCommand.spec, CompletionsPrintCommand.spec,
    HelpCommand.spec, WordsCommand.spec,
  ].map(\.path)

  static func run(_ spec: CommandSpec, _ session: Session) throws -> ExitCode {
    guard let command = all.first(where: { $0.spec.path == spec.path }) else {
      preconditionFailure("the table is made from these")
    }
    return try command.run(session)
  }
}

extension CommandGroup {
  static let daily = CommandGroup("daily", "What happens, as it happens.")
  static let see = CommandGroup("see", "Looking back.")
  static let define = CommandGroup("define", "What there is to record: types of events, and places.")
  static let drive = CommandGroup("drive", "Trips, vehicles, and the fixes that they come from.")
  static let data = CommandGroup("data", "In, out, and kept safe.")
  static let sync = CommandGroup("sync", "This store and the hub.")
  static let care = CommandGroup("care", "How it is.")
}
