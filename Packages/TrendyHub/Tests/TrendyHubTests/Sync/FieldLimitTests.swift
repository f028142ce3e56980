import Foundation
import Testing
import TrendyHub
import TrendyModels
import TrendyTesting

/// The parser accepts larger values than any field. A value beyond its field's limit causes one mutation to be refused,
/// not the whole push.
@Suite("Limits of fields at the hub", .timeLimit(.minutes(10)))
struct FieldLimitTests {
  private static func nested(_ depth: Int) -> JSONValue { (0..<depth).reduce(1) { value, _ in .array([value]) } }

  /// Returns the members of an event. Each character of its note takes two bytes in JSON.
  private static func event(_ id: String, noteBytes: Int, depth: Int) -> [String: JSONValue] {
    [
      "id": .string(id), "event_type_id": "t", "timestamp": "2024-01-01T08:00:00.000Z",
      "notes": .string(String(repeating: "\n", count: noteBytes)),
      "properties": ["deep": ["type": "text", "value": nested(depth)]],
    ]
  }

  private static func byField(_ sequence: Int64, _ members: [String: JSONValue]) -> JSONValue {
    var fields: [String: JSONValue] = [:]
    for (name, value) in members where name != "id" {
      if let properties = value.objectValue, name == "properties" {
        for (key, value) in properties { fields["properties.\(key)"] = ["value": value, "base": 0, "stamp": 1] }
      } else {
        fields[name] = ["value": value, "base": 0, "stamp": 1]
      }
    }
    return [
      "id": .string("m\(sequence)"), "seq": .int(sequence), "entity_type": "event", "entity_id": members["id"] ?? .null,
      "operation": "create", "fields": .object(fields),
    ]
  }

  @Test func `values at the limits are accepted, and a value beyond refuses only its mutation`() async throws {
    let hub = try TestHub()
    try await hub.makeType()
    let longest = SyncedKind.maximumTextBytes
    let deepest = SyncedKind.maximumNesting
    let answer = try await hub.push([
      Self.byField(1, Self.event("most", noteBytes: longest, depth: deepest)),
      Self.byField(2, Self.event("long", noteBytes: longest + 1, depth: 0)),
      Self.byField(3, Self.event("deep", noteBytes: 0, depth: deepest + 1)),
      TestHub.mutation(4, "create", "event", "plain", .object(Self.event("plain", noteBytes: longest, depth: deepest))),
      TestHub.mutation(5, "create", "event", "last", .object(Self.event("last", noteBytes: 1, depth: 1))),
    ])
    #expect(answer.status == 200)
    let outcomes = answer["outcomes"].arrayValue ?? []
    #expect(outcomes.map { $0["status"] } == ["accepted", "refused", "refused", "accepted", "accepted"])
    #expect(outcomes[1]["problem"]["detail"].stringValue?.contains("notes: expected a string of up to 262144") == true)
    #expect(outcomes[2]["problem"]["detail"].stringValue?.contains("properties.deep: expected at most") == true)
    #expect(try await hub.changes().changes.count == 4, "what was stored is read back")
  }

  @Test func `plain writes have the same limits`() async throws {
    let hub = try TestHub()
    try await hub.makeType()
    let longest = SyncedKind.maximumTextBytes
    let most = Self.event("most", noteBytes: longest, depth: SyncedKind.maximumNesting)
    #expect(try await hub.send("POST", "/events", .object(most)).status == 201)
    let long = try await hub.send(
      "PATCH", "/events/most", ["notes": .string(String(repeating: "x", count: longest + 1))])
    #expect(long.status == 400 && long["detail"].stringValue?.hasPrefix("notes: ") == true)
    var large = Self.event("large", noteBytes: 0, depth: 0)
    large["properties"] = .object(
      Dictionary(
        uniqueKeysWithValues: (0..<5).map {
          ("p\($0)", ["type": "text", "value": .string(String(repeating: "x", count: longest))])
        }))
    let answer = try await hub.send("POST", "/events", .object(large))
    #expect(answer.status == 400 && answer["detail"].stringValue?.contains("1048576 bytes") == true)
  }
}
