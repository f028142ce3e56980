import Foundation
import Testing
import TrendyModels
import TrendySync
import TrendyTesting

@Suite("Coalescing", .timeLimit(.minutes(10)))
struct CoalescingTests {
  private func mutation(
    _ id: String, _ operation: MutationOperation, of entityId: String = "evt-1", _ kind: MutationEntityType = .event,
    _ payload: JSONValue? = nil, sequence: Int64? = nil
  ) throws -> PendingMutation {
    PendingMutation(
      id: id, entityType: kind, entityId: entityId, operation: operation,
      payload: try payload.map { try WireJSON.encode($0) } ?? Data(), createdAt: DeterministicDate.jan1_2024,
      sequence: sequence)
  }

  private func create(_ id: String = "a", notes: JSONValue = "old", sequence: Int64? = nil) throws -> PendingMutation {
    try mutation(
      id, .create,
      of: "evt-1", .event,
      [
        "id": "evt-1", "event_type_id": "type-1", "timestamp": "2024-01-01T00:00:00.000Z", "notes": notes,
        "properties": ["a": ["type": "number", "value": 1], "b": ["type": "number", "value": 2]],
        "of_tomorrow": [1, nil],
      ], sequence: sequence)
  }

  private func payload(_ effect: Coalescing.Effect) throws -> [String: JSONValue] {
    guard case .merge(let merged) = effect else {
      Issue.record("expected a merge, found \(effect)")
      return [:]
    }
    return try WireJSON.decode([String: JSONValue].self, from: merged.payload)
  }

  @Test func `an update is merged into the pending create, which keeps its id, key and position`() throws {
    let create = try create()
    let update = try mutation("b", .update, of: "evt-1", .event, ["notes": "new"])
    let effect = try Coalescing.onMutation(update, queue: [create])
    guard case .merge(let merged) = effect else {
      Issue.record("\(effect)")
      return
    }
    #expect(merged.id == "a" && merged.idempotencyKey == "a" && merged.operation == .create)
    let request = try WireJSON.decode(CreateEventRequest.self, from: merged.payload)
    #expect(request.notes == "new")
    #expect(request.eventTypeId == "type-1")
    #expect(request.unknownFields["of_tomorrow"] == [1, nil])
  }

  @Test func `fields that an update clears are omitted from the create`() throws {
    let update = try mutation("b", .update, of: "evt-1", .event, ["notes": nil, "properties": ["a": nil]])
    let fields = try payload(Coalescing.onMutation(update, queue: [create()]))
    #expect(fields["notes"] == nil)
    #expect(fields["properties"] == ["b": ["type": "number", "value": 2]])
  }

  @Test func `merging two updates keeps absent, null and value distinct`() throws {
    let first = try mutation(
      "a", .update, of: "evt-1", .event,
      ["notes": "old", "end_date": nil, "properties": ["a": nil, "b": ["type": "text", "value": "x"]]])
    let second = try mutation(
      "b", .update, of: "evt-1", .event, ["notes": nil, "is_all_day": true, "properties": ["b": nil]])
    let fields = try payload(Coalescing.onMutation(second, queue: [first]))
    #expect(fields == ["notes": nil, "end_date": nil, "is_all_day": true, "properties": ["a": nil, "b": nil]])
  }

  @Test(
    "a merged update has the same effect as the separate updates",
    arguments: 1...40 as ClosedRange<UInt64>)
  func mergesLikeAll(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var separate = Event(id: "evt-1", eventTypeId: "type-1", timestamp: DeterministicDate.jan1_2024, notes: "first")
    separate.properties = ["a": PropertyValue(type: .number, value: 1)]
    let original = separate
    var queue: [PendingMutation] = []
    for index in 0..<8 {
      let before = separate
      switch Int.random(in: 0..<5, using: &generator) {
      case 0: separate.notes = Bool.random(using: &generator) ? nil : "note \(index)"
      case 1: separate.endDate = Bool.random(using: &generator) ? nil : DeterministicDate.jan1_2024 + Double(index)
      case 2:
        separate.properties["a"] =
          Bool.random(using: &generator) ? nil : PropertyValue(type: .number, value: .int(Int64(index)))
      case 3: separate.properties["b"] = Bool.random(using: &generator) ? nil : PropertyValue(type: .text, value: "x")
      default: separate.locationLatitude = Bool.random(using: &generator) ? nil : Double(index)
      }
      guard let request = separate.updateRequest(from: before) else { continue }
      let next = PendingMutation(
        id: "\(index)", entityType: .event, entityId: "evt-1", operation: .update,
        payload: try WireJSON.encode(request), createdAt: DeterministicDate.jan1_2024)
      switch try Coalescing.onMutation(next, queue: queue) {
      case .append: queue.append(next)
      case .merge(let merged): queue = [merged]
      case let effect: Issue.record("\(effect)")
      }
    }
    #expect(queue.count <= 1)
    var together = original
    for mutation in queue { together.apply(try WireJSON.decode(UpdateEventRequest.self, from: mutation.payload)) }
    #expect(together == separate)
  }

  @Test("edits and deletes are not merged into a sent create", arguments: [MutationOperation.update, .delete])
  func sentStays(operation: MutationOperation) throws {
    let next = try mutation("b", operation, of: "evt-1", .event, operation == .delete ? nil : ["notes": "new"])
    #expect(try Coalescing.onMutation(next, queue: [create(sequence: 1)]) == .append)
  }

  @Test(
    "an update that changes a reference is not coalesced",
    arguments: ["event_type_id", "geofence_id", "event_type_entry_id", "event_type_exit_id"])
  func referencesStandAlone(field: String) throws {
    let plain = try mutation("a", .update, of: "evt-1", .event, ["notes": "old"])
    let move = try mutation("b", .update, of: "evt-1", .event, [field: "other"].asJSON)
    let later = try mutation("c", .update, of: "evt-1", .event, ["notes": "new"])
    #expect(try Coalescing.onMutation(move, queue: [create()]) == .append)
    #expect(try Coalescing.onMutation(move, queue: [plain]) == .append)
    #expect(try Coalescing.onMutation(later, queue: [move]) == .append)
  }

  @Test func `an update that clears a reference is not coalesced`() throws {
    let plain = try mutation("a", .update, of: "evt-1", .event, ["notes": "old"])
    let cleared = try mutation("b", .update, of: "evt-1", .event, ["geofence_id": nil])
    #expect(try Coalescing.onMutation(cleared, queue: [plain]) == .append)
  }

  @Test func `the delete of an unsent create cancels both`() throws {
    let create = try create()
    #expect(try Coalescing.onMutation(mutation("b", .delete), queue: [create]) == .cancel(create))
  }

  @Test func `an unsent create that a pending mutation refers to is kept with its delete`() throws {
    let create = try mutation("a", .create, of: "type-9", .eventType, ["id": "type-9"])
    let move = try mutation("b", .update, of: "evt-1", .event, ["event_type_id": "type-9"])
    let delete = try mutation("c", .delete, of: "type-9", .eventType)
    #expect(try Coalescing.onMutation(delete, queue: [create, move]) == .append)
    #expect(try Coalescing.onMutation(delete, queue: [create]) == .cancel(create))
  }

  @Test(
    "the create of an imported event is neither cancelled nor changed",
    arguments: [
      ["source_type": "imported"], ["source_type": "healthkit"], ["source_type": "trip"], ["external_id": "x"],
      ["healthkit_sample_id": "x"],
    ] as [[String: JSONValue]])
  func importsStay(fields: [String: JSONValue]) throws {
    let imported = try mutation("a", .create, of: "evt-1", .event, .object(fields))
    #expect(try Coalescing.onMutation(mutation("b", .delete), queue: [imported]) == .append)
    let update = try mutation("c", .update, of: "evt-1", .event, ["notes": "new"])
    #expect(try Coalescing.onMutation(update, queue: [imported]) == .append)
    #expect(try Coalescing.onMutation(imported, queue: [imported]) == .drop)
  }

  @Test func `a delete moves to the end of the queue and removes earlier edits`() throws {
    let edit = try mutation("a", .update, of: "evt-1", .event, ["notes": "old"])
    let other = try mutation("b", .update, of: "evt-2", .event, ["notes": "old"])
    #expect(try Coalescing.onMutation(mutation("c", .delete), queue: [edit, other]) == .replace([edit]))
  }

  @Test func `a delete keeps earlier moves and sent mutations`() throws {
    let sent = try mutation("a", .update, of: "evt-1", .event, ["notes": "old"], sequence: 4)
    let move = try mutation("b", .update, of: "evt-1", .event, ["event_type_id": "type-2"])
    let edit = try mutation("c", .update, of: "evt-1", .event, ["notes": "new"])
    #expect(try Coalescing.onMutation(mutation("d", .delete), queue: [sent, move, edit]) == .replace([edit]))
    #expect(try Coalescing.onMutation(mutation("d", .delete), queue: [sent, move]) == .append)
  }

  @Test("a second delete is dropped, whether or not the first was sent", arguments: [nil, 3] as [Int64?])
  func secondDelete(sequence: Int64?) throws {
    let delete = try mutation("a", .delete, sequence: sequence)
    #expect(try Coalescing.onMutation(mutation("b", .delete), queue: [delete]) == .drop)
  }

  @Test func `nothing is merged across a delete`() throws {
    let delete = try mutation("a", .delete)
    #expect(try Coalescing.onMutation(create("b"), queue: [create("0", sequence: 1), delete]) == .append)
  }

  @Test func `entities of different kinds with the same id are independent`() throws {
    let type = try mutation("a", .create, of: "evt-1", .eventType, ["id": "evt-1"])
    #expect(try Coalescing.onMutation(mutation("b", .delete), queue: [type]) == .append)
  }

  @Test func `a payload that is not an object is rejected`() throws {
    let update = try mutation("b", .update, of: "evt-1", .event, [1])
    #expect(throws: APIError.self) { try Coalescing.onMutation(update, queue: [create()]) }
  }
}

extension [String: String] {
  fileprivate var asJSON: JSONValue { .object(mapValues { .string($0) }) }
}
