extension InterchangeFormat {
  /// All formats, most specific first. The first format that recognises a file is used.
  public static let all: [InterchangeFormat] =
    own + habits + timeSheets + calendars + health + journeys + apps + tables + tracks + folders

  private static let own = [
    InterchangeFormat(
      "ndjson", "trendy NDJSON", "The complete record without loss, one entity per line.", reads: .everything,
      writes: .everything, basis: "written by this product",
      recognise: { TrendyNDJSON.isBeginning(of: $0.withoutLeadingSpace) },
      read: { input, _, body in try TrendyNDJSON.read(input, body) })
  ]

  private static let calendars = [
    InterchangeFormat(
      "ics", "iCalendar",
      "Calendars of Google, Outlook and Apple. Recurring events are expanded up to now, or to --until.",
      reads: .events, writes: .events, basis: "RFC 5545; 300 recurrences of python-dateutil",
      recognise: { CalendarReader.isCalendar($0) },
      read: { input, options, body in try CalendarReader.read(input, options, body) },
      writer: { CalendarWriter(context: $0) })
  ]

  private static let health = [
    InterchangeFormat(
      "apple-health", "Apple Health", "The archive that the iPhone exports, or the data file in it.",
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
      "trendy-csv", "trendy web CSV", "The CSV export of the original web application.", .originalTrendy,
      basis: "the exporter's source"),
    table(
      "daylio", "Daylio CSV", "Mood diary: one Mood event per row.", .daylio,
      basis: "public descriptions; files of public readers"),
    table(
      "toggl", "Toggl CSV", "Detailed report of Toggl Track.", .toggl,
      basis: "public descriptions; files of public importers"),
    table(
      "clockify", "Clockify CSV", "Detailed report of Clockify.", .clockify,
      basis: "public descriptions; files of public importers"),
    table(
      "habitbull", "HabitBull CSV", "One row for each day of a habit; other trackers use this format for Loop.",
      .habitBull,
      basis: "test files of Loop's importer"),
    table(
      "habitica", "Habitica CSV", "History of habits and dailies in server time.", .habitica,
      basis: "public descriptions; no real file"),
    InterchangeFormat(
      "csv", "CSV", "Table of events or positions; columns are recognized by name.", reads: [.events, .fixes],
      writes: .events, basis: "RFC 4180; spreadsheets in several languages",
      recognise: { head in
        isPlainText(head) && !CSVTrackReader.isTable(head)
          && EventTableReader.isTable(head)
      },
      read: { input, options, body in
        try EventTableReader.read(input, options, as: options.isPlainTable ? .any : nil, body)
      },
      writer: { EventTableWriter(context: $0) }),
    InterchangeFormat(
      "json", "JSON", "Array of events, as exported by the original product.", reads: .events, writes: .events,
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

  /// Listed last, because all other archive formats are more specific.
  private static let folders = [
    InterchangeFormat(
      "zip", "ZIP or folder", "Archive or folder with files of these formats, such as a Takeout, calendars or tracks.",
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
