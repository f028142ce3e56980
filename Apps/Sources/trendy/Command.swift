import CommandSupport

/// One command: what it is called, what it takes, what it does.
struct Command: DescribedCommand {
  /// `["type", "add"]`.
  let path: [String]
  let arguments: String
  let summary: String
  let group: CommandGroup
  let examples: [String]
  var options: [OptionSpec] = []
  let run: @Sendable (Session) throws -> ExitCode

  var usage: String { Self.table.usage(of: self) }

  static let table: CommandTable<Command> = CommandTable(
    program: "trendy",
    about: [
      "trendy records what happens in a life, on this machine, and brings a person's",
      "devices to one state. Without a command it shows today.",
    ],
    commands: eventCommands + undoCommands + typeCommands + placeCommands + placeInsightCommands + tripCommands
      + tripEditCommands + mileageCommands + intakeCommands + vehicleCommands + trackCommands + companionCommands
      + importCommands + syncCommands + conflictCommands + repairCommands + careCommands + helpCommands,
    globalOptions: GlobalOptions.all,
    notes: [
      "Times look like 8:30, 'yesterday 21:00', -20m, '20m ago', mon, 2026-11-20.",
      "Ids: any beginning that only one has, or @1 for the newest.",
      "Exit: 0 done, 1 the answer is no, 64 usage, 65 bad data, 66 not found,",
      "  69 unreachable, 70 bug, 73 cannot create, 74 read or write, 75 try again,",
      "  76 version, 77 refused, 78 configuration, 130 interrupted.",
    ])
}

extension CommandGroup {
  static let daily = CommandGroup("daily", "What happens, as it happens.")
  static let define = CommandGroup("define", "What there is to record: types of events, and places.")
  static let drive = CommandGroup("drive", "Trips, vehicles, and the fixes that they come from.")
  static let data = CommandGroup("data", "In, out, and kept safe.")
  static let sync = CommandGroup("sync", "This store and the hub.")
  static let care = CommandGroup("care", "How it is.")
}
