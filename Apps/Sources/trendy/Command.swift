import CommandSupport
import TrendyAgent

/// One command of `trendy`, in three steps: it reads its words, acts, and shows what came of it.
protocol Command: Sendable {
  associatedtype Answer

  static var spec: CommandSpec { get }

  /// Reads the command line. Nothing is opened or changed yet: a word that is wrong is said before.
  init(_ session: Session) throws

  /// Does what was asked. Called again if another process changes the record before this command has saved its change, so
  /// that it must not consume input; `init` reads that.
  func act(_ session: Session) throws -> Answer

  /// Prints the answer, in the format that was asked for.
  func show(_ answer: Answer, _ session: Session) throws -> ExitCode
}

extension Command {
  static func run(_ session: Session) throws -> ExitCode {
    let command = try Self(session)
    while true {
      do {
        return try command.show(try command.act(session), session)
      } catch is OutdatedDecisionError {
        // Another process saved first, so that this command read an outdated record and wrote nothing. It acts again; each
        // repetition means that another process has completed.
        session.console.explain("Another program changed the record meanwhile: reading it again.")
      }
    }
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
  /// A command by its words. They stand here, too, so that one is found without making what is told of all the others.
  private typealias Entry = (words: String, type: any Command.Type)

  private static let all: [Entry] = daily + see + define + drive + data + sync + care

  private static let daily: [Entry] = [
    ("init", InitCommand.self),
    ("log", LogCommand.self),
    ("start", StartCommand.self),
    ("stop", StopCommand.self),
    ("skip", SkipCommand.self),
    ("today", TodayCommand.self),
    ("list", ListCommand.self),
    ("show", ShowCommand.self),
    ("edit", EditCommand.self),
    ("rm", RemoveCommand.self),
    ("undo", UndoCommand.self),
    ("redo", RedoCommand.self),
  ]

  private static let see: [Entry] = [
    ("stats", StatsCommand.self),
    ("streaks", StreaksCommand.self),
    ("records", RecordsCommand.self),
    ("week", WeekCommand.self),
    ("month", MonthCommand.self),
    ("year", YearCommand.self),
    ("cal", CalendarCommand.self),
    ("chart", ChartCommand.self),
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

  private static let care: [Entry] = [
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
      "'\(spec.name)' stands in the list of commands as '\(entry.words)', of at most \(longestPath) words")
    return spec
  }

  /// The command with the longest path that these words begin with.
  private static func find(_ words: [String]) -> CommandSpec? {
    var path = ""
    var found: Entry?
    for word in words.prefix(longestPath) {
      // Two words in one are not the two.
      if word.contains(" ") { break }
      path += path.isEmpty ? word : " \(word)"
      if let entry = all.first(where: { $0.words == path }) { found = entry }
    }
    return found?.type.spec
  }

  /// Words of the longest: `type prop add`.
  private static let longestPath = 3

  static let table = CommandTable(
    program: "trendy",
    about: [
      "trendy records what happens in a life, on this machine, and brings a person's",
      "devices to one state. Without a command it shows today.",
    ],
    commands: specs, find: { find($0) }, globalOptions: GlobalOptions.all,
    notes: [
      "Times: 8:30, 'yesterday 21:00', '20 min ago', 2026-11-20; trendy help times.",
      "Ids: any beginning that only one has, or @1 for what was recorded last.",
      "Exit: 0 done, 1 the answer is no, 64 usage, 65 bad data, 66 not found,",
      "  69 unreachable, 70 bug, 73 cannot create, 74 read or write, 75 try again,",
      "  76 version, 77 refused, 78 configuration, 130 interrupted.",
    ], topics: [.times])

  /// Commands that answer also where the configuration is wrong: those that help to put it right.
  static let workWithoutSettings = [
    "config get", "config set", "config unset", "config list", "config edit", "config path", "completions install",
    "completions print", "help", "words",
  ]

  static func run(_ spec: CommandSpec, _ session: Session) throws -> ExitCode {
    let name = spec.name
    guard let command = all.first(where: { $0.words == name }) else {
      preconditionFailure("the table is made from these")
    }
    return try command.type.run(session)
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
