import TrendyFoundation
import TrendyModels

/// Reads backups from Nomie 3 to 6. Each `#tag` in a note becomes an event.
enum Nomie {
  private struct Tracker {
    var label: String
    var isTimer: Bool
    /// Key of the property for the tracker's numbers: `count` if Nomie sums them, `value` if Nomie averages them.
    var key: String
  }

  private static let kinds: Set<String> = ["tick", "value", "range", "timer", "picker", "note", "boolean"]

  static func isBeginning(of head: ArraySlice<UInt8>) -> Bool {
    let head = head.withoutLeadingSpace
    guard head.first == UInt8(ascii: "{"), let outline = JSONOutline(head) else { return false }
    return outline.members["nomie"] != nil
  }

  static func read(_ input: ByteInput, _ options: ImportOptions, _ body: InterchangeFormat.Handler) throws {
    let bytes = try input.rest()
    guard let (_, file) = try JSONDocuments(bytes).values.first else {
      throw InterchangeError.unreadable(reason: "the file is empty")
    }
    let version = (file["nomie"]?["number"] ?? file["nomie"]?["version"])?.stringValue ?? ""
    if let first = version.split(separator: ".").first, let number = Int(first), number < 3 {
      throw InterchangeError.unreadable(
        reason: "backups of Nomie \(number) are not supported: open it in Nomie 5 and create a new backup")
    }
    var trackers: [String: Tracker] = [:]
    for (tag, tracker) in file["trackers"]?.objectValue ?? [:] {
      let label = tracker["label"]?.stringValue ?? tag
      let kind = tracker["type"]?.stringValue
      if let kind, !kinds.contains(kind) {
        try body(.bad(reason: "unknown type of tracker '\(kind.prefix(40))'"), "trackers.\(tag)")
      }
      let isMean = kind == "range" || tracker["math"]?.stringValue == "mean"
      trackers[tag.lowercased()] = Tracker(
        label: label.isEmpty ? tag : label, isTimer: kind == "timer", key: isMean ? "value" : "count")
    }
    guard let logs = file["events"]?.arrayValue else {
      throw InterchangeError.unreadable(reason: "the backup has no notes (member 'events')")
    }
    for (index, log) in logs.enumerated() {
      try read(log, trackers, options) { try body($0, "events[\(index)]") }
    }
  }

  private static func read(
    _ log: JSONValue, _ trackers: [String: Tracker], _ options: ImportOptions,
    _ body: (InterchangeRecord) throws -> Void
  ) throws {
    guard let end = log["end"]?.moment else { return try body(.bad(reason: "a note needs an end time")) }
    let text = (log["note"] ?? log["notes"])?.stringValue ?? ""
    let id = log["_id"]?.stringValue ?? "\(Int64((end.timeIntervalSince1970 * 1000).rounded()))"
    var check = FieldCheck()
    let latitude = check.number("lat", in: log)
    let longitude = check.number("lng", in: log) ?? check.number("lon", in: log)
    for reason in check.reasons { try body(.bad(reason: reason)) }
    let words = NomieText(text)
    var tags = words.tags
    if tags.isEmpty {
      guard !FieldText.trim(text).isEmpty else { return try body(.skip(what: "note without text")) }
      tags = [NomieText.Tag(name: "", value: nil)]
    }
    for (index, tag) in tags.enumerated() {
      let tracker = trackers[tag.name.lowercased()]
      let name = tag.name.isEmpty ? "Note" : tracker?.label ?? tag.name
      var event = ExternalEvent(typeName: name, key: ["nomie", id, tag.name, "\(index)"], timestamp: end)
      event.isKeyUnique = true
      event.hints = [tag.name.lowercased()]
      event.timeZone = options.zone.name
      event.notes = text.isEmpty ? nil : text
      event.locationName = log["location"]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
      if let latitude, let longitude, latitude != 0 {
        let coordinate = Coordinate(latitude: latitude, longitude: longitude)
        if coordinate.isValid { event.coordinate = coordinate }
      }
      if !words.people.isEmpty { event.properties["people"] = .text(words.people.joined(separator: ", ")) }
      if !words.context.isEmpty { event.properties["context"] = .text(words.context.joined(separator: ", ")) }
      switch tag.value {
      case .number(let seconds, isTime: let isTime)? where isTime || tracker?.isTimer == true:
        if (0...1e7).contains(seconds) {
          event.timestamp = end.addingTimeInterval(-seconds)
          event.endDate = end
        }
      case .number(let number, isTime: _)?:
        event.properties[tracker?.key ?? "count"] = .number(integerIfWhole: number)
      case .text(let text)?: event.properties["value"] = .text(text)
      case nil: break
      }
      try body(.event(event))
    }
  }
}

/// Elements with a special meaning in a note: `#coffee(2)`, `@anna`, `+home`.
struct NomieText {
  enum Value: Equatable {
    case number(Double, isTime: Bool)
    case text(String)
  }

  struct Tag: Equatable {
    var name: String
    var value: Value?
  }

  private(set) var tags: [Tag] = []
  private(set) var people: [String] = []
  private(set) var context: [String] = []

  init(_ text: String) {
    var rest = text[...]
    var before: Character = " "
    while let mark = rest.popFirst() {
      defer { before = mark }
      guard "#@+".contains(mark), !before.isLetter, !before.isNumber else { continue }
      let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
      guard !name.isEmpty, tags.count < 1000 else { continue }
      rest = rest[name.endIndex...]
      switch mark {
      case "@": people.append(String(name))
      case "+": if name.first?.isNumber == false { context.append(String(name)) }
      default:
        var value: Value?
        if rest.first == "(", let close = rest.firstIndex(of: ")") {
          value = Self.value(rest[rest.index(after: rest.startIndex)..<close])
          rest = rest[rest.index(after: close)...]
        }
        tags.append(Tag(name: String(name), value: value))
      }
    }
  }

  /// Parses a number with or without a unit, a duration as `h:m:s` or `h:m`, or a sum. Other text is returned
  /// unchanged.
  private static func value(_ text: Substring) -> Value? {
    let text = FieldText.trim(text)
    guard !text.isEmpty else { return nil }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { FieldText.number($0) }
    if (2...3).contains(parts.count), parts.allSatisfy({ $0.map { $0 >= 0 } == true }) {
      let numbers = parts.compactMap(\.self)
      let seconds = numbers.reduce(0) { $0 * 60 + $1 }
      return .number(parts.count == 3 ? seconds : seconds * 60, isTime: true)
    }
    if let number = FieldText.number(text) { return .number(number, isTime: false) }
    let terms = text.split(separator: "+", omittingEmptySubsequences: false).map { FieldText.number($0) }
    if terms.count > 1, terms.allSatisfy({ $0 != nil }) {
      return .number(terms.compactMap(\.self).reduce(0, +), isTime: false)
    }
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == "." || $0 == "-") }
    if let number = FieldText.number(digits), text[digits.endIndex...].first.map({ $0 == " " || $0.isLetter }) == true {
      return .number(number, isTime: false)
    }
    return .text(text)
  }
}
