import TrendyFoundation
import TrendyModels

/// Reads Watson frames from its `frames` file or the output of `watson log --json`.
enum Watson {
  static func isBeginning(of head: ArraySlice<UInt8>) -> Bool {
    let head = head.withoutLeadingSpace
    guard head.first == UInt8(ascii: "[") else { return false }
    let second = head.dropFirst().drop { $0.isSpace }
    if second.first == UInt8(ascii: "[") {
      // The file starts like `[[1772352000, 1772355600, "project", …`.
      let frame = second.dropFirst().drop { $0.isSpace }
      let numbers = frame.prefix {
        (0x30...0x39).contains($0) || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ".") || $0.isSpace
      }
      let parts = numbers.split(separator: UInt8(ascii: ",")).filter { $0.contains { !$0.isSpace } }
      return parts.count == 2 && frame.dropFirst(numbers.count).first == UInt8(ascii: "\"")
    }
    guard let members = JSONOutline(head)?.members else { return false }
    return ["id", "project", "start", "stop", "tags"].allSatisfy { members[$0] != nil }
  }

  static func read(_ input: ByteInput, _ options: ImportOptions, _ body: InterchangeFormat.Handler) throws {
    try withoutActuallyEscaping(body) { body in
      try JSONWalker.walk(input) { _ in
        .each
      } _: { _, value, place in
        try body(record(value, options), place)
      } onBroken: { reason, place in
        try body(.bad(reason: reason), place)
      }
    }
  }

  private static func record(_ value: JSONValue, _ options: ImportOptions) -> InterchangeRecord {
    let fields =
      value.arrayValue
      ?? [value["start"], value["stop"], value["project"], value["id"], value["tags"]]
      .map { $0 ?? .null }
    guard fields.count >= 4, let start = fields[0].moment, let stop = fields[1].moment,
      let project = fields[2].stringValue, let id = fields[3].stringValue, !id.isEmpty
    else { return .bad(reason: "a frame needs a start, stop, project and id") }
    let name = project.isEmpty ? "Time entry" : project
    guard var event = ExternalEvent(span: start, stop, type: name, key: ["watson", id], options) else {
      return .bad(reason: "the stop is before the start")
    }
    event.isKeyUnique = true
    let tags = (fields.count > 4 ? fields[4].arrayValue ?? [] : []).compactMap(\.stringValue)
    event.hints = tags.map { $0.lowercased() }
    if !tags.isEmpty { event.properties["tags"] = .text(tags.joined(separator: ", ")) }
    return .event(event)
  }
}
