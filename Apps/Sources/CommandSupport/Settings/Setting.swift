import TrendyModels

/// Declarations of all settings.
public enum Setting: Sendable {
  // MARK: User

  public static let dayStartsAt = SettingSpec(
    "day_starts_at", .clock, of: .user, standard: "00:00",
    help: "start of the day; earlier entries belong to the previous day")
  public static let weekStartsOn = SettingSpec(
    "week_starts_on",
    .oneOf(["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]), of: .user,
    standard: "monday", help: "first day of the week")
  public static let hours = SettingSpec(
    "hours", .oneOf(["12", "24"]), of: .user,
    help: "time format: 8:30 pm or 20:30; default: set by the locale")
  public static let units = SettingSpec(
    "units", .oneOf(["metric", "imperial"]), of: .user, standard: "metric",
    help: "unit of distances: km or mi")
  public static let tripStop = SettingSpec(
    TripStop.key, .oneOf(TripStop.allCases.map(\.rawValue)), of: .user, isInRecordAlone: true,
    standard: TripStop.standard.rawValue, help: "duration of a stop that ends a trip")

  // MARK: Machine

  public static let store = SettingSpec("store", .path, help: "folder of the store")
  public static let color = SettingSpec(
    "color", .oneOf(["auto", "always", "never"]), standard: "auto",
    help: "when to use colours; auto: only on a terminal")
  public static let listLimit = SettingSpec(
    "list_limit", .number(0...Int.max), standard: "50", help: "maximum number of events in 'list'; 0 for all")
  public static let pager = SettingSpec(
    "pager", .oneOf(["on", "off"]), standard: "off", help: "show lists in $PAGER, as --pager does")
  public static let progressAfter = SettingSpec(
    "progress_after", .number(0...3600), standard: "1",
    help: "seconds before a progress line is shown")
  public static let status = SettingSpec("status", .path, help: "status file of the agent")

  // MARK: Daemon

  public static let role = SettingSpec(
    "role", .oneOf(["agent", "hub", "both"]), standard: "agent", help: "role of 'trendyd run'")
  public static let poll = SettingSpec(
    "poll", .duration(1...86_400), standard: "1m",
    help: "interval between syncs of the agent while there are no changes")
  public static let log = SettingSpec("log", .path, help: "log file of the daemon; default: standard error")
  public static let logFormat = SettingSpec(
    "log_format", .oneOf(["text", "json"]), help: "format of the log; default: text")
  public static let logLevel = SettingSpec(
    "log_level", .oneOf(["debug", "info", "warning", "error"]), standard: "info", help: "minimum level of the log")
  public static let hooks = SettingSpec(
    "hooks", .path, help: "folder of hooks; default: 'hooks' next to this file")
  public static let ingest = SettingSpec(
    "ingest", .endpoint, help: "address at which the agent accepts posts from trackers; default: none")
  public static let gpsd = SettingSpec("gpsd", .text, help: "read positions from gpsd at host[:port]")
  public static let nmea = SettingSpec("nmea", .text, help: "read positions from an NMEA receiver at path[@baud]")
  public static let exportEvery = SettingSpec(
    "export_every", .duration(3600...366 * 86_400), help: "interval of scheduled exports; default: none")
  public static let exportTo = SettingSpec("export_to", .path, help: "folder of scheduled exports")
  public static let exportFormat = SettingSpec(
    "export_format", .oneOf(exportFormats), standard: "ndjson", help: "format of scheduled exports")
  public static let exportKeep = SettingSpec(
    "export_keep", .number(1...Int.max), standard: "14", help: "number of scheduled exports to keep")

  /// Export format names, as in `trendy export`.
  public static let exportFormats = [
    "ndjson", "csv", "json", "ics", "loop", "gpx", "geojson", "kml", "owntracks-rec", "mileage", "report",
  ]

  public static let hubData = SettingSpec("hub_data", .path, help: "folder of the hub")
  public static let storage = SettingSpec(
    "storage", .text, help: "database of the hub, postgres://…; default: as in 'hub init'")
  public static let listen = SettingSpec(
    "listen", .endpoint, help: "address of the hub; default: as in 'hub init'")
  public static let host = SettingSpec(
    "host", .list, help: "host names of the hub; default: as in 'hub init'")
  public static let proxy = SettingSpec(
    "proxy", .list, help: "trusted reverse proxies of the hub; default: as in 'hub init'")
  public static let tiles = SettingSpec(
    "tiles", .text, help: "map tiles of the dashboard, a folder or an https address; default: none")
  public static let tilesCredit = SettingSpec("tiles_credit", .text, help: "attribution of the map tiles")
  public static let limit = SettingSpec(
    "limit", .list, help: "limits of the hub as name=value; default: as in 'hub init'")

  /// All settings in display order.
  public static let all = [
    dayStartsAt, weekStartsOn, hours, units, tripStop, store, color, listLimit, pager, progressAfter, status, role,
    poll, log, logFormat, logLevel, hooks, ingest, gpsd, nmea, exportEvery, exportTo, exportFormat, exportKeep,
    hubData, storage, listen, host, proxy, tiles, tilesCredit, limit,
  ]

  public static let keys = all.map(\.key)

  /// Settings that determine where data is stored or sent. Commands do not run if one of them is invalid.
  static let deciding = [store, role, hooks, ingest, exportTo, hubData, storage, listen, host, proxy, tiles]

  /// Returns the setting with the given key.
  /// - Throws: ``CommandError`` with exit 64 if no setting has this key. Its hint suggests a similar key.
  public static func named(_ key: String) throws(CommandError) -> SettingSpec {
    guard let spec = all.first(where: { $0.key == key }) else { throw unknown(key) }
    return spec
  }

  static func unknown(_ key: String) -> CommandError {
    CommandError(
      "Setting '\(key)' not found",
      hint: Suggestion.nearest(to: key, among: keys).map { "Did you mean '\($0)'?" }
        ?? "List all settings: trendy config list", exit: .usage)
  }
}
