import TrendyModels

/// The settings that there are.
public enum Setting: Sendable {
  // MARK: The person's

  public static let dayStartsAt = SettingSpec(
    "day_starts_at", .clock, of: .person, standard: "00:00",
    help: "when a day begins: what is recorded before belongs to the day before")
  public static let weekStartsOn = SettingSpec(
    "week_starts_on",
    .oneOf(["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]), of: .person,
    standard: "monday", help: "the first day of a week, as in 'this week'")
  public static let hours = SettingSpec(
    "hours", .oneOf(["12", "24"]), of: .person,
    help: "how times are shown: 8:30 pm or 20:30; by the locale where nothing is set")
  public static let units = SettingSpec(
    "units", .oneOf(["metric", "imperial"]), of: .person, standard: "metric",
    help: "how lengths are shown, and what a bare one is: km or mi")
  public static let tripStop = SettingSpec(
    TripStop.key, .oneOf(TripStop.allCases.map(\.rawValue)), of: .person, isInRecordAlone: true,
    standard: TripStop.standard.rawValue, help: "how long you stand still before a trip is over")

  // MARK: This machine's

  public static let store = SettingSpec("store", .path, help: "the folder of the store")
  public static let color = SettingSpec(
    "color", .oneOf(["auto", "always", "never"]), standard: "auto", help: "colours: auto is on a terminal")
  public static let listLimit = SettingSpec(
    "list_limit", .number(0...Int.max), standard: "50", help: "how many events 'list' shows; 0 for all")
  public static let pager = SettingSpec(
    "pager", .oneOf(["on", "off"]), standard: "off", help: "show lists with the program of PAGER, as --pager does")
  public static let progressAfter = SettingSpec(
    "progress_after", .number(0...3600), standard: "1",
    help: "seconds after which a terminal shows how far long work has come")
  public static let status = SettingSpec("status", .path, help: "the agent's status file")

  // MARK: The daemon's

  public static let role = SettingSpec(
    "role", .oneOf(["agent", "hub", "both"]), standard: "agent", help: "what 'trendyd run' is")
  public static let poll = SettingSpec(
    "poll", .duration(1...86_400), standard: "1m", help: "how often the agent asks the hub when nothing happens")
  public static let log = SettingSpec("log", .path, help: "the file of the daemon's log; the standard error if not set")
  public static let logFormat = SettingSpec(
    "log_format", .oneOf(["text", "json"]), help: "lines of words or JSON documents; text if not set")
  public static let logLevel = SettingSpec(
    "log_level", .oneOf(["debug", "info", "warning", "error"]), standard: "info", help: "what is logged at least")
  public static let hooks = SettingSpec(
    "hooks", .path, help: "the folder of hooks; 'hooks' beside this file if not set")
  public static let ingest = SettingSpec(
    "ingest", .endpoint, help: "where trackers post to the agent; nowhere if not set")
  public static let gpsd = SettingSpec("gpsd", .text, help: "take the fixes of gpsd at host[:port]")
  public static let nmea = SettingSpec("nmea", .text, help: "take the fixes of a receiver at path[@baud]")
  public static let exportEvery = SettingSpec(
    "export_every", .duration(3600...366 * 86_400), help: "how often the agent exports the record; never if not set")
  public static let exportTo = SettingSpec("export_to", .path, help: "the folder of these exports")
  public static let exportFormat = SettingSpec(
    "export_format", .oneOf(exportFormats), standard: "ndjson", help: "the form of these exports")
  public static let exportKeep = SettingSpec(
    "export_keep", .number(1...Int.max), standard: "14", help: "how many of these exports stay")

  /// The words of 'trendy export'.
  public static let exportFormats = [
    "ndjson", "csv", "json", "ics", "loop", "gpx", "geojson", "kml", "owntracks-rec", "mileage", "report",
  ]

  public static let hubData = SettingSpec("hub_data", .path, help: "the folder of the hub's storage")
  public static let storage = SettingSpec(
    "storage", .text, help: "the database of the hub, postgres://…; as 'hub init' was told if not set")
  public static let listen = SettingSpec(
    "listen", .endpoint, help: "where the hub listens; as 'hub init' was told if not set")
  public static let host = SettingSpec(
    "host", .list, help: "names under which the hub is asked; as 'hub init' was told if not set")
  public static let proxy = SettingSpec(
    "proxy", .list, help: "reverse proxies that the hub believes; as 'hub init' was told if not set")
  public static let tiles = SettingSpec(
    "tiles", .text, help: "tiles below the maps of the hub's pages, a folder or an https address; none if not set")
  public static let tilesCredit = SettingSpec("tiles_credit", .text, help: "who made these tiles; stands on the map")
  public static let limit = SettingSpec(
    "limit", .list, help: "limits of the hub as name=value; as 'hub init' was told if not set")

  /// In the order in which they are listed.
  public static let all = [
    dayStartsAt, weekStartsOn, hours, units, tripStop, store, color, listLimit, pager, progressAfter, status, role,
    poll, log, logFormat, logLevel, hooks, ingest, gpsd, nmea, exportEvery, exportTo, exportFormat, exportKeep,
    hubData, storage, listen, host, proxy, tiles, tilesCredit, limit,
  ]

  public static let keys = all.map(\.key)

  /// - Throws: ``CommandError`` with exit 64 that names a near miss.
  public static func named(_ key: String) throws(CommandError) -> SettingSpec {
    guard let spec = all.first(where: { $0.key == key }) else { throw unknown(key) }
    return spec
  }

  static func unknown(_ key: String) -> CommandError {
    CommandError(
      "There is no setting '\(key)'",
      hint: Suggestion.nearest(to: key, among: keys).map { "Did you mean '\($0)'?" }
        ?? "'trendy config list' shows all of them.", exit: .usage)
  }
}
