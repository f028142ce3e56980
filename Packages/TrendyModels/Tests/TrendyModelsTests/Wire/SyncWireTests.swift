import Foundation
import Testing
import TrendyModels

@Suite("Sync documents", .timeLimit(.minutes(10)))
struct SyncWireTests {
  private func mutation(
    _ operation: MutationOperation, _ payload: JSONValue?, marks: [String: FieldVersion],
    kind: MutationEntityType = .event,
    base: Int64? = nil, incarnation: Int64 = 0
  ) throws -> PendingMutation {
    PendingMutation(
      id: "m", entityType: kind, entityId: "e", operation: operation,
      payload: try payload.map { try WireJSON.encode($0) } ?? Data(), createdAt: Date(timeIntervalSince1970: 0),
      sequence: 7, device: "phone", marks: marks, base: base, incarnation: incarnation)
  }

  private func written(_ mutation: PendingMutation) throws -> JSONValue {
    try WireJSON.decode(JSONValue.self, from: WireJSON.encode(MutationEnvelope(mutation)))
  }

  @Test func `a mutation is encoded by field and property, each with base and stamp`() throws {
    let update = try mutation(
      .update, ["notes": nil, "properties": ["mood": ["type": "number", "value": 3], "old": nil]],
      marks: [
        FieldVersion.others: FieldVersion(version: 3, stamp: 100),
        "properties.mood": FieldVersion(version: 4, stamp: 200, author: "tablet"),
      ], incarnation: 2)
    #expect(
      try written(update) == [
        "id": "m", "seq": 7, "entity_type": "event", "entity_id": "e", "operation": "update", "incarnation": 2,
        "fields": [
          "notes": ["value": nil, "base": 3, "stamp": 100],
          "properties.mood": [
            "value": ["type": "number", "value": 3], "base": 4, "stamp": 200, "author": "tablet",
          ],
          "properties.old": ["value": nil, "base": 3, "stamp": 100],
        ],
      ])
  }

  @Test func `a create omits the id from its fields, and a delete has its base and the edits it replaced`() throws {
    let marks = [FieldVersion.others: FieldVersion(version: 0, stamp: 1)]
    let create = try mutation(.create, ["id": "e", "name": "n"], marks: marks, kind: .vehicle)
    #expect(try written(create).objectValue?["fields"] == ["name": ["value": "n", "base": 0, "stamp": 1]])
    let delete = try mutation(.delete, ["notes": "x"], marks: marks, base: 9)
    #expect(try written(delete).objectValue?["base"] == 9)
    #expect(try written(delete).objectValue?["fields"] == ["notes": ["value": "x", "base": 0, "stamp": 1]])
    let bare = try mutation(.delete, nil, marks: marks, base: 9)
    #expect(try written(bare).objectValue?["fields"] == [:])
  }

  @Test func `a mutation without field versions is sent as before`() throws {
    let update = try mutation(.update, ["notes": "x"], marks: [:])
    #expect(try written(update).objectValue?["payload"] == ["notes": "x"])
    #expect(try written(update).objectValue?["fields"] == nil)
  }

  @Test func `a payload that is not an object is sent in a form that every hub refuses`() throws {
    let broken = PendingMutation(
      id: "m", entityType: .event, entityId: "e", operation: .update, payload: Data("[1]".utf8),
      createdAt: Date(timeIntervalSince1970: 0), sequence: 1, device: "d",
      marks: [FieldVersion.others: FieldVersion(version: 0, stamp: 1)])
    #expect(try written(broken).objectValue?["payload"] == ["id": nil])
  }

  @Test func `an entry keeps its incarnation and field versions through encoding`() throws {
    let text = """
      {"id":9,"entity_type":"event","entity_id":"e","operation":"delete","incarnation":2,"data":{"notes":null},\
      "marks":{"*":[9,100,"a"],"notes":[3,50,null]},"later":1}
      """
    let entry = try WireJSON.decode(ChangeEntry.self, from: Data(text.utf8))
    #expect(entry.incarnation == 2 && entry.isDelete)
    #expect(entry.marks.mark(of: "notes") == FieldVersion(version: 3, stamp: 50))
    #expect(entry.marks.mark(of: "anything") == FieldVersion(version: 9, stamp: 100, author: "a"))
    #expect(
      try WireJSON.decode(JSONValue.self, from: WireJSON.encode(entry))
        == WireJSON.decode(JSONValue.self, from: Data(text.utf8)))
  }

  @Test func `a response has the position of the hub or none`() throws {
    let page = try WireJSON.decode(
      ChangeFeedResponse.self,
      from: Data(
        #"{"changes":[],"next_cursor":3,"has_more":false,"head":4,"epoch":"b","epochs":[{"id":"a","first":0},{"id":"b","first":3}],"now":5}"#
          .utf8))
    #expect(
      page.position
        == HubPosition(head: 4, epochs: [HubEpoch(id: "a", first: 0), HubEpoch(id: "b", first: 3)], now: 5))
    #expect(try WireJSON.decode(ChangeFeedResponse.self, from: WireJSON.encode(page)) == page)
    let plain = Data(#"{"changes":[],"next_cursor":3,"has_more":false,"epoch":"b"}"#.utf8)
    #expect(try WireJSON.decode(ChangeFeedResponse.self, from: plain).position == nil)
  }

  @Test func `outcomes match their mutations, and those after a try-later outcome wait as well`() throws {
    let sent = try (1...4).map { index in
      var mutation = try mutation(.delete, nil, marks: [:])
      mutation.sequence = Int64(index)
      return MutationEnvelope(mutation)
    }
    let response = try WireJSON.decode(
      PushResponse.self,
      from: Data(
        #"{"outcomes":[{"seq":1,"status":"merged","version":8,"lost":["notes"]},{"seq":2,"status":"try_later","retry_after_s":3},{"seq":3,"status":"accepted"}],"head":8}"#
          .utf8))
    let answer = try response.answer(to: sent)
    let later = MutationOutcome.tryLater(retryAfter: .seconds(3))
    #expect(answer.outcomes == [.merged(version: 8), later, later, later])
    #expect(answer.lost == [0: ["notes"]] && !answer.isForked && answer.position == nil)
  }

  @Test(
    "two histories share the versions before their first difference",
    arguments: [
      ([("a", 0)], 5, [("a", 0)], 3, 3),
      ([("a", 0)], 5, [("a", 0), ("b", 4)], 9, 3),
      ([("a", 0), ("b", 4)], 9, [("a", 0), ("c", 7)], 8, 3),
      ([("a", 0), ("b", 4)], 9, [("a", 0), ("b", 4), ("c", 6)], 8, 5),
      ([("x", 0)], 9, [("a", 0)], 9, 0),
      // If a history is long, each side stores only its last epochs.
      ([("a", 0), ("b", 4), ("c", 7)], 9, [("b", 4), ("c", 7), ("d", 10)], 12, 9),
      ([("a", 0), ("b", 4), ("c", 7)], 9, [("b", 4), ("d", 6)], 12, 5),
      ([("a", 0), ("b", 4)], 9, [("d", 12), ("e", 14)], 15, 0),
      // One side has combined epochs that no device last synced in.
      ([("a", 0), ("b", 4), ("c", 7)], 9, [("a", 0), ("b+", 4), ("c", 7), ("d", 10)], 12, 9),
      ([("a", 0), ("b", 4), ("c", 7), ("d", 9)], 10, [("a", 0), ("b+", 4), ("e", 11)], 12, 3),
      ([("b", 4), ("c", 7)], 9, [("a", 0), ("a+", 2), ("c", 7), ("d", 10)], 12, 9),
    ] as [([(String, Int64)], Int64, [(String, Int64)], Int64, Int64)])
  func common(_ case: ([(String, Int64)], Int64, [(String, Int64)], Int64, Int64)) {
    let (one, end, other, otherEnd, common) = `case`
    func list(_ list: [(String, Int64)]) -> [HubEpoch] { list.map { HubEpoch(id: $0.0, first: $0.1) } }
    #expect(list(one).lastCommonVersion(endingAt: end, with: list(other), endingAt: otherEnd) == common)
    #expect(list(other).lastCommonVersion(endingAt: otherEnd, with: list(one), endingAt: end) == common)
  }
}
