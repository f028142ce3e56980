extension InterchangeFormat {
  static let journeys = google + sport + trackers

  private static let google = [
    InterchangeFormat(
      "google-records", "Google Records.json", "All positions of a Takeout's location history.", reads: .fixes,
      basis: "the schema of LocationHistoryFormat; files of public importers",
      recognise: { head in outline(head, of: "{").map { GoogleRecords.isBeginning($0) } ?? false },
      read: { input, _, body in try GoogleRecords.read(input, body) }),
    InterchangeFormat(
      "google-months", "Google Semantic Location History",
      "One month of a Takeout: stays and the journeys between them.",
      reads: [.events, .trips, .fixes], basis: "the schema of LocationHistoryFormat; files of public importers",
      recognise: { head in outline(head, of: "{")?.members[GoogleMonths.array] != nil },
      read: { input, options, body in try GoogleMonths.read(input, options, body) }),
    InterchangeFormat(
      "google-timeline", "Google Timeline", "Export of an Android phone or iPhone: stays, journeys and routes.",
      reads: [.events, .trips, .fixes], basis: "public descriptions; files of public importers",
      recognise: { head in
        outline(head, of: "{").map { GoogleTimeline.isBeginning($0, isArray: false) }
          ?? outline(head, of: "[").map { GoogleTimeline.isBeginning($0, isArray: true) } ?? false
      },
      read: { input, options, body in try GoogleTimeline.read(input, options, body) }),
  ]

  private static let sport = [
    InterchangeFormat(
      "fit", "FIT", "Activity of a watch or bicycle computer: a workout with its track.",
      reads: [.events, .fixes], basis: "Garmin's protocol; files of 20 devices from public importers",
      recognise: { FITMessages.isBeginning($0) },
      read: { input, options, body in try FITReader.read(input, options, body) }),
    InterchangeFormat(
      "tcx", "TCX", "Activities of Garmin's Training Center: workouts with their tracks.", reads: [.events, .fixes],
      basis: "Garmin's schema; files of public importers", recognise: { TCXReader.isBeginning(of: $0) },
      read: { input, options, body in try TCXReader.read(input, options, body) }),
    InterchangeFormat(
      "strava", "Strava archive",
      "Archive of an account: each activity with its track; or activities.csv alone.",
      reads: [.events, .fixes], basis: "public descriptions; five real tables, no whole archive",
      recognise: { StravaArchive.isTable($0) },
      read: { input, options, body in try StravaArchive.readTable(input, options, body) },
      folder: FolderReading(
        recognise: { try StravaArchive($0) != nil },
        read: { files, options, body in try StravaArchive(files)?.read(options, body) })),
  ]

  private static let trackers = [
    InterchangeFormat(
      "dawarich", "Dawarich account", "Archive of an account: positions and visits.",
      reads: [.events, .trips, .fixes], basis: "the exporter's source",
      folder: FolderReading(
        recognise: { try DawarichExport($0) != nil },
        read: { files, options, body in try DawarichExport(files)?.read(options, body) })),
    InterchangeFormat(
      "polarsteps", "Polarsteps", "Positions of a journey.", reads: [.trips, .fixes],
      basis: "the source of a public importer",
      recognise: { head in outline(head, of: "{").map { PolarstepsReader.isBeginning($0) } ?? false },
      read: { input, _, body in try PolarstepsReader.read(input, body) }),
  ]

  /// Returns the outline of a JSON document if it starts with the given bracket, otherwise `nil`.
  private static func outline(_ head: ArraySlice<UInt8>, of bracket: Unicode.Scalar) -> JSONOutline? {
    let content = head.withoutLeadingSpace
    guard content.first == UInt8(ascii: bracket) else { return nil }
    return JSONOutline(content)
  }
}
