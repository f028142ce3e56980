import TrendyFoundation
import TrendyModels

/// Converts a JSON array of objects to a table with a column for each member.
///
/// Members of nested objects become columns such as `location latitude`. Lists of texts become one text. Other lists
/// are counted as skipped.
struct JSONTable {
  /// Maximum number of columns.
  private static let columnLimit = 1000

  private var names: [String] = []
  private var indices: [String: Int] = [:]
  private var rows: [(place: String, cells: [Int: String])] = []
  private var lists: [String: Int] = [:]
  /// Number of values beyond ``columnLimit``.
  private var leftOut = 0

  /// Reads the objects in an array of the document.
  ///
  /// - Parameters:
  ///   - input: JSON text.
  ///   - array: Name of the member that is the array. Empty if the document is the array or a single object.
  ///   - body: Receives problems.
  init(_ input: ByteInput, array: String, _ body: InterchangeFormat.Handler) throws {
    let bytes = try input.whole()
    if array.isEmpty, bytes[...].withoutLeadingSpace.first == UInt8(ascii: "{") {
      let documents = try JSONDocuments(bytes)
      for (place, value) in documents.values { try add(value, at: place.isEmpty ? "the record" : place, body) }
      for problem in documents.problems { try body(.bad(reason: problem.reason), problem.place) }
      try report(body)
      return
    }
    let others = try JSONElements.read(ByteInput(bytes), arrays: [array]) { array, index, bytes in
      let place = "\(array)[\(index)]"
      guard let value = JSONValue(element: bytes), value.objectValue != nil else {
        return try body(.bad(reason: "not a JSON object"), place)
      }
      try add(value, at: place, body)
    }
    for name in others where name != "metadata" {
      try body(.skip(what: "unknown member '\(name.prefix(40))'"), "the file")
    }
    try report(body)
  }

  private func report(_ body: InterchangeFormat.Handler) throws {
    for (name, count) in lists.sorted(by: { $0.key < $1.key }) {
      try body(.skip(what: "list '\(name.prefix(60))'", count: count), "the file")
    }
    if leftOut > 0 {
      try body(.skip(what: "value with a name after the first \(Self.columnLimit)", count: leftOut), "the file")
    }
  }

  private mutating func add(_ object: JSONValue, at place: String, _ body: InterchangeFormat.Handler) throws {
    var cells: [Int: String] = [:]
    add(object, "", &cells)
    guard cells.values.contains(where: { !$0.isEmpty }) else {
      return try body(.bad(reason: "the record is empty"), place)
    }
    rows.append((place, cells))
  }

  private mutating func add(_ value: JSONValue, _ name: String, _ cells: inout [Int: String]) {
    switch value {
    case .object(let members):
      for (key, value) in members.sorted(by: { $0.key < $1.key }) {
        add(value, name.isEmpty ? key : "\(name) \(key)", &cells)
      }
    case .array(let list):
      let texts = list.compactMap(\.stringValue)
      if texts.count == list.count {
        set(texts.joined(separator: ", "), name, &cells)
      } else if !list.isEmpty, list.allSatisfy({ $0["metricName"]?.stringValue != nil }) {
        // Totals of a session in Google Fit.
        for total in list {
          add(total["floatValue"] ?? total["intValue"] ?? .null, total["metricName"]?.stringValue ?? "", &cells)
        }
      } else {
        lists[name, default: 0] += 1
      }
    case .null: break
    case .bool(let value): set(value ? "true" : "false", name, &cells)
    case .int(let value): set("\(value)", name, &cells)
    case .double(let value): set("\(value)", name, &cells)
    case .string(let text): set(text, name, &cells)
    }
  }

  private mutating func set(_ text: String, _ name: String, _ cells: inout [Int: String]) {
    let index = indices[name] ?? names.count
    if index == names.count {
      guard index < Self.columnLimit else {
        leftOut += 1
        return
      }
      names.append(name)
      indices[name] = index
    }
    cells[index] = text
  }

  /// The table as CSV, and the positions of its rows in the file by the line on which the row begins.
  var table: (input: ByteInput, places: [Int: String]) {
    var text = "sep=,\r\n" + TableText.line(names)
    var places: [Int: String] = [:]
    var line = 2 + Self.lineCount(of: names)
    for row in rows {
      places[line] = row.place
      text += TableText.line(names.indices.map { row.cells[$0] ?? "" })
      line += Self.lineCount(of: row.cells.values)
    }
    return (ByteInput(Array(text.utf8)), places)
  }

  private static func lineCount(of cells: some Sequence<String>) -> Int {
    cells.reduce(1) { $0 + $1.count(where: \.isLineBreak) }
  }
}

extension Character {
  /// Whether the character ends a line of a table. A CR before an LF is one character with it.
  fileprivate var isLineBreak: Bool { self == "\n" || self == "\r" || self == "\r\n" }
}
