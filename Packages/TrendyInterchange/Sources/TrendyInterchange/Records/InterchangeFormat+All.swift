extension InterchangeFormat {
  /// All formats, most specific first: the first one that recognizes a file is used.
  public static let all: [InterchangeFormat] =
    own + habits + timeSheets + calendars + health + journeys + tables + tracks + folders

  private static let own = [
    InterchangeFormat(
      "ndjson", "trendy NDJSON", "All that a store holds, a line each, without loss.", reads: .everything,
      writes: .everything, basis: "written by this product",
      recognise: { TrendyLines.isBeginning(of: $0.withoutLeadingSpace) },
      read: { input, _, body in try TrendyLines.read(input, body) })
  ]

  private static let calendars = [
    InterchangeFormat(
      "ics", "iCalendar", "A calendar: Google, Outlook, Apple. What repeats is repeated until now, or --until.",
      reads: .events, writes: .events, basis: "RFC 5545; 300 recurrences of python-dateutil",
      recognise: { CalendarReader.isCalendar($0) },
      read: { input, options, body in try CalendarReader.read(input, options, body) },
      writer: { CalendarWriter(context: $0) })
  ]

  private static let health = [
    InterchangeFormat(
      "apple-health", "Apple Health", "The archive that the iPhone exports, or the file with the data in it.",
      reads: .events,
      basis: "Apple's document type; files of public importers",
      recognise: { HealthExport.isBeginning(of: $0) },
      read: { input, options, body in try HealthRecords.read(input, options, body) },
      folder: FolderReading(
        recognise: { try HealthExport.Folder($0) != nil },
        read: { files, options, body in try HealthRecords.read(files, options, body) }))
  ]

  private static let tables = [
    table(
      "trendy-csv", "trendy web CSV", "The table that the original web application exports.", .originalTrendy,
      basis: "the exporter's source"),
    table(
      "daylio", "Daylio CSV", "The mood diary: an event Mood a row.", .daylio,
      basis: "public descriptions; files of public readers"),
    table(
      "toggl", "Toggl CSV", "A detailed report of Toggl Track.", .toggl,
      basis: "public descriptions; files of public importers"),
    table(
      "clockify", "Clockify CSV", "A detailed report of Clockify.", .clockify,
      basis: "public descriptions; files of public importers"),
    table(
      "habitbull", "HabitBull CSV", "A row for each day of a habit; also what other trackers write for Loop.",
      .habitBull,
      basis: "test files of Loop's importer"),
    table(
      "habitica", "Habitica CSV", "The history of habits and dailies, in the server's time.", .habitica,
      basis: "public descriptions; no real file"),
    InterchangeFormat(
      "csv", "CSV", "A table of events or of fixes, the columns known by their names.", reads: [.events, .fixes],
      writes: .events, basis: "RFC 4180; spreadsheets in several languages",
      recognise: { head in
        isPlainText(head) && !CSVTrackReader.isTable(head)
          && EventTableReader.isTable(head)
      },
      read: { input, options, body in try EventTableReader.read(input, options, as: nil, body) },
      writer: { EventTableWriter(context: $0) }),
    InterchangeFormat(
      "json", "JSON", "An array of events, as the original product exports it.", reads: .events, writes: .events,
      basis: "the exporter's source", recognise: { OriginalEvents.isBeginning(of: $0) },
      read: { input, options, body in try OriginalEvents.read(input, options, body) },
      writer: { EventArrayWriter(context: $0) }),
  ]

  private static func table(
    _ word: String, _ name: String, _ summary: String, _ profile: TableProfile, basis: String
  ) -> InterchangeFormat {
    InterchangeFormat(
      word, name, summary, reads: .events, basis: basis,
      table: profile,
      read: { input, options, body in try EventTableReader.read(input, options, as: profile, body) })
  }

  private static let tracks = ImportFormat.allCases.filter { $0 != .csv }.map { format in
    InterchangeFormat(
      format.rawValue, format.name, "Recorded tracks.", reads: format.isRead, writes: format.isWritten,
      basis: "recorded drives", track: format)
  }

  /// Last, because every other archive format is more specific.
  private static let folders = [
    InterchangeFormat(
      "zip", "ZIP or folder", "Whatever of these formats lies in an archive or a folder: a Takeout, calendars, tracks.",
      reads: [.events, .trips, .fixes], basis: "archives of Info-ZIP, macOS and Python",
      folder: FolderReading(
        recognise: { try FolderReader.holdsAnything($0) },
        read: { files, options, body in try FolderReader.read(files, options, body) }))
  ]
}

extension ImportFormat {
  fileprivate var isRead: InterchangeFormat.Contents { [.fixes, .trips] }

  fileprivate var isWritten: InterchangeFormat.Contents {
    switch self {
    case .geoJSON, .gpx, .kml, .ownTracksRecording: .fixes
    case .csv, .nmea, .overland, .ownTracks: []
    }
  }
}
