import TrendyFoundation
import TrendyModels

/// Reads a Daylio backup: an archive with base64-encoded JSON in `backup.daylio`. Each entry becomes a `Mood` event.
enum DaylioBackup {
  /// Maximum size of `backup.daylio` in bytes. Pictures are in separate files.
  private static let limit = 64 << 20

  static func path(in files: ExportFiles) -> String? {
    files.paths.first { $0 == "backup.daylio" || $0.hasSuffix("/backup.daylio") }
  }

  static func read(_ files: ExportFiles, _ options: ImportOptions, _ body: InterchangeFormat.Handler) throws {
    guard let path = path(in: files) else { throw InterchangeError.unreadable(reason: "backup.daylio not found") }
    guard let bytes = try files.bytes(of: path, limit: limit) else {
      throw InterchangeError.unreadable(reason: "\(path) is larger than \(limit >> 20) MB")
    }
    let isPlain = bytes[...].withoutLeadingSpace.first == UInt8(ascii: "{")
    guard let content = isPlain ? Data(bytes) : Data(base64Encoded: Data(bytes), options: .ignoreUnknownCharacters)
    else { throw InterchangeError.unreadable(reason: "\(path) is neither base64 nor JSON") }
    guard let (_, file) = try JSONDocuments(Array(content)).values.first, let entries = file["dayEntries"]?.arrayValue
    else { throw InterchangeError.unreadable(reason: "\(path) has no dayEntries") }
    let moods = try moods(file["customMoods"]?.arrayValue ?? [], body)
    var tags: [Int64: String] = [:]
    for (index, tag) in (file["tags"]?.arrayValue ?? []).enumerated() {
      if let id = tag["id"]?.intValue, let name = tag["name"]?.stringValue {
        tags[id] = name
      } else {
        try body(.bad(reason: "an activity needs an id and a name"), "tags[\(index)]")
      }
    }
    for (index, entry) in entries.enumerated() {
      var check = FieldCheck()
      try body(record(entry, moods, tags, options, &check), "dayEntries[\(index)]")
      try check.report(at: "dayEntries[\(index)]", body)
    }
  }

  private struct Mood {
    var name: String
    /// Level from 1 (worst) to 5 (best), if known.
    var level: Int?
  }

  private static func moods(_ list: [JSONValue], _ body: InterchangeFormat.Handler) throws -> [Int64: Mood] {
    let names = ["rad", "good", "meh", "bad", "awful"]
    var moods: [Int64: Mood] = [:]
    for (index, mood) in list.enumerated() {
      let place = "customMoods[\(index)]"
      guard let id = mood["id"]?.intValue else {
        try body(.bad(reason: "a mood needs an id"), place)
        continue
      }
      var check = FieldCheck()
      func number(_ name: String) -> Int? { check.read(name, mood[name]) { $0.intValue.flatMap { Int(exactly: $0) } } }
      let predefined = number("predefined_name_id") ?? 0
      let group = number("mood_group_id") ?? (predefined == 0 ? nil : predefined)
      try check.report(at: place, body)
      let own = mood["custom_name"]?.stringValue ?? ""
      let name = !own.isEmpty ? own : (1...5).contains(predefined) ? names[predefined - 1] : "mood \(id)"
      moods[id] = Mood(name: name, level: group.flatMap { (1...5).contains($0) ? 6 - $0 : nil })
    }
    return moods
  }

  private static func record(
    _ entry: JSONValue, _ moods: [Int64: Mood], _ tags: [Int64: String], _ options: ImportOptions,
    _ check: inout FieldCheck
  ) -> InterchangeRecord {
    guard let moment = check.read("datetime", entry["datetime"], { $0.moment }) ?? local(entry, options) else {
      return .bad(reason: "an entry needs a datetime")
    }
    let milliseconds = Int64((moment.timeIntervalSince1970 * 1000).rounded())
    let id = check.read("id", entry["id"]) { $0.intValue }.map { "\($0)" } ?? ""
    var event = ExternalEvent(typeName: "Mood", key: ["daylio-backup", id, "\(milliseconds)"], timestamp: moment)
    event.timeZone = options.zone.name
    if let mood = check.read("mood", entry["mood"], { $0.intValue }) {
      let known = moods[mood]
      event.properties["mood"] = .select(known?.name ?? "mood \(mood)")
      if let level = known?.level { event.properties["level"] = .number(level) }
    }
    let activities = (entry["tags"]?.arrayValue ?? []).compactMap { tag in
      check.read("activity", tag) { $0.intValue.flatMap { tags[$0] } }
    }
    if !activities.isEmpty { event.properties["activities"] = .text(activities.joined(separator: ", ")) }
    let texts = [entry["note_title"], entry["note"]].compactMap { $0?.stringValue }.map {
      CellText.withoutMarkup($0)
    }
    let note = texts.filter { !$0.isEmpty }.joined(separator: "\n")
    event.notes = note.isEmpty ? nil : note
    return .event(event)
  }

  /// Parses an entry's local date and time. Months count from 0.
  private static func local(_ entry: JSONValue, _ options: ImportOptions) -> Date? {
    func field(_ name: String, _ range: ClosedRange<Int64>) -> Int? {
      entry[name]?.intValue.flatMap { range.contains($0) ? Int($0) : nil }
    }
    guard let year = field("year", 1...9999), let month = field("month", 0...11).map({ $0 + 1 }),
      let day = field("day", 1...Int64(CivilDate.days(inMonth: month, ofYear: year))), let hour = field("hour", 0...23),
      let minute = field("minute", 0...59)
    else { return nil }
    return options.zone.date(CivilDate(year: year, month: month, day: day), secondOfDay: hour * 3600 + minute * 60)
  }
}
