import TrendyFoundation
import TrendyModels

/// Reads an archive from Loop Habit Tracker: `Habits.csv`, and `001 Name/Checkmarks.csv` for each habit.
///
/// Folders are matched to habits by number, because folder names lack characters that a file system may not support.
/// The table of all habits in the top-level folder is ignored, because a comma in a habit's name shifts the columns of
/// that table.
struct LoopReader {
  /// Maximum number of days in a habit's history: about 270 years.
  private static let maxDays = 100_000

  private struct Habit {
    var position: Int
    var type: ExternalType
    /// Whether the habit counts a number. `nil` for archives from version 2.3.0 and earlier, which lack this
    /// information.
    var isNumerical: Bool?
  }

  private let files: ExportFiles
  private let options: ImportOptions
  /// Folder that contains `Habits.csv`, with a trailing slash, or an empty string for the top-level folder.
  private let root: String

  /// Returns the path of `Habits.csv`, which may be in a subfolder, or `nil` if the file does not exist.
  static func table(in files: ExportFiles) throws -> String? {
    try files.paths.first { path in
      guard path == "Habits.csv" || path.hasSuffix("/Habits.csv") else { return false }
      let head = try files.beginning(of: path, count: 4096)
      return head[...].withoutLeadingSpace.starts(with: Array("Position,Name,".utf8))
    }
  }

  /// Opens an archive. Throws ``InterchangeError`` if the files are not a Loop archive.
  init(_ files: ExportFiles, _ options: ImportOptions) throws {
    guard let path = try Self.table(in: files) else {
      throw InterchangeError.unreadable(reason: "Habits.csv of Loop not found")
    }
    self.files = files
    self.options = options
    root = String(path.dropLast("Habits.csv".count))
  }

  func read(_ body: InterchangeFormat.Handler) throws {
    var folders = checkmarks()
    let habits = try habits(body)
    guard !folders.isEmpty || habits.isEmpty else {
      throw InterchangeError.unreadable(
        reason:
          "habit folders such as '001 Meditate' are missing: import the complete archive of Loop")
    }
    for (habit, place) in habits {
      guard let path = folders.removeValue(forKey: habit.position) else {
        try body(.skip(what: "habit that was not selected for the export"), place)
        continue
      }
      try body(.type(habit.type), place)
      try read(path, of: habit.type.name, isNumerical: habit.isNumerical, body)
    }
    for (_, path) in folders.sorted(by: { $0.key < $1.key }) {
      let folder = path.dropFirst(root.count).prefix { $0 != "/" }
      let name = FieldText.trim(folder.drop { $0.isNumber })
      try read(path, of: name.isEmpty ? String(folder) : name, isNumerical: nil, body)
    }
  }

  /// Returns the path of each habit's history by the number of its folder.
  private func checkmarks() -> [Int: String] {
    var found: [Int: String] = [:]
    for path in files.paths where path.hasPrefix(root) && path.hasSuffix("/Checkmarks.csv") {
      let parts = path.dropFirst(root.count).split(separator: "/")
      guard parts.count == 2, let number = Int(parts[0].prefix { $0.isASCII && $0.isNumber }) else { continue }
      found[number] = path
    }
    return found
  }

  private func habits(_ body: InterchangeFormat.Handler) throws -> [(Habit, place: String)] {
    let path = root + "Habits.csv"
    var rows = try TableRows(ByteInput(from: try files.open(path)))
    let header = try rows.next()?.cells.map { $0.lowercased() } ?? []
    var found: [(Habit, place: String)] = []
    while let (line, cells) = try rows.next() {
      func cell(_ names: String...) -> String? {
        names.lazy.compactMap { header.firstIndex(of: $0) }.first.flatMap { $0 < cells.count ? cells[$0] : nil }
      }
      let place = "\(path), line \(line)"
      guard let position = cell("position").flatMap({ Int($0) }), let name = cell("name"), !name.isEmpty else {
        try body(.bad(reason: "a habit needs a position and a name"), place)
        continue
      }
      var check = FieldCheck()
      for (name, text) in [
        ("frequency", cell("frequencynumerator", "numrepetitions")),
        ("frequency", cell("frequencydenominator", "interval")), ("target value", cell("target value")),
      ] {
        if let text, !text.isEmpty, FieldText.number(text) == nil { check.report(name, text) }
      }
      let type = cell("type")
      let often = Self.goal(
        times: cell("frequencynumerator", "numrepetitions"), days: cell("frequencydenominator", "interval"),
        isNumerical: type == "NUMERICAL", target: cell("target value"), isAtMost: cell("target type") == "AT_MOST")
      let color = cell("color")
      if let color, !color.isEmpty, ExternalType(name: name, colorHex: color).colorHex == nil {
        check.report("color", color)
      }
      try check.report(at: place, body)
      found.append(
        (
          Habit(
            position: position,
            type: ExternalType(name: name, colorHex: color, goal: cell("archived?") == "true" ? nil : often),
            isNumerical: type.map { $0 == "NUMERICAL" }), place
        ))
    }
    return found
  }

  /// Returns the goal of a habit, or `nil` if its frequency is neither daily nor weekly.
  private static func goal(
    times: String?, days: String?, isNumerical: Bool, target: String?, isAtMost: Bool
  ) -> Goal? {
    guard let times = times.flatMap({ Int($0) }), let days = days.flatMap({ Int($0) }), times > 0 else { return nil }
    let isDaily = times == days
    guard isDaily || days == 7 else { return nil }
    guard isNumerical else { return isDaily ? Goal(1, per: .day) : Goal(times, per: .week) }
    guard let amount = target.flatMap({ FieldText.number($0) }), amount == amount.rounded(),
      (isAtMost ? 0...1e6 : 1...1e6).contains(amount), isDaily || times == 1
    else { return nil }
    return Goal(isAtMost ? .atMost : .atLeast, Int(amount), per: isDaily ? .day : .week)
  }

  private func read(
    _ path: String, of name: String, isNumerical: Bool?, _ body: InterchangeFormat.Handler
  ) throws {
    var rows = try TableRows(ByteInput(from: try files.open(path)))
    var days: [(line: Int, cells: [String])] = []
    while let row = try rows.next() {
      if row.cells.first?.lowercased() == "date" { continue }
      guard days.count < Self.maxDays else {
        try body(.bad(reason: "a habit can have at most \(Self.maxDays) days"), "\(path), line \(row.line)")
        break
      }
      days.append(row)
    }
    // Archives from old versions do not contain the habit's kind. Treat values above 3 as amounts, because checkmarks
    // are at most 3.
    let isNumerical = isNumerical ?? days.contains { ($0.cells.count > 1 ? Int($0.cells[1]) ?? 0 : 0) > 3 }
    for (line, cells) in days {
      try read(cells, of: name, isNumerical: isNumerical, { try body($0, "\(path), line \(line)") })
    }
  }

  private func read(
    _ cells: [String], of name: String, isNumerical: Bool, _ body: (InterchangeRecord) throws -> Void
  ) throws {
    guard let day = cells.first.flatMap({ CivilDate($0) }) else {
      return try body(.bad(reason: "'\((cells.first ?? "").prefix(40))' is not a date"))
    }
    guard cells.count > 1, let value = Self.value(cells[1], isNumerical: isNumerical) else {
      return try body(.bad(reason: "'\(cells.dropFirst().first?.prefix(40) ?? "")' is not a checkmark"))
    }
    let note = cells.count > 2 && !cells[2].isEmpty ? cells[2] : nil
    let start = options.zone.date(day)
    switch value {
    case .nothing: try body(.skip(what: note == nil ? "missed day" : "note on a missed day"))
    case .covered: try body(.skip(what: "day covered by the frequency"))
    case .skipped:
      try body(.dayOff(ExternalSkip(typeName: name, key: ["loop", name, "\(day)"], days: day...day, note: note)))
    case .done, .amount:
      var event = ExternalEvent(typeName: name, key: ["loop", name, "\(day)"], timestamp: start)
      event.isAllDay = true
      event.timeZone = options.zone.name
      event.notes = note
      event.sameness = .day(amount: 1)
      if case .amount(let amount) = value {
        event.sameness = .day(amount: amount)
        event.properties["count"] = amount == amount.rounded() ? .number(Int(amount)) : .number(amount)
      }
      try body(.event(event))
    }
  }

  private enum Checkmark: Equatable {
    case nothing
    /// The habit was neither done nor due, because enough other days were done to meet its frequency.
    case covered
    case skipped
    case done
    case amount(Double)
  }

  /// Parses a cell. Returns `nil` for a value that Loop has never written.
  private static func value(_ text: String, isNumerical: Bool) -> Checkmark? {
    switch text {
    case "SKIP", "3": return .skipped
    case "NO", "UNKNOWN", "0", "-1": return .nothing
    case "YES_MANUAL", "2": return isNumerical ? .amount(0.002) : .done
    case "YES_AUTO", "1": return isNumerical ? .amount(0.001) : .covered
    default:
      // Amounts are in thousandths. An amount of a billion or more is invalid.
      guard isNumerical, let number = Int64(text), number > 0, number < 1_000_000_000_000 else { return nil }
      return .amount(Double(number) / 1000)
    }
  }
}
