extension InterchangeFormat {
  /// Formats of wearables, health and diary programs whose files are tables or JSON arrays.
  static let apps = [
    app(
      "fitbit", "Fitbit", "Takeout or account archive: sleep, workouts and weights, and daily totals and averages.",
      TableProfile.fitbit),
    app(
      "google-fit", "Google Fit", "Takeout: the daily activity metrics, and a workout for each session.",
      TableProfile.googleFit),
    app(
      "garmin", "Garmin wellness", "Account archive: one event per day with steps and heart rate, and sleep.",
      TableProfile.garmin),
    app(
      "samsung", "Samsung Health", "Personal data: sleep, workouts, steps, weight, blood pressure and heart rate.",
      TableProfile.samsung),
    app(
      "oura", "Oura", "Account data: sleep, workouts, scores, and activity and heart rate per day.",
      TableProfile.oura),
    app(
      "withings", "Withings", "Account archive: weight, blood pressure, sleep and activities.",
      TableProfile.withings),
    app("dayone", "Day One", "JSON export: one Journal event per entry, with its place.", TableProfile.dayOne),
    app(
      "sleep-as-android", "Sleep as Android", "sleep-export.csv: one Sleep event per night.",
      [.sleepAsAndroid], basis: "the program's documentation; public importers",
      convert: AppConversions.sleepAsAndroid),
    app(
      "myfitnesspal", "MyFitnessPal", "CSV export: one event per meal and day, and workouts.",
      TableProfile.myFitnessPal),
    app(
      "teslamate", "TeslaMate", "CSV of the table drives: one trip per drive.", TableProfile.teslaMate,
      basis: "the program's database schema"),
    app(
      "streaks", "Streaks", "CSV export: one event for each completed task and day.", TableProfile.streaks),
    app("exist", "Exist", "JSON archive: one event per day with a value of an attribute.", TableProfile.exist),
    app(
      "track-and-graph", "Track & Graph", "CSV export: one event for each data point.", [.trackAndGraph],
      basis: "the program's source", convert: AppConversions.trackAndGraph),
    InterchangeFormat(
      "jrnl", "jrnl", "Journal in plain text: one Journal event per entry.", reads: .events,
      basis: "the program's documentation", recognise: { Jrnl.isBeginning(of: $0) },
      read: { input, options, body in try Jrnl.read(input, options, body) }),
    InterchangeFormat(
      "org", "Org mode", "Clock lines of an Org file: one event per clock.", reads: .events,
      basis: "the manual of Org mode", recognise: { OrgClocks.isBeginning(of: $0) },
      read: { input, options, body in try OrgClocks.read(input, options, body) }),
    InterchangeFormat(
      "home-assistant", "Home Assistant", "History as CSV: events for states, and daily averages for numbers.",
      reads: .events, basis: "the program's source", recognise: { HomeAssistant.isBeginning(of: $0) },
      read: { input, options, body in try HomeAssistant.read(input, options, body) }),
  ]

  private static func app(
    _ word: String, _ name: String, _ summary: String, _ profiles: [TableProfile],
    basis: String = "public importers; no real file", convert: AppTables.Conversion? = nil
  ) -> InterchangeFormat {
    InterchangeFormat(
      word, name, summary, reads: profiles.contains { $0.kind == .trip } ? [.events, .trips] : .events, basis: basis,
      app: AppTables(profiles: profiles, convert: convert))
  }
}
