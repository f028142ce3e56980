import CommandSupport
import TrendyAgent

/// Command of `trendy`, run in three steps: parse the arguments, act, and print the result.
protocol Command: Sendable {
  associatedtype Answer

  static var spec: CommandSpec { get }

  /// Parses and validates the arguments without opening the store.
  init(_ session: Session) throws

  /// Performs the command.
  ///
  /// Called again if another process changes the store before this command saves its change. Input that can be read
  /// only once, such as standard input, must therefore be read in the initializer.
  func act(_ session: Session) throws -> Answer

  func show(_ answer: Answer, _ session: Session) throws -> ExitCode
}

extension Command {
  static func run(_ session: Session) throws -> ExitCode {
    let command = try Self(session)
    while true {
      do {
        return try command.show(try command.act(session), session)
      } catch is OutdatedDecisionError {
        // Another process saved first, and this command has saved nothing. The loop terminates, because it repeats only
        // after a save by another process.
        session.console.explain("Another program has changed the store; trying again.")
      }
    }
  }
}

/// Command that `trendyd` performs, because it needs the network.
protocol NetworkCommand: Command {}

extension NetworkCommand {
  func act(_ session: Session) throws -> ExitCode { try NetworkProgram.replaceThisProcess(with: session) }

  func show(_ answer: ExitCode, _ session: Session) -> ExitCode { answer }
}

enum Commands {
  /// A command and its name. Finding a command by name avoids creating all declarations.
  private typealias Entry = (words: String, type: any Command.Type)

  private static let all: [Entry] = daily + review + define + drive + data + sync + system

  private static let daily: [Entry] = [
    ("init", InitCommand.self),
    ("log", LogCommand.self),
    ("start", StartCommand.self),
    ("stop", StopCommand.self),
    ("switch", SwitchCommand.self),
    ("split", SplitCommand.self),
    ("cancel", CancelCommand.self),
    ("continue", ContinueCommand.self),
    ("skip", SkipCommand.self),
    ("today", TodayCommand.self),
    ("list", ListCommand.self),
    ("show", ShowCommand.self),
    ("edit", EditCommand.self),
    ("rm", RemoveCommand.self),
    ("undo", UndoCommand.self),
    ("redo", RedoCommand.self),
  ]

  private static let review: [Entry] = [
    ("stats", StatsCommand.self),
    ("streaks", StreaksCommand.self),
    ("records", RecordsCommand.self),
    ("week", WeekCommand.self),
    ("month", MonthCommand.self),
    ("year", YearCommand.self),
    ("cal", CalendarCommand.self),
    ("chart", ChartCommand.self),
    ("hours", HoursCommand.self),
    ("insights", InsightsCommand.self),
    ("digest", DigestCommand.self),
  ]

  private static let define: [Entry] = [
    ("type add", TypeAddCommand.self),
    ("type list", TypeListCommand.self),
    ("type show", TypeShowCommand.self),
    ("type edit", TypeEditCommand.self),
    ("type merge", TypeMergeCommand.self),
    ("type rm", TypeRemoveCommand.self),
    ("type prop add", TypePropertyAddCommand.self),
    ("type prop edit", TypePropertyEditCommand.self),
    ("type prop rm", TypePropertyRemoveCommand.self),
    ("place add", PlaceAddCommand.self),
    ("place list", PlaceListCommand.self),
    ("place show", PlaceShowCommand.self),
    ("place edit", PlaceEditCommand.self),
    ("place merge", PlaceMergeCommand.self),
    ("place rm", PlaceRemoveCommand.self),
    ("place check", PlaceCheckCommand.self),
    ("place simulate", PlaceSimulateCommand.self),
  ]

  private static let drive: [Entry] = [
    ("trip list", TripListCommand.self),
    ("trip show", TripShowCommand.self),
    ("trip start", TripStartCommand.self),
    ("trip end", TripEndCommand.self),
    ("trip cancel", TripCancelCommand.self),
    ("trip add", TripAddCommand.self),
    ("trip edit", TripEditCommand.self),
    ("trip split", TripSplitCommand.self),
    ("trip merge", TripMergeCommand.self),
    ("trip rm", TripRemoveCommand.self),
    ("trip classify", TripClassifyCommand.self),
    ("trip report", TripReportCommand.self),
    ("trip rule add", TripRuleAddCommand.self),
    ("trip rule list", TripRuleListCommand.self),
    ("trip rule rm", TripRuleRemoveCommand.self),
    ("track add", TrackAddCommand.self),
    ("track list", TrackListCommand.self),
    ("trip recompute", TripRecomputeCommand.self),
    ("trip explain", TripExplainCommand.self),
    ("vehicle add", VehicleAddCommand.self),
    ("vehicle list", VehicleListCommand.self),
    ("vehicle edit", VehicleEditCommand.self),
    ("vehicle rm", VehicleRemoveCommand.self),
    ("vehicle odometer log", VehicleOdometerLogCommand.self),
    ("vehicle odometer check", VehicleOdometerCheckCommand.self),
    ("track detect", TrackDetectCommand.self),
    ("companion pair", CompanionPairCommand.self),
    ("companion follow", CompanionFollowCommand.self),
    ("companion list", CompanionListCommand.self),
    ("companion rm", CompanionRemoveCommand.self),
    ("companion status", CompanionStatusCommand.self),
    ("companion notices", CompanionNoticesCommand.self),
  ]

  private static let data: [Entry] = [
    ("import", ImportCommand.self),
    ("import list", ImportListCommand.self),
    ("import undo", ImportUndoCommand.self),
    ("export", ExportCommand.self),
    ("export mileage", ExportMileageCommand.self),
    ("export report", ExportReportCommand.self),
    ("backup", BackupCommand.self),
    ("restore", RestoreCommand.self),
  ]

  private static let sync: [Entry] = [
    ("connect", ConnectCommand.self),
    ("disconnect", DisconnectCommand.self),
    ("sync", SyncCommand.self),
    ("sync status", SyncStatusCommand.self),
    ("sync history", SyncHistoryCommand.self),
    ("sync conflicts", SyncConflictsCommand.self),
    ("sync conflicts show", SyncConflictsShowCommand.self),
    ("sync conflicts keep", SyncConflictsKeepCommand.self),
    ("sync conflicts retry", SyncConflictsRetryCommand.self),
    ("sync conflicts restore", SyncConflictsRestoreCommand.self),
    ("sync conflicts drop", SyncConflictsDropCommand.self),
    ("sync repair", SyncRepairCommand.self),
  ]

  private static let system: [Entry] = [
    ("status", StatusCommand.self),
    ("doctor", DoctorCommand.self),
    ("config get", ConfigGetCommand.self),
    ("config set", ConfigSetCommand.self),
    ("config unset", ConfigUnsetCommand.self),
    ("config list", ConfigListCommand.self),
    ("config edit", ConfigEditCommand.self),
    ("config path", ConfigPathCommand.self),
    ("completions install", CompletionsInstallCommand.self),
    ("completions print", CompletionsPrintCommand.self),
    ("demo", DemoCommand.self),
    ("help", HelpCommand.self),
    ("words", WordsCommand.self),
  ]

  private static let specs: [CommandSpec] = all.map { entry in
    let spec = entry.type.spec
    precondition(
      spec.name == entry.words && spec.path.count <= longestPath,
      "'\(spec.name)' is listed as '\(entry.words)', of at most \(longestPath) words")
    return spec
  }

  /// Returns the command whose path is the longest prefix of the words.
  private static func find(_ words: [String]) -> CommandSpec? {
    var path = ""
    var found: Entry?
    for word in words.prefix(longestPath) {
      // An argument with a space was quoted, so it is not part of a command name.
      if word.contains(" ") { break }
      path += path.isEmpty ? word : " \(word)"
      if let entry = all.first(where: { $0.words == path }) { found = entry }
    }
    return found?.type.spec
  }

  /// Number of words in the longest command name (`type prop add`).
  private static let longestPath = 3

  static let table = CommandTable(
    program: "trendy",
    about: "Trendy keeps a journal of your life and syncs it across your devices. "
      + "Without a command it shows today.",
    commands: specs, find: { find($0) }, globalOptions: GlobalOptions.all,
    notes: [
      "Times: 8:30, 'yesterday 21:00', '20 min ago', 2026-11-20. All formats: trendy help times",
      "Ids: any unambiguous prefix, or @1 for the last entry recorded, @2 for the one before.",
      "Exit status: 0 success, 1 negative result, 64 usage error, 65 invalid data, 66 not found, 69 unreachable, "
        + "70 internal error, 73 cannot create a file, 74 read or write error, 75 temporary failure, "
        + "76 version mismatch, 77 refused, 78 configuration error, 130 interrupted.",
    ], topics: [.times])

  /// Commands that run even if the configuration is invalid, so that the user can correct it.
  static let workWithoutSettings = [
    "config get", "config set", "config unset", "config list", "config edit", "config path", "completions install",
    "completions print", "help", "words",
  ]

  static func run(_ spec: CommandSpec, _ session: Session) throws -> ExitCode {
    let name = spec.name
    guard let command = all.first(where: { $0.words == name }) else {
      preconditionFailure("the table contains only these commands")
    }
    return try command.type.run(session)
  }
}

extension CommandGroup {
  static let daily = CommandGroup("daily", "Record, view and change events.")
  static let review = CommandGroup("review", "Statistics, streaks and insights.")
  static let define = CommandGroup("define", "Event types and places.")
  static let drive = CommandGroup("drive", "Trips, vehicles and recorded positions.")
  static let data = CommandGroup("data", "Import, export and backup.")
  static let sync = CommandGroup("sync", "Sync with a hub.")
  static let system = CommandGroup("system", "Status, configuration and help.")
}
