import Foundation
import TrendyHub
import TrendyModels

let moment = Date(timeIntervalSince1970: 1_704_067_200)

func field(_ value: JSONValue, _ version: Int64) -> HubField {
  HubField(value: value, version: version, stamp: version * 1000, author: "d")
}

/// Returns a valid entry. Events and property definitions refer to the type `t`.
func entry(_ kind: String, _ id: String, version: Int64, isDeleted: Bool = false) -> HubEntry {
  var fields: [String: HubField] = [:]
  if kind == "event" || kind == "property_definition" { fields["event_type_id"] = field("t", version) }
  if kind == "event" { fields["timestamp"] = field("2024-01-01T00:00:00.000Z", version) }
  return HubEntry(
    kind: kind, id: id, version: version, deletedAt: isDeleted ? moment : nil, createdAt: moment,
    updatedAt: moment.addingTimeInterval(Double(version)), createdVersion: version, fields: fields)
}

func expect<Value: Equatable>(
  _ found: Value, _ expected: Value, file: StaticString = #fileID, line: UInt = #line
) throws {
  guard found != expected else { return }
  throw ContractViolation("\(file):\(line): expected \(expected), found \(found)")
}

/// Random number generator with the same sequence on every run.
struct Scrambler: RandomNumberGenerator {
  private var state: UInt64 = 1

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ state >> 33
  }
}

/// Returns an entry with values of all JSON kinds, including re-offered and cleared fields.
func scrambled(version: Int64, _ generator: inout Scrambler) -> HubEntry {
  let values: [JSONValue] = [
    .null, "", "a \u{0} \" \\ / é \u{1F600} \u{2028}", 0, -7, .int(.max), .int(.min), 0.1, -1e300, true, false, [],
    [1, [nil, "x"]], [:], ["id": "x", "*": [1]],
  ]
  let names = [
    "notes", "timestamp", "event_type_id", "unknown", "*x", "", "properties.a", "properties.a.b", "properties.",
    "properties.id", "name", "options",
  ]
  func pick<Element>(_ elements: [Element], _ generator: inout Scrambler) -> Element {
    elements[Int.random(in: elements.indices, using: &generator)]
  }
  var fields: [String: HubField] = [:]
  for _ in 0..<Int.random(in: 1...8, using: &generator) {
    fields[pick(names, &generator)] = HubField(
      value: pick(values, &generator), version: Int64.random(in: 1...3, using: &generator),
      stamp: pick([0, 1, 1_704_067_200_123, SyncRange.stamp.upperBound], &generator),
      author: pick(["d", "e \""], &generator),
      isReoffered: Bool.random(using: &generator))
  }
  func date(_ generator: inout Scrambler) -> Date {
    Date(timeIntervalSince1970: Double(Int64.random(in: 0...4_000_000_000_000, using: &generator)) / 1000)
  }
  return HubEntry(
    kind: pick(["event", "event_type", "conflict"], &generator), id: "e\(Int.random(in: 0...20, using: &generator))",
    version: version, incarnation: Int64.random(in: 0...2, using: &generator),
    deletedAt: Bool.random(using: &generator) ? date(&generator) : nil, createdAt: date(&generator),
    updatedAt: date(&generator), createdVersion: pick([1, version], &generator),
    restoration: pick(
      [nil, HubRestoration(version: 2, author: nil), HubRestoration(version: 3, author: "d")], &generator),
    fields: fields)
}
