import Foundation
import Testing
import TrendyModels

@Suite("Ranges of numbers on the wire", .timeLimit(.minutes(10)))
struct SyncRangeTests {
  private static let beyondCounters = [
    "-1", "4611686018427387904", "9223372036854775807", "-9223372036854775809", "1e19",
  ]
  private static let beyondStamps = ["-1", "253402300800000", "9223372036854775807", "-9223372036854775809", "1e300"]

  private func complaint<Value: WireValue>(_ type: Value.Type, _ text: String) -> String {
    do {
      return "read as \(try WireJSON.decode(type, from: Data(text.utf8)))"
    } catch {
      return "\(error)"
    }
  }

  @Test(
    "a whole number that does not fit into 64 bits is rejected rather than rounded",
    arguments: [
      "-9223372036854775809", "9223372036854775808", "-9223372036854775808.0", "-9.223372036854775808e18",
      "9007199254740993.0", "9007199254740992e0", "18446744073709551616", "1e400", "0.5",
    ])
  func refused(_ number: String) {
    #expect(complaint(Int64.self, number).hasPrefix("Invalid document"))
    #expect(complaint([Int].self, "[\(number)]").hasPrefix("Invalid document"))
    let value = try? WireJSON.decode(JSONValue.self, from: Data(number.utf8))
    #expect(value?.intValue == nil)
  }

  @Test(
    "a whole number is read however it is written",
    arguments: [
      ("-9223372036854775808", Int64.min), ("9223372036854775807", .max), ("9007199254740993", 9_007_199_254_740_993),
      ("1e3", 1000), ("-12.50e1", -125), ("9007199254740991.0", 9_007_199_254_740_991), ("-0", 0), ("-0.0", 0),
    ])
  func read(_ number: String, _ value: Int64) throws {
    #expect(try WireJSON.decode(Int64.self, from: Data(number.utf8)) == value)
    #expect(try WireJSON.decode(JSONValue.self, from: Data(number.utf8)).intValue == value)
  }

  /// Documents with a counter; `#` is replaced by the number.
  private static let counters: [(String, any (WireValue & Sendable).Type)] = [
    (#"{"id":"a","first":#}"#, HubEpoch.self),
    (#"{"cursor":#}"#, LatestCursorResponse.self),
    (#"{"changes":[],"next_cursor":#,"has_more":false}"#, ChangeFeedResponse.self),
    (#"{"changes":[],"next_cursor":0,"has_more":false,"head":#,"epochs":[]}"#, ChangeFeedResponse.self),
    (#"{"id":#,"entity_type":"event","operation":"create","entity_id":"e"}"#, ChangeEntry.self),
    (#"{"cursor":#,"epoch":"a","count":0}"#, SnapshotHeader.self),
    (#"{"cursor":0,"epoch":"a","count":#}"#, SnapshotHeader.self),
    (#"{"cursor":0,"epoch":"a","count":0,"last_seq":#}"#, SnapshotHeader.self),
    (#"{"kind":"event","after":#,"through":0}"#, SnapshotSpan.self),
    (#"{"kind":"event","after":0,"through":#}"#, SnapshotSpan.self),
    (#"{"outcomes":[],"head":#}"#, PushResponse.self),
    (#"{"seq":#,"status":"accepted"}"#, OutcomeEnvelope.self),
    (#"{"seq":1,"status":"accepted","version":#}"#, OutcomeEnvelope.self),
    (#"{"seq":1,"status":"try_later","retry_after_s":#}"#, OutcomeEnvelope.self),
    (#"{"value":1,"base":#,"stamp":0}"#, FieldChange.self),
    (#"[#,0,"a"]"#, FieldVersion.self),
    (#"{"id":"m","seq":#,"entity_type":"event","entity_id":"e","operation":"create"}"#, MutationEnvelope.self),
    (
      #"{"id":"m","seq":1,"entity_type":"event","entity_id":"e","operation":"create","incarnation":#}"#,
      MutationEnvelope.self
    ),
    (#"{"id":"m","seq":1,"entity_type":"event","entity_id":"e","operation":"delete","base":#}"#, MutationEnvelope.self),
    (#"{"device":"d","acked_through":#,"mutations":[]}"#, PushRequest.self),
    (#"{"device":"d","acked_through":0,"seen":#,"mutations":[]}"#, PushRequest.self),
    (#"{"device":"d","acked_through":0,"last_seq":#,"mutations":[]}"#, PushRequest.self),
    (#"{"count":#,"hash":"00"}"#, KindSum.self),
    (#"{"created":[],"total":#,"success":0,"failed":0}"#, BatchCreateEventsResponse.self),
    (#"{"created":[],"total":0,"success":#,"failed":0}"#, BatchCreateEventsResponse.self),
    (#"{"index":#,"message":""}"#, BatchError.self),
    (#"{"seq":#,"kind":"token","at":"2024-01-01T00:00:00Z"}"#, CompanionNotice.self),
    (#"{"id":"c","tracker_id":"a","companion_id":"b","held_through":#,"acked_through":0}"#, APICompanion.self),
    (#"{"id":"c","tracker_id":"a","companion_id":"b","held_through":0,"acked_through":#}"#, APICompanion.self),
    (#"{"acked_through":#,"notices":[]}"#, CompanionNoticesRequest.self),
  ]

  @Test("an invalid version, sequence number, incarnation or count is rejected", arguments: counters.indices)
  func counter(_ place: Int) {
    let (text, type) = Self.counters[place]
    func read(_ number: String) -> String { complaint(type, text.replacing("#", with: number)) }
    for number in Self.beyondCounters { #expect(read(number).contains("expected"), "\(text) \(number)") }
    for number in ["0", "9007199254740993", "4611686018427387903"] {
      #expect(read(number).hasPrefix("read as"), "\(read(number))")
    }
  }

  @Test(
    "an invalid stamp or hub time is rejected",
    arguments: [
      (#"{"changes":[],"next_cursor":0,"has_more":false,"head":0,"epochs":[{"id":"a","first":1}],"now":#}"#, 0),
      (#"{"value":1,"base":0,"stamp":#}"#, 1), (#"[0,#,"a"]"#, 2),
    ])
  func stamp(_ text: String, _ which: Int) {
    let types: [any (WireValue & Sendable).Type] = [ChangeFeedResponse.self, FieldChange.self, FieldVersion.self]
    func read(_ number: String) -> String { complaint(types[which], text.replacing("#", with: number)) }
    for number in Self.beyondStamps { #expect(read(number).contains("expected"), "\(text) \(number)") }
    for number in ["0", "253402300799999"] { #expect(read(number).hasPrefix("read as"), "\(read(number))") }
  }

  @Test("a plain decoder checks the same ranges", arguments: ["-1", "9223372036854775807"])
  func plainDecoder(_ number: String) {
    for text in [#"{"cursor":\#(number)}"#] {
      #expect(throws: DecodingError.self) {
        try JSONDecoder().decode(LatestCursorResponse.self, from: Data(text.utf8))
      }
    }
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(FieldVersion.self, from: Data("[0,\(number)]".utf8))
    }
  }

  @Test("a value in memory is clamped to its range", arguments: [Int64.min, -1, .max])
  func clamped(_ number: Int64) {
    func isHeld(_ value: Int64, _ range: ClosedRange<Int64> = SyncRange.counter) -> Bool { range.contains(value) }
    var mark = FieldVersion(version: number, stamp: number)
    #expect(isHeld(mark.version) && isHeld(mark.stamp, SyncRange.stamp))
    (mark.version, mark.stamp) = (number, number)
    #expect(isHeld(mark.version) && isHeld(mark.stamp, SyncRange.stamp))
    let entry = ChangeEntry(id: number, entityType: "event", operation: "update", entityId: "e", incarnation: number)
    #expect(isHeld(entry.id) && isHeld(entry.incarnation))
    var memory = SyncMetadata(
      seen: number, complete: number, generation: number, lastStamp: number, clockOffset: number)
    for _ in 0..<2 {
      #expect(isHeld(memory.seen) && isHeld(memory.complete) && isHeld(memory.generation))
      #expect(isHeld(memory.lastStamp, SyncRange.stamp) && isHeld(memory.clockOffset, SyncRange.clockOffset))
      (memory.seen, memory.complete, memory.generation) = (number, number, number)
      (memory.lastStamp, memory.clockOffset) = (number, number)
    }
    let mutation = PendingMutation(
      id: "m", entityType: .event, entityId: "e", operation: .delete, payload: Data(), createdAt: .distantPast,
      sequence: 1, base: number, incarnation: number)
    let envelope = MutationEnvelope(mutation)
    #expect(isHeld(envelope.incarnation) && isHeld(envelope.base ?? -1))
    #expect([HubEpoch(id: "a", first: number)].lastCommonVersion(endingAt: 5, with: [], endingAt: 5) == 0)
  }

  @Test(
    "an entry with an invalid member names it and is written back unchanged",
    arguments: [
      #""marks":{"*":[1,9223372036854775807,"a"]}"#, #""marks":{"notes":[1]}"#, #""marks":[]"#, #""incarnation":-1"#,
      #""incarnation":"two""#, #""deleted_at":"soon""#, #""created_at":5"#, #""data":"text""#,
    ])
  func fault(_ member: String) throws {
    let text = #"{"id":7,"entity_type":"event","operation":"update","entity_id":"e",\#(member)}"#
    let entry = try WireJSON.decode(ChangeEntry.self, from: Data(text.utf8))
    let name = try #require(member.split(separator: "\"").first)
    #expect(entry.fault?.hasPrefix("\(name): expected") == true)
    #expect(entry.marks.isEmpty && entry.incarnation == 0 && entry.data == nil && entry.deletedAt == nil)
    let written = try WireJSON.encode(entry)
    #expect(
      try WireJSON.decode(JSONValue.self, from: written) == WireJSON.decode(JSONValue.self, from: Data(text.utf8)))
    #expect(try WireJSON.decode(ChangeEntry.self, from: written) == entry)
  }

  @Test func `a valid entry has no fault, whatever unknown members it has`() throws {
    let text = #"{"id":7,"entity_type":"e","operation":"o","entity_id":"e","later":9e99,"marks":{},"data":null}"#
    #expect(try WireJSON.decode(ChangeEntry.self, from: Data(text.utf8)).fault == nil)
    let id = String(repeating: "x", count: 129)
    #expect(ChangeEntry(id: 1, entityType: "event", operation: "o", entityId: id).fault != nil)
    #expect(ChangeEntry(id: 1, entityType: "event", operation: "o", entityId: "").fault != nil)
  }

  @Test(
    "an empty id or one with control characters is rejected", arguments: ["", "a\u{0}", "\u{7F}", "x\ny"])
  func epochName(_ name: String) throws {
    let text = #"{"id":\#(String(decoding: try WireJSON.encode(name), as: UTF8.self)),"first":1}"#
    #expect(complaint(HubEpoch.self, text).contains("id: expected an id of 1 to 128 bytes"))
    #expect(ChangeEntry(id: 1, entityType: "event", operation: "o", entityId: name).fault != nil)
  }

  @Test func `a retry delay of more than a day is reduced to a day`() throws {
    let text = #"{"outcomes":[{"seq":1,"status":"try_later","retry_after_s":4611686018427387903}],"head":0}"#
    let mutation = MutationEnvelope(id: "m", sequence: 1, entityType: "event", entityId: "e", operation: "delete")
    let answer = try WireJSON.decode(PushResponse.self, from: Data(text.utf8)).answer(to: [mutation])
    #expect(answer.outcomes == [.tryLater(retryAfter: .seconds(86_400))])
  }
}
