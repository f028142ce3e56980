/// What the columns of a kind of table hold, by their names.
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

    /// Roles of which a table of fixes has all.
    static let places: Set<String> = [Role.latitude.rawValue, Role.longitude.rawValue]
  }

  /// As ``InterchangeFormat/word``, the first part of the keys of its events.
  var word: String
  /// In lower case, the first that is there counts.
  var roles: [Role: [String]]
  /// Columns without which a table is of another kind.
  var required: [String]
  /// Those of a later form of it.
  var requiredLater: [String]?
  /// Where no column names the type.
  var typeName: String?
  /// The type of rows whose cell for it is empty.
  var typeIfEmpty: String?
  /// Columns that are no property.
  var ignored: Set<String> = []
  /// Columns that are cut into a list at ` | ` and joined again with commas.
  var lists: Set<String> = []
  /// Columns that take one of few values.
  var selects: Set<String> = []
  /// The column of how much of a habit was done; a row of nothing is no event.
  var amount: String?
  /// Rows are events of an earlier export of this product, under their own ids.
  var isOwn = false
  /// Notes hold HTML.
  var hasMarkup = false

  /// Whether a header, in lower case, is of this kind.
  func matches(_ header: [String]) -> Bool {
    let header = Set(header)
    return [required, requiredLater].contains {
      $0.map { !$0.isEmpty && $0.allSatisfy { header.contains($0) } } == true
    }
  }

  /// Whether a column of a header, in lower case, is named as one of times.
  func namesTime(_ header: [String]) -> Bool {
    [Role.start, .startDate].contains { role in
      roles[role]?.contains { name in header.contains { $0 == name || TableHeader.base($0) == name } } == true
    }
  }

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
    // A person chooses which columns are written beside these.
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

  /// Its value is a colour that drifts, and not a count.
  static let habitica = TableProfile(
    word: "habitica", roles: [.type: ["task name"], .start: ["date"]],
    required: ["task name", "task id", "task type", "date", "value"], ignored: ["task id", "value"])

  /// Any other table, by what its columns are called in several languages.
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

  static let all = [own, originalTrendy, daylio, toggl, clockify, habitBull, habitica]
}
