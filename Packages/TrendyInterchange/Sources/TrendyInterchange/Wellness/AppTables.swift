import TrendyFoundation
import TrendyModels

/// Reads the tables and JSON files of one program. Each file has one of several known layouts.
struct AppTables: Sendable {
  /// Converts a file to the table that a profile describes, and reports what the table does not contain.
  typealias Conversion = @Sendable (ByteInput, InterchangeFormat.Handler) throws -> [UInt8]

  let profiles: [TableProfile]
  var convert: Conversion?

  /// Returns the layout of a JSON file, given its beginning.
  func jsonProfile(_ head: ArraySlice<UInt8>) -> TableProfile? {
    let head = head.withoutLeadingSpace
    guard profiles.contains(where: { $0.jsonArray != nil }), let outline = JSONOutline(head) else { return nil }
    let names = (Array(outline.members.keys) + outline.innerMembers).map(TableHeader.normal)
    return profiles.first { profile in
      guard let array = profile.jsonArray, profile.matches(names),
        profile.allows(outline.members.keys.map(TableHeader.normal)), !Self.statesTimes(outline, profile)
      else { return false }
      return array.isEmpty || head.first == UInt8(ascii: "{")
    }
  }

  /// Whether the first object has a time of day, which an object that describes a day does not have.
  private static func statesTimes(_ outline: JSONOutline, _ profile: TableProfile) -> Bool {
    let names = [TableProfile.Role.start, .startDate].flatMap { profile.roles[$0] ?? [] }
    return profile.isDayRow
      && outline.members.contains { name, text in
        names.contains(TableHeader.normal(name)) && (DateStyle.yearFirst.read(text)?.secondOfDay ?? 0) != 0
      }
  }

  /// Reads a file. Measurements of which each day is to become one event are added to `values`.
  ///
  /// - Parameter path: Path of the file. Some layouts differ only in the names of the files.
  func read(
    _ input: ByteInput, _ options: ImportOptions, path: String?, _ values: inout DailyValues,
    _ body: InterchangeFormat.Handler
  ) throws {
    var profile: TableProfile
    var table = input
    var places: [Int: String] = [:]
    if let json = jsonProfile(try input.peek(1 << 16)) {
      profile = json
      let rows = try JSONTable(input, array: json.jsonArray ?? "", body)
      (table, places) = rows.table
    } else if let convert, let only = profiles.first {
      profile = only
      table = ByteInput(try convert(ByteInput(try input.whole()), body))
    } else {
      let header = EventTableReader.header(of: try input.peek(1 << 16))
      guard let header, let found = profiles.first(where: { $0.jsonArray == nil && $0.matches(header) }) else {
        throw InterchangeError.unreadable(reason: "no header of a known layout")
      }
      profile = found
    }
    if profile.typeName == nil, profile.roles[.type] == nil { try name(&profile, options, path) }
    let layout = profile.required.joined(separator: ",")
    func place(_ line: String) -> String {
      Int(line.drop { !$0.isNumber }).flatMap { places[$0] } ?? line
    }
    try EventTableReader.read(table, options, as: profile) { record, line in
      if case .event(let event) = record, let statistic = profile.daily {
        guard !values.add(event, statistic, format: profile.word, layout: layout, options) else { return }
        return try body(.bad(reason: "the row has no number, or a value that is not a number"), place(line))
      }
      try body(record, place(line))
    }
  }

  /// Files of Fitbit with one value per local date. The times in the other files are in UTC.
  private static let localDays: Set<String> = [
    "sedentary minutes", "lightly active minutes", "moderately active minutes", "very active minutes",
    "time in heart rate zones", "demographic vo2 max",
  ]

  /// Derives the event type from the name of the file, such as `resting_heart_rate-2026-03-01.json`.
  private func name(_ profile: inout TableProfile, _ options: ImportOptions, _ path: String?) throws {
    let file = (path ?? "").split(separator: "/").last ?? ""
    var words = file.prefix { $0 != "-" && $0 != "." }.lowercased().split { $0 == "_" || $0 == " " }
      .prefix { $0.first?.isLetter == true }
    if words.count > 1, words.first == "data" { words.removeFirst() }
    let text = words.joined(separator: " ")
    // The type that the user chose may select one of several files.
    guard let type = text.isEmpty ? options.typeName : text.prefix(1).uppercased() + text.dropFirst() else {
      throw InterchangeError.undecided(.type, reason: "the file does not state what its values are")
    }
    profile.typeName = type
    profile.renamed["value"] = TableProfile.Column(type.lowercased().replacing(" ", with: "_"))
    guard profile.daily != nil else { return }
    let averaged: Set<Substring> = ["rate", "temperature", "altitude", "vo2", "oxygen"]
    if !averaged.isDisjoint(with: words) { profile.daily = .average }
    if Self.localDays.contains(text) { profile.isUTC = false }
  }
}

extension ByteInput {
  /// Maximum size in bytes of a file that is converted to a table in memory.
  private static let tableLimit = 64 << 20

  /// Returns all bytes of a file that is converted to a table.
  func whole() throws -> [UInt8] {
    guard let bytes = try rest(limit: Self.tableLimit) else {
      throw InterchangeError.unreadable(reason: "larger than \(Self.tableLimit >> 20) MB")
    }
    return bytes
  }
}

/// Tables that spreadsheets cannot open as they are.
enum AppConversions {
  /// Sleep as Android: each night has its own header, whose later columns are times of day.
  static func sleepAsAndroid(_ input: ByteInput, _ body: InterchangeFormat.Handler) throws -> [UInt8] {
    var rows = try TableRows(input)
    var text = ""
    var width = 0
    var (samples, noises) = (0, 0)
    while let (line, cells) = try rows.next() {
      if let problem = rows.problem { try body(.bad(reason: problem), "line \(line)") }
      if cells[0].lowercased() == "id" {
        width = cells.firstIndex { $0.first?.isNumber == true || $0 == "Event" } ?? cells.count
        if text.isEmpty { text = TableText.line(Array(cells.prefix(width))) }
      } else if cells[0].isEmpty {
        noises += 1
      } else {
        samples += cells.dropFirst(width).count { !$0.isEmpty }
        text += TableText.line(Array(cells.prefix(width)))
      }
    }
    if samples > 0 { try body(.skip(what: "movement or event of a night", count: samples), "the file") }
    if noises > 0 { try body(.skip(what: "row with noise levels", count: noises), "the file") }
    return Array(text.utf8)
  }

  /// Track & Graph: a value is a number or a duration, and a label may follow it after a colon.
  static func trackAndGraph(_ input: ByteInput, _ body: InterchangeFormat.Handler) throws -> [UInt8] {
    var rows = try TableRows(input)
    guard let header = try rows.next()?.cells,
      let column = header.firstIndex(where: { TableHeader.normal($0) == "value" })
    else { throw InterchangeError.unreadable(reason: "no column Value") }
    let labelColumn = header.firstIndex { TableHeader.normal($0) == "label" }
    var text = TableText.line(header + ["Duration"] + (labelColumn == nil ? ["Label"] : []))
    while let (line, cells) = try rows.next() {
      if let problem = rows.problem { try body(.bad(reason: problem), "line \(line)") }
      var cells = cells + [String](repeating: "", count: max(0, header.count - cells.count))
      let extra = cells.dropFirst(header.count)
      cells = Array(cells.prefix(header.count))
      let parts = cells[column].split(separator: ":", omittingEmptySubsequences: false).map(String.init)
      let isDuration = parts.count >= 3 && parts.prefix(3).allSatisfy { FieldText.number($0) != nil }
      let label = parts.dropFirst(isDuration ? 3 : 1).joined(separator: ":")
      cells[column] = isDuration ? "" : parts[0]
      if let labelColumn { cells[labelColumn] = cells[labelColumn].isEmpty ? label : cells[labelColumn] }
      cells.append(isDuration ? parts.prefix(3).joined(separator: ":") : "")
      text += TableText.line(cells + (labelColumn == nil ? [label] : []) + extra)
    }
    return Array(text.utf8)
  }
}
