import TrendyFoundation
import TrendyModels

/// Converts a JSON array of objects to a table with a column for each member.
///
/// Members of nested objects become columns such as `location latitude`. Lists of texts become one text. Other lists
/// are counted as skipped.
struct JSONTable {
  /// Maximum size of the file in bytes.
  private static let limit = 256 << 20

  private var names: [String] = []
  private var indices: [String: Int] = [:]
  private var rows: [(place: String, cells: [Int: String])] = []
  private var lists: [String: Int] = [:]

  /// Reads the objects in an array of the document.
  ///
  /// - Parameters:
  ///   - input: JSON text.
  ///   - array: Name of the member that is the array. Empty if the document is the array or a single object.
  ///   - body: Receives problems.
  init(_ input: ByteInput, array: String, _ body: InterchangeFormat.Handler) throws {
    guard let bytes = try input.rest(limit: Self.limit) else {
      throw InterchangeError.unreadable(reason: "larger than \(Self.limit >> 20) MB")
    }
    if array.isEmpty, bytes[...].withoutLeadingSpace.first == UInt8(ascii: "{") {
      for (place, value) in try JSONDocuments(bytes).values { add(value, at: place.isEmpty ? "the record" : place) }
      try report(body)
      return
    }
    let others = try JSONElements.read(ByteInput(bytes), arrays: [array]) { array, index, bytes in
      let place = "\(array)[\(index)]"
      guard let value = JSONValue(element: bytes), value.objectValue != nil else {
        return try body(.bad(reason: "not a JSON object"), place)
      }
      add(value, at: place)
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
  }

  private mutating func add(_ object: JSONValue, at place: String) {
    var cells: [Int: String] = [:]
    add(object, "", &cells)
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
      names.append(name)
      indices[name] = index
    }
    cells[index] = text
  }

  /// The table as CSV.
  var csv: [UInt8] {
    var text = TableText.line(names)
    for row in rows { text += TableText.line(names.indices.map { row.cells[$0] ?? "" }) }
    return Array(text.utf8)
  }

  /// Position of each row in the file.
  var places: [String] { rows.map(\.place) }
}
