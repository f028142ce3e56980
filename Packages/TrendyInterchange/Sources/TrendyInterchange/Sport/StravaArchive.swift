import TrendyFoundation
import TrendyModels

/// Reads the archive of a Strava account: a table of activities with their uploaded files, or the table alone.
///
/// The header is in the language of the account, and Strava has added columns over the years. Columns are therefore
/// identified by position: the first seven, later columns that have the same names but contain exact values, and the
/// column with the path of the file.
struct StravaArchive {
  private static let trackLimit = 64 << 20

  /// Files of the archive, or `nil` to read only the table.
  private let files: ExportFiles?
  private let table: String
  /// Folder that contains the table, with a trailing slash.
  private let folder: String

  /// Finds the table among the files. Returns `nil` if there is no table or if the table does not refer to files.
  init?(_ files: ExportFiles) throws {
    for path in files.paths where path == "activities.csv" || path.hasSuffix("/activities.csv") {
      let folder = String(path.dropLast("activities.csv".count))
      let head = String(decoding: try files.beginning(of: path, count: 1 << 16), as: UTF8.self)
      guard head.contains("activities/") || files.paths.contains(where: { $0.hasPrefix(folder + "activities/") })
      else { continue }
      self.files = files
      table = path
      self.folder = folder
      return
    }
    return nil
  }

  private init() {
    files = nil
    table = "activities.csv"
    folder = ""
  }

  /// Whether a file starts like the table and contains an activity with the path of a file.
  static func isTable(_ head: ArraySlice<UInt8>) -> Bool {
    // An error ends the search: the content is not a table, or `head` ends within a row.
    guard var rows = try? TableRows(ByteInput(Array(head))), let header = try? rows.next(), Columns(header.cells) != nil
    else { return false }
    while let row = try? rows.next() {
      if row.cells[0].allSatisfy(\.isNumber), row.cells.contains(where: { $0.hasPrefix("activities/") }) { return true }
    }
    return false
  }

  /// Reads the activities of a table without their tracks.
  static func readTable(_ input: ByteInput, _ options: ImportOptions, _ body: InterchangeFormat.Handler) throws {
    try StravaArchive().read(input, options, body)
  }

  func read(_ options: ImportOptions, _ body: InterchangeFormat.Handler) throws {
    guard let files else { preconditionFailure("a single table has no files") }
    try read(ByteInput(from: try files.open(table)), options, body)
  }

  private func read(_ input: ByteInput, _ options: ImportOptions, _ body: InterchangeFormat.Handler) throws {
    var rows = try TableRows(input)
    guard let header = try rows.next(), let columns = Columns(header.cells) else {
      throw InterchangeError.unreadable(reason: "\(table) has no activity columns")
    }
    var named: Set<String> = [table]
    while let row = try rows.next() {
      let activity = Activity(row.cells, columns, options)
      let place = "\(table), line \(row.line)"
      if let file = activity.file { named.insert(folder + file) }
      guard let id = activity.id else {
        try body(.bad(reason: "invalid activity number '\(row.cells[0].prefix(24))'"), place)
        continue
      }
      let recorded = try recorded(activity, options, at: place, body)
      guard let workout = activity.workout(id, recorded, options) else {
        let date = row.cells.count > 1 ? row.cells[1] : ""
        try body(.bad(reason: "the date '\(date.prefix(40))' is invalid or ambiguous"), place)
        continue
      }
      try body(.event(workout.event), place)
      try activity.check.report(at: place, body)
    }
    let others = files?.paths.count { !named.contains($0) } ?? 0
    if others > 0 { try body(.skip(what: "file that is not an activity", count: others), "the archive") }
  }

  // MARK: Tracks

  /// Returns the content of an activity's file.
  ///
  /// Returns `nil` for an activity that the user entered manually, and for a missing or invalid file. Such a file is
  /// also reported to `body`.
  private func recorded(
    _ activity: Activity, _ options: ImportOptions, at place: String, _ body: InterchangeFormat.Handler
  ) throws -> ExternalEvent? {
    guard let file = activity.file else { return nil }
    let path = folder + file
    guard let files, files.contains(path) else {
      try body(.skip(what: "track missing from the archive"), place)
      return nil
    }
    do {
      return try recorded(path, of: files, activity, options) { try body($0, "\(path), \($1)") }
    } catch let error as InterchangeError {
      try body(.bad(reason: "cannot import \(path): \(error)"), place)
      return nil
    }
  }

  private func recorded(
    _ path: String, of files: ExportFiles, _ activity: Activity, _ options: ImportOptions,
    _ body: InterchangeFormat.Handler
  ) throws -> ExternalEvent? {
    guard let bytes = try files.bytes(of: path, limit: Self.trackLimit) else {
      throw InterchangeError.unreadable(reason: "larger than \(Self.trackLimit >> 20) MB")
    }
    guard let format = InterchangeFormat.of(bytes.prefix(1 << 16)), format.isReadAsRecords else {
      var event = ExternalEvent(typeName: "", key: [], timestamp: .distantPast)
      let file = try TrackFile(reading: Array(bytes[...].withoutLeadingSpace))
      event.track = file.locations
      for problem in file.problems { try body(.bad(reason: problem.reason), problem.place) }
      let more = file.problemCount - file.problems.count
      if more > 0 { try body(.skip(what: "further problem with a track", count: more), "the file") }
      return event
    }
    var events: [ExternalEvent] = []
    try format.read(ByteInput(bytes), options) { record, place in
      switch record {
      case .event(let event): events.append(event)
      case .bad, .skip: try body(record, place)
      default: break
      }
    }
    // Several rows may refer to the same multisport file.
    guard let start = activity.date else { return events.first }
    return events.min { abs($0.timestamp.timeIntervalSince(start)) < abs($1.timestamp.timeIntervalSince(start)) }
  }
}

extension StravaArchive {
  private struct Columns {
    /// Elapsed time and moving time in seconds, and distance in metres, or in kilometres if the table has no metres.
    var elapsed = 5
    var moving: Int?
    var metres: Int?
    var kilometres: Int?
    var energy: Int?
    /// Whether the table has the old layout, whose first column is called `id`.
    var isOld: Bool

    init?(_ header: [String]) {
      guard header.count >= 8 else { return nil }
      isOld = header[0] == "id"
      let distance = header[6]
      if isOld { metres = 6 } else { kilometres = 6 }
      guard let second = header.indices.dropFirst(7).first(where: { header[$0] == header[5] }) else { return }
      elapsed = second
      if second + 2 < header.count, header[second + 2] == distance {
        moving = second + 1
        metres = second + 2
      }
      let energy = second + 19
      let words = ["alor", "カロリー", "卡路里", "칼로리", "калор"]
      if energy < header.count, words.contains(where: { header[energy].lowercased().contains($0) }) {
        self.energy = energy
      }
    }
  }

  private struct Activity {
    let id: String?
    let date: Date?
    let name: String
    let type: String
    let description: String
    /// Path relative to the table.
    let file: String?
    let elapsed: Double?
    let moving: Double?
    let metres: Double?
    let energy: Double?
    /// Cells that should contain numbers.
    let check: FieldCheck

    init(_ cells: [String], _ columns: Columns, _ options: ImportOptions) {
      func text(_ index: Int) -> String { index < cells.count ? FieldText.trim(cells[index]) : "" }
      var check = FieldCheck()
      func number(_ index: Int?, _ name: String) -> Double? {
        guard let index, !text(index).isEmpty else { return nil }
        let number = FieldText.number(text(index).replacing(",", with: "."))
        if number == nil { check.report(name, text(index)) }
        return number
      }
      let number0 = text(0)
      id = !number0.isEmpty && number0.utf8.allSatisfy { (0x30...0x39).contains($0) } ? number0 : nil
      date = StravaDate.read(text(1), isDayFirst: options.isDayFirst)
      name = text(2)
      type = text(3)
      description = text(4)
      file = cells.dropFirst(5).first { $0.hasPrefix("activities/") }
      elapsed = number(columns.elapsed, "elapsed time") ?? number(5, "elapsed time")
      moving = number(columns.moving, "moving time")
      metres = number(columns.metres, "distance") ?? number(columns.kilometres, "distance").map { $0 * 1000 }
      energy = number(columns.energy, "energy")
      if date == nil { check.report("date", text(1)) }
      self.check = check
    }

    func workout(_ id: String, _ recorded: ExternalEvent?, _ options: ImportOptions) -> ExternalWorkout? {
      guard let start = date ?? recorded?.track.first?.timestamp else { return nil }
      let end = elapsed.map { start.addingTimeInterval(min(max(0, $0), 1e7)) } ?? recorded?.track.last?.timestamp
      var workout = ExternalWorkout(key: ["strava", id], start: start, end: end ?? start)
      let known = Self.activities[type.lowercased()]
      let told = recorded?.properties["activity"]?.stringValue
      // If both names are unknown, use the name in the account's language.
      workout.activity = known ?? told ?? (type.isEmpty ? nil : type)
      workout.duration = moving ?? elapsed
      workout.distance = metres ?? recorded?.properties["distance"]?.doubleValue
      workout.energy = energy ?? recorded?.properties["energy"]?.doubleValue
      workout.title = name.isEmpty ? nil : name
      workout.notes = description.isEmpty ? nil : description
      workout.source = "Strava"
      workout.zone = recorded?.timeZone ?? options.zone.name
      workout.track = recorded?.track ?? []
      return workout
    }

    /// Strava's names for activities that Apple and Garmin name differently.
    private static let activities: [String: String] = [
      "ride": "Cycling", "virtual ride": "Cycling", "mountain bike ride": "Cycling", "gravel ride": "Cycling",
      "e-bike ride": "E-biking", "run": "Running", "virtual run": "Running", "trail run": "Running", "walk": "Walking",
      "hike": "Hiking", "swim": "Swimming", "weight training": "Strength training",
      "nordic ski": "Cross-country skiing",
      "alpine ski": "Alpine skiing", "snowboard": "Snowboarding", "ice skate": "Ice skating",
      "inline skate": "Inline skating", "snowshoe": "Snowshoeing", "sail": "Sailing", "surf": "Surfing",
      "workout": "Training",
    ]
  }
}

/// Parses activity dates, which are in UTC and formatted according to the account's language.
enum StravaDate {
  /// Parses a date. Returns `nil` if the date is invalid or the order of day and month is ambiguous. `isDayFirst` is
  /// `true` if `3/4` is the third of April, or `nil` if the order is unknown.
  static func read(_ text: String, isDayFirst: Bool?) -> Date? {
    if let date = RFC3339.date(from: text) { return date }
    guard let mark = text.firstIndex(of: ":") else { return nil }
    // The digits before the first colon are the hour.
    let before = text[..<mark]
    let hour = before.reversed().prefix { $0.isASCII && $0.isNumber }.count
    let start = text.index(mark, offsetBy: -hour)
    let clock = text[start...].prefix { $0.isASCII && $0.isNumber || $0 == ":" }
    let parts = clock.split(separator: ":").compactMap { Int($0) }
    guard parts.count >= 2, parts.count <= 3, let day = day(text[..<start], isDayFirst, isTwelveHours(text) != nil)
    else { return nil }
    var hours = parts[0]
    if let isAfternoon = isTwelveHours(text) {
      guard (1...12).contains(hours) else { return nil }
      hours = hours % 12 + (isAfternoon ? 12 : 0)
    }
    let second = parts.count == 3 ? parts[2] : 0
    guard hours < 24, parts[1] < 60, second < 61 else { return nil }
    return ZoneClock.utc.date(day, secondOfDay: hours * 3600 + parts[1] * 60 + second)
  }

  /// Returns whether the text marks a 12-hour time as after noon, or `nil` for a 24-hour clock.
  private static func isTwelveHours(_ text: String) -> Bool? {
    let text = text.lowercased().filter { $0 != "." && !$0.isWhitespace }
    if ["pm", "午後", "下午", "오후"].contains(where: { text.contains($0) }) { return true }
    return ["am", "午前", "上午", "오전"].contains { text.contains($0) } ? false : nil
  }

  private static func day(_ text: Substring, _ isDayFirst: Bool?, _ isTwelveHours: Bool) -> CivilDate? {
    let words = text.lowercased().split { !$0.isLetter }.map(String.init)
    let numbers = text.split { !($0.isASCII && $0.isNumber) }.compactMap { digits in
      Int(digits).map { (digits.count, $0) }
    }
    if numbers.count == 2, let month = words.lazy.compactMap({ month($0) }).first {
      return numbers[0].0 == 4 ? date(numbers[0].1, month, numbers[1].1) : date(numbers[1].1, month, numbers[0].1)
    }
    guard numbers.count == 3 else { return nil }
    let (first, second, third) = (numbers[0].1, numbers[1].1, numbers[2].1)
    if first > 31 { return date(first, second, third) }
    if text.contains(".") || first > 12 { return date(third, second, first) }
    if second > 12 || first == second { return date(third, first, second) }
    // If the order is ambiguous but the clock has 12 hours, assume that the month comes first.
    guard let isDayFirst = isDayFirst ?? (isTwelveHours ? false : nil) else { return nil }
    return isDayFirst ? date(third, second, first) : date(third, first, second)
  }

  private static func date(_ year: Int, _ month: Int, _ day: Int) -> CivilDate? {
    guard (1970...9999).contains(year), (1...12).contains(month),
      (1...CivilDate.days(inMonth: month, ofYear: year)).contains(day)
    else { return nil }
    return CivilDate(year: year, month: month, day: day)
  }

  /// Returns the number of a month, found by the prefix of its name in a dozen languages.
  private static func month(_ word: String) -> Int? {
    months.firstIndex { $0.contains { word.hasPrefix($0) } }.map { $0 + 1 }
  }

  private static let months: [[String]] = [
    ["jan", "ene", "gen", "jän", "sty", "янв"], ["feb", "fév", "fev", "lut", "фев"],
    ["mar", "mär", "mrz", "mrt", "maa", "мар"], ["apr", "avr", "abr", "kwi", "апр"],
    ["may", "mai", "maj", "mag", "mei", "мая", "май"], ["jun", "juin", "giu", "cze", "июн"],
    ["jul", "juil", "lug", "lip", "июл"], ["aug", "aoû", "ago", "sie", "авг"], ["sep", "set", "wrz", "сен"],
    ["oct", "okt", "ott", "out", "paź", "окт"], ["nov", "lis", "ноя"], ["dec", "dez", "déc", "dic", "gru", "дек"],
  ]
}
