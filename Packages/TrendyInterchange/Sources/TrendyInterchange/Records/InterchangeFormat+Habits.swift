extension InterchangeFormat {
  static let habits = [
    InterchangeFormat(
      "loop", "Loop Habit Tracker", "CSV archive of old and new versions of the habit tracker.", reads: .events,
      writes: .events, basis: "the exporter's source, and its test files",
      folder: FolderReading(
        recognise: { try LoopReader.table(in: $0) != nil },
        read: { files, options, body in try LoopReader(files, options).read(body) }),
      archiveWriter: { LoopWriter(context: $0) }),
    InterchangeFormat(
      "habitkit", "HabitKit", "JSON export: one event for each day on which a habit was done.", reads: .events,
      basis: "public readers; two real files", recognise: { HabitKit.isBeginning(of: $0) },
      read: { input, options, body in try HabitKit.read(input, options, body) }),
    InterchangeFormat(
      "nomie", "Nomie", "Backup of Nomie 3 to 6: one event for each tag of a note.", reads: .events,
      basis: "the program's source; no real file", recognise: { Nomie.isBeginning(of: $0) },
      read: { input, options, body in try Nomie.read(input, options, body) }),
    InterchangeFormat(
      "habitica-data", "Habitica user data", "JSON export of an account: habits, dailies and completed to-dos.",
      reads: .events, basis: "the program's source; three real files", recognise: { Habitica.isBeginning(of: $0) },
      read: { input, options, body in try Habitica.read(input, options, body) }),
    InterchangeFormat(
      "daylio-backup", "Daylio backup", ".daylio file of the mood diary: one Mood event per entry.", reads: .events,
      basis: "public descriptions; files of public readers",
      folder: FolderReading(
        recognise: { DaylioBackup.path(in: $0) != nil },
        read: { files, options, body in try DaylioBackup.read(files, options, body) })),
  ]
}
