/// Column names of a known kind of table.
struct TableProfile: Sendable {
  enum Role: String, CaseIterable, Sendable {
    case id
    case type
    case start
    case startDate = "start-date"
    case startTime = "start-time"
    case end
    case endDate = "end-date"
    case endTime = "end-time"
    case duration
    case isAllDay = "all-day"
    case note
    case title
    case source
    case externalId = "external-id"
    case place
    case latitude
    case longitude
    case zone

    /// Roles of the coordinate columns, which tables of positions must have.
    static let places: Set<String> = [Role.latitude.rawValue, Role.longitude.rawValue]
  }

  enum Kind: Sendable {
    case event
    case workout
    case trip
  }

  /// Property to which a column is converted.
  struct Column: Sendable, ExpressibleByStringLiteral {
    var name: String
    /// Factor for numbers without a unit.
    var factor = 1.0
    /// Whether the property is a duration, with `factor` seconds as the unit of numbers.
    var isDuration = false
    /// Texts for the values that the program writes, such as numbers of sports.
    var words: [String: String] = [:]

    init(_ name: String, times factor: Double = 1, words: [String: String] = [:]) {
      self.name = name
      self.factor = factor
      self.words = words
    }

    init(_ name: String, seconds: Double) {
      self.name = name
      factor = seconds
      isDuration = true
    }

    init(stringLiteral name: String) { self.init(name) }
  }

  /// Name of the format (``InterchangeFormat/word``), which is also the first part of the natural keys of its events.
  var word: String
  /// Possible column names for each role, in lower case. The first name found in the table is used.
  var roles: [Role: [String]]
  /// Columns that identify this kind of table. All these columns must be present.
  var required: [String]
  var requiredLater: [String]?
  /// Event type of all rows if no column contains the type.
  var typeName: String?
  /// Event type of rows whose type is empty.
  var typeIfEmpty: String?
  /// Columns that are not imported as properties.
  var ignored: Set<String> = []
  /// Columns with lists separated by ` | `, which are imported as text separated by commas.
  var lists: Set<String> = []
  /// Columns with few distinct values, which are imported as selections.
  var selects: Set<String> = []
  /// Properties for columns, if the name of the property differs from the name of the column.
  var renamed: [String: Column] = [:]
  /// Whether only the columns in ``renamed`` become properties. The others are counted as skipped.
  var isSelective = false
  /// Column and the values of the rows to import. The other rows are counted as skipped.
  var only: (column: String, values: Set<String>)?
  /// Statistic with which the rows of a day become one event.
  var daily: DailyValues.Statistic?
  /// Whether each row describes a day, so that the date identifies the event.
  var isDayRow = false
  /// Whether rows whose values are all 0 or missing are skipped.
  var skipsZero = false
  /// Property that identifies the event within its day.
  var dayKey: String?
  /// Whether times without an offset are in UTC.
  var isUTC = false
  /// Whether `3/4` is the third of April, if the program always writes dates in one order.
  var isDayFirst: Bool?
  /// Decimal separator, if the program always writes the same one.
  var decimalSign: DecimalSign?
  /// Unit of the column of durations.
  var durationUnit: DurationUnit?
  /// Kind of events that are compared with those of other sources.
  var kind = Kind.event
  /// Member of a JSON document that contains the rows. Empty if the document is the array or a single object. `nil` for
  /// a table.
  var jsonArray: String?
  /// Maximum number of columns.
  var mostColumns = Int.max
  /// Whether tables with other columns than those in ``required``, ``renamed`` and ``ignored`` are of another kind. In
  /// JSON, members of nested objects do not count.
  var isClosed = false
  /// Whether the program always writes the UTC offset of a time.
  var needsOffset = false
  /// Column with the amount of a habit. Rows with an amount of 0 are skipped.
  var amount: String?
  /// Whether this product exported the table, so that events keep their ids.
  var isOwn = false
  /// Whether notes contain HTML.
  var hasMarkup = false

  /// Whether a header, with names in lower case, belongs to this kind of table.
  func matches(_ header: [String]) -> Bool {
    guard header.count <= mostColumns else { return false }
    let header = Set(header)
    return [required, requiredLater].contains {
      $0.map { !$0.isEmpty && $0.allSatisfy { header.contains($0) } } == true
    }
  }

  /// Whether a table belongs to this kind.
  func matches(_ table: TableHeader) -> Bool {
    matches(table.normalized) && allows(table.normalized) && (!needsOffset || table.hasOffsets)
  }

  /// Whether this kind of table can have all these columns.
  func allows(_ names: [String]) -> Bool {
    !isClosed || Set(names).isSubset(of: ignored.union(required).union(renamed.keys))
  }

  /// Whether a header, with names in lower case, has a column for the start time.
  func namesTime(_ header: [String]) -> Bool {
    [Role.start, .startDate].contains { role in
      roles[role]?.contains { name in header.contains { $0 == name || TableHeader.base($0) == name } } == true
    }
  }

  /// CSV written by `trendy export csv`.
  static let own = TableProfile(
    word: "csv",
    roles: [
      .id: ["id"], .type: ["type"], .start: ["start"], .end: ["end"], .isAllDay: ["all day"], .note: ["note"],
      .title: ["title"], .source: ["source"], .externalId: ["external id"], .place: ["place"],
      .latitude: ["latitude"], .longitude: ["longitude"], .zone: ["time zone"],
    ],
    required: ["id", "type", "start", "end", "all day", "note", "source"], isOwn: true)

  static let originalTrendy = TableProfile(
    word: "trendy-csv",
    roles: [
      .type: ["event type"], .start: ["timestamp"], .end: ["end date"], .isAllDay: ["all day"], .note: ["notes"],
      .source: ["source"], .title: ["original title"],
    ],
    required: ["event type", "timestamp", "all day"], ignored: ["created at", "updated at"])

  static let daylio = TableProfile(
    word: "daylio", roles: [.startDate: ["full date"], .startTime: ["time"], .note: ["note"], .title: ["note title"]],
    required: ["full date", "time", "mood", "activities"], typeName: "Mood", ignored: ["date", "weekday"],
    lists: ["activities"], selects: ["mood"], hasMarkup: true)

  static let toggl = TableProfile(
    word: "toggl",
    roles: [
      .type: ["project"], .startDate: ["start date"], .startTime: ["start time"], .endDate: ["stop date"],
      .endTime: ["stop time"], .duration: ["duration"], .note: ["description"],
    ],
    required: ["project", "description", "start date", "start time", "end date", "end time", "duration"],
    // Later exports contain the columns that the user selects. These columns are needed for an import.
    requiredLater: ["description", "start date", "start time", "stop date", "stop time"],
    typeIfEmpty: "Time entry", ignored: ["user", "member", "email", "end date", "end time"])

  static let clockify = TableProfile(
    word: "clockify",
    roles: [
      .type: ["project"], .startDate: ["start date"], .startTime: ["start time"], .endDate: ["end date"],
      .endTime: ["end time"], .note: ["description"],
    ],
    required: ["project", "description", "start date", "start time", "duration (h)"],
    requiredLater: ["project", "description", "group", "start date", "start time", "end date", "end time"],
    typeIfEmpty: "Time entry",
    ignored: [
      "user", "email", "group", "duration (h)", "duration (decimal)", "date of creation", "invoice id",
    ])

  static let habitBull = TableProfile(
    word: "habitbull", roles: [.type: ["habit name"], .startDate: ["calendar date"], .note: ["comment text"]],
    required: ["habit name", "calendar date", "value"], ignored: ["habit description", "value"], amount: "value")

  /// The value in this table is a score that changes over time, not an amount.
  static let habitica = TableProfile(
    word: "habitica", roles: [.type: ["task name"], .start: ["date"]],
    required: ["task name", "task id", "task type", "date", "value"], ignored: ["task id", "value"])

  /// Any other table, recognised by column names in several languages.
  static let any = TableProfile(
    word: "csv",
    roles: [
      .id: ["id", "uuid", "uid"],
      .type: [
        "type", "event", "event type", "activity type", "workout type", "exercise type", "sport", "sport type",
        "activity",
        "exercise", "workout", "habit", "habit name", "category", "kind", "aktivitätstyp", "aktivität", "sportart",
        "kategorie", "art", "activiteit", "categorie", "catégorie", "activité", "categoría", "actividad", "tipo",
        "attività",
        "categoria", "what", "was", "soort", "typ", "project", "projekt", "tracker", "name", "title", "subject", "task",
        "tag",
      ],
      .start: [
        "timestamp", "start", "start date", "start time", "start datetime", "start date time", "datetime", "date time",
        "date", "day", "when", "from", "started at", "started", "begin", "beginning", "created at", "logged at",
        "recorded at", "datum", "beginn", "startdatum", "startzeit", "zeitpunkt", "fecha", "inicio", "data", "inizio",
        "início", "date de début", "début", "dato", "calendar date", "time",
      ],
      .startTime: [
        "time", "start time", "start", "from", "begin", "clock", "time of day", "uhrzeit", "zeit", "beginn",
        "startzeit",
        "tijd", "begintijd", "hora", "heure", "ora", "inicio",
      ],
      .end: [
        "end", "stop", "until", "to", "end date", "end time", "end datetime", "end date time", "ended at", "ended",
        "finish",
        "finished at", "stopped at", "ende", "enddatum", "einde", "fin", "fine", "fim",
      ],
      .endTime: ["end time", "end", "to", "until", "stop", "finish", "ende", "endzeit", "einde", "eindtijd", "fin"],
      .duration: [
        "duration", "seconds", "minutes", "hours", "mins", "min", "hrs", "time spent", "elapsed time", "total time",
        "length of time", "dauer", "duur", "durée", "duree", "duración", "duracion", "durata", "duração", "minuten",
        "stunden", "uren",
      ],
      .isAllDay: ["all day", "is all day"],
      .note: [
        "note", "notes", "comment", "comments", "comment text", "description", "remarks", "notiz", "notizen",
        "bemerkung",
        "kommentar", "notitie", "opmerking", "commentaire", "nota", "notas", "comentario", "descripción",
        "beschreibung",
      ],
      .title: ["title", "activity name"],
      .place: ["place", "location", "location name", "venue", "ort", "plaats", "lieu", "lugar", "luogo"],
      .latitude: ["lat", "latitude"], .longitude: ["lon", "lng", "long", "longitude"],
      .zone: ["timezone", "time zone", "tz", "zone", "zeitzone", "tijdzone", "fuseau horaire", "zona horaria"],
    ],
    required: [])

  /// All known kinds, most specific first.
  static let all =
    [own, originalTrendy, daylio, toggl, clockify, habitBull, habitica]
    + InterchangeFormat.apps.flatMap { $0.app?.profiles ?? [] }.filter { $0.jsonArray == nil }
}
