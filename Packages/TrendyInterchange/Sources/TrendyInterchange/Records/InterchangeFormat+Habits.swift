extension InterchangeFormat {
  /// Of trackers of habits and moods.
  static let habits = [
    InterchangeFormat(
      "loop", "Loop Habit Tracker", "The archive of CSV files of the habit tracker, old and new.", reads: .events,
      writes: .events, basis: "the exporter's source; no real file",
      folder: FolderReading(
        recognise: { try LoopReader.table(in: $0) != nil },
        read: { files, options, body in try LoopReader(files, options).read(body) }),
      archiveWriter: { LoopWriter(context: $0) }),
    InterchangeFormat(
      "daylio-backup", "Daylio backup", "The .daylio file of the mood diary: an event Mood an entry.", reads: .events,
      basis: "public descriptions; no real file",
      folder: FolderReading(
        recognise: { DaylioBackup.path(in: $0) != nil },
        read: { files, options, body in try DaylioBackup.read(files, options, body) })),
  ]
}
