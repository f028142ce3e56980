import TrendyFoundation
import TrendyModels

/// Lossless format of this product, with one JSON object per line. See `docs/formats.md`.
public enum TrendyNDJSON: Sendable {
  /// First line of a file, without the line break.
  public static let header = "{\"record\":\"trendy\",\"schema\":\"trendy.export/1\"}"

  /// Returns the line for a record with its line break, or `nil` for records that the format does not support.
  public static func line(_ record: InterchangeRecord) throws -> String? {
    var members: [String: JSONValue]
    switch record {
    case .entity(let kind, let id, let fields):
      members = fields
      members["record"] = .string(kind.rawValue)
      members["id"] = .string(id)
    case .fix(let fix, let device):
      members = reading("fix", fix.timestamp, device)
      members["lat"] = .double(fix.coordinate.latitude)
      members["lon"] = .double(fix.coordinate.longitude)
      if fix.horizontalAccuracy >= 0 { members["accuracy"] = .double(fix.horizontalAccuracy) }
      members["altitude"] = fix.altitude.map { .double($0) }
      members["speed"] = fix.speed.map { .double($0) }
      members["course"] = fix.course.map { .double($0) }
    case .motion(let motion, let device):
      members = reading("motion", motion.timestamp, device)
      members["state"] = .string(motion.state.rawValue)
      members["confidence"] = .int(Int64(motion.confidence.rawValue))
    case .call(let kind, let time, let device):
      members = reading("call", time, device)
      members["call"] = .string(kind)
    case .note(let kind, let id, let time, let content, let device):
      members = reading("note", time, device)
      members["note"] = .string(kind)
      members["id"] = .string(id)
      members["content"] = .string(Data(content).base64EncodedString())
    case .event, .type, .property, .dayOff, .track, .path, .skip, .bad: return nil
    }
    return String(decoding: try WireJSON.encode(JSONValue.object(members)), as: UTF8.self) + "\n"
  }

  private static func reading(_ name: String, _ time: Date, _ device: String) -> [String: JSONValue] {
    ["record": .string(name), "device": .string(device), "time": .string(RFC3339.string(from: time))]
  }

  static func isBeginning(of head: ArraySlice<UInt8>) -> Bool {
    guard let outline = JSONOutline(head.prefix { $0 != 0xA }) else { return false }
    return outline.members["record"] != nil
  }

  static func read(_ input: ByteInput, _ body: (InterchangeRecord, String) throws -> Void) throws {
    var number = 0
    while let (line, isWhole) = try input.line(limit: 1 << 24) {
      number += 1
      let text = number == 1 ? Array(line[...].withoutLeadingSpace) : line
      guard text.contains(where: { !$0.isSpace }) else { continue }
      let place = "line \(number)"
      guard isWhole else {
        try body(.bad(reason: "the line is longer than 16 MiB"), place)
        continue
      }
      let value: JSONValue
      do {
        value = try WireJSON.decode(JSONValue.self, from: Data(text))
      } catch {
        try body(.bad(reason: "incomplete or invalid JSON"), place)
        continue
      }
      if let record = record(value) { try body(record, place) }
    }
  }

  private static func record(_ value: JSONValue) -> InterchangeRecord? {
    guard var members = value.objectValue, let name = members.removeValue(forKey: "record")?.stringValue else {
      return .bad(reason: "missing 'record'")
    }
    let id = members["id"]?.stringValue
    let time = members["time"]?.stringValue.flatMap { RFC3339.date(from: $0) }
    let device = members["device"]?.stringValue
    switch name {
    case "trendy":
      let schema = members["schema"]?.stringValue ?? ""
      return schema == "trendy.export/1" ? nil : .bad(reason: "format '\(schema)' requires a newer version of trendy")
    case "fix":
      guard let time, let device, let latitude = members["lat"]?.doubleValue,
        let longitude = members["lon"]?.doubleValue,
        Coordinate(latitude: latitude, longitude: longitude).isValid
      else { return .bad(reason: "a fix needs a device, time, lat and lon") }
      return .fix(
        Location(
          coordinate: Coordinate(latitude: latitude, longitude: longitude),
          horizontalAccuracy: members["accuracy"]?.doubleValue ?? -1, timestamp: time,
          altitude: members["altitude"]?.doubleValue, speed: members["speed"]?.doubleValue,
          course: members["course"]?.doubleValue), device: device)
    case "motion":
      guard let time, let device, let state = members["state"]?.stringValue.flatMap(MotionState.init(rawValue:)),
        let confidence = members["confidence"]?.intValue.flatMap({ MotionActivity.Confidence(rawValue: Int($0)) })
      else { return .bad(reason: "a motion sample needs a device, time, state and confidence") }
      return .motion(MotionActivity(state: state, confidence: confidence, timestamp: time), device: device)
    case "call":
      guard let time, let device, let kind = members["call"]?.stringValue else {
        return .bad(reason: "a trip command needs a device, time and call")
      }
      return .call(kind: kind, time: time, device: device)
    case "note":
      guard let time, let device, let id, let kind = members["note"]?.stringValue,
        let content = members["content"]?.stringValue.flatMap({ Data(base64Encoded: $0) })
      else { return .bad(reason: "a note needs a device, time, note, id and content") }
      return .note(kind: kind, id: id, time: time, content: Array(content), device: device)
    default:
      guard let kind = MutationEntityType(rawValue: name) else {
        return .bad(reason: "unknown kind of record '\(name)'")
      }
      guard let id, WireIdentifier.isValid(id) else { return .bad(reason: "missing or invalid 'id'") }
      members.removeValue(forKey: "id")
      return .entity(kind: kind, id: id, fields: members)
    }
  }
}
