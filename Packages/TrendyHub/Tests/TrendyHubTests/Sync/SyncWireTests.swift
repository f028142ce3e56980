import Foundation
import StorageTesting
import Testing
import TrendyHub
import TrendyModels
import TrendyTesting

/// The sync protocol at the level of JSON documents: requests from devices and responses from the hub.
@Suite("Sync on the wire", .timeLimit(.minutes(10)))
struct SyncWireTests {
  private func field(_ value: JSONValue, base: Int64 = 0, stamp: Int64 = 0, author: String? = nil) -> JSONValue {
    var members: [String: JSONValue] = ["value": value, "base": .int(base), "stamp": .int(stamp)]
    if let author { members["author"] = .string(author) }
    return .object(members)
  }

  private func mutation(
    _ sequence: Int64, _ operation: String, _ kind: String, _ id: String, _ fields: JSONValue,
    extra: [String: JSONValue] = [:]
  ) -> JSONValue {
    .object(
      [
        "id": .string("m-\(id)-\(sequence)"), "seq": .int(sequence), "entity_type": .string(kind),
        "entity_id": .string(id), "operation": .string(operation), "fields": fields,
      ].merging(extra) { $1 })
  }

  private var type: JSONValue {
    mutation(1, "create", "event_type", "t", ["name": field("Coffee"), "color": field("#000"), "icon": field("cup")])
  }

  private var event: JSONValue {
    mutation(
      2, "create", "event", "e",
      [
        "event_type_id": field("t"), "timestamp": field("2024-01-01T08:00:00Z"), "notes": field("x"),
        "properties.dose": field(["type": "number", "value": 2]),
      ])
  }

  private func words(_ answer: TestHub.Answer) -> [String?] {
    (answer["outcomes"].arrayValue ?? []).map { outcome in
      outcome["problem"]["type"].stringValue.map { String($0.dropFirst("urn:trendy:error:".count)) }
        ?? outcome["status"].stringValue
    }
  }

  @Test func `every response contains the head and the epochs of the hub`() async throws {
    let hub = try TestHub()
    let push = try await hub.push([type, event], device: "d", lastSequence: 2)
    let epochs = push["epochs"]
    let epoch = epochs[0]["id"].stringValue ?? ""
    #expect(epochs == [["id": .string(epoch), "first": 1]])
    var answers = [push]
    for path in ["/changes", "/changes/latest-cursor", "/me/sync", "/changes?since=9", "/changes?device=d&last_seq=1"] {
      answers.append(try await hub.send("GET", path))
    }
    #expect(answers.map(\.status) == [200, 200, 200, 200, 409, 409])
    answers.append(
      try await hub.push([], device: "d", lastSequence: 1))
    for answer in answers {
      #expect(answer["head"] == 2 && answer["epochs"] == epochs && answer["epoch"] == .string(epoch))
      #expect(answer["now"] == 1_704_067_200_000, "devices stamp their edits in hub time")
    }
    let snapshot = try await hub.send("GET", "/snapshot?device=d")
    let lines = try snapshot.body.split(separator: UInt8(ascii: "\n")).map {
      try WireJSON.decode(JSONValue.self, from: Data($0))
    }
    #expect(
      lines[0] == [
        "cursor": 2, "head": 2, "epochs": epochs, "epoch": .string(epoch), "last_seq": 2, "count": 2,
        "now": 1_704_067_200_000,
      ])
    #expect(lines.count == 3 && lines[2]["marks"]["*"][0] == 2)
  }

  @Test(
    "a snapshot request records that the device is in the current epoch, named or not",
    arguments: ["/snapshot", "/snapshot?part=first"])
  func snapshotsAreNoted(path: String) async throws {
    let hub = try TestHub()
    let push = try await hub.push([type, event], device: "d", lastSequence: 2)
    let epoch = try #require(push["epoch"].stringValue)
    _ = try await hub.send("GET", path)
    _ = try await hub.send("GET", "\(path)\(path.contains("?") ? "&" : "?")device=other&seen=2&epoch=\(epoch)")
    let contacts = try hub.storage.read(user: hub.user.id) { try $0.contacts() }
    #expect(contacts.count == 3 && contacts.contains { $0.device == "other" })
    #expect(contacts.allSatisfy { $0.epochs.contains(epoch) })
  }

  @Test func `a device that has seen more than this hub assigned gets log_reset`() async throws {
    let hub = try TestHub()
    let push = try await hub.push([type, event], device: "d", lastSequence: 2)
    let epoch = push["epoch"].stringValue ?? ""
    let known = "device=d&last_seq=2&epoch=\(epoch)"
    #expect(try await hub.send("GET", "/changes?since=1&seen=2&\(known)").status == 200)
    #expect(try await hub.send("GET", "/changes?since=1&seen=3&\(known)").problem == "log_reset")
    #expect(try await hub.send("GET", "/changes?since=1&seen=2&device=d&last_seq=2&epoch=other").problem == "log_reset")
    let body: JSONValue = [
      "device": "d", "acked_through": 2, "last_seq": 3, "seen": 2, "epoch": "other",
      "mutations": [mutation(3, "delete", "event", "e", [:], extra: ["base": 2])],
    ]
    let refused = try await hub.send("POST", "/mutations", body)
    #expect(refused.status == 409 && refused.problem == "log_reset" && refused["head"] == 2)
    #expect(try await hub.send("GET", "/me/sync?device=d")["last_seq"] == 2)
    #expect(try await hub.send("GET", "/me/sync?device=").problem == "invalid")
    // A snapshot is served in any case.
    #expect(try await hub.send("GET", "/snapshot?seen=3&\(known)").status == 200)
    for query in ["seen=-1", "seen=x", "last_seq=1.5"] {
      #expect(try await hub.send("GET", "/changes?device=d&\(query)").problem == "invalid")
    }
    #expect(try await hub.send("GET", "/changes?device=").problem == "invalid")
  }

  @Test func `an entry has a version per field, the most frequent one only once`() async throws {
    let hub = try TestHub()
    _ = try await hub.push([type, event], device: "d")
    await hub.clock.advance(by: .seconds(10))
    let stamp: Int64 = 1_704_067_205_000
    _ = try await hub.push(
      [
        mutation(
          1, "update", "event", "e",
          ["notes": field("y", base: 2, stamp: stamp), "properties.dose": field(.null, base: 2, stamp: stamp)])
      ], device: "b")
    var entry = try await hub.send("GET", "/changes?since=2")["changes"][0]
    #expect(entry["data"]["notes"] == "y" && entry["data"]["properties"] == [:])
    #expect(entry["incarnation"] == 0 && entry["operation"] == "update")
    let first: JSONValue = [2, 0, "d"]
    let second: JSONValue = [3, .int(stamp), "b"]
    // Both field versions apply to two fields, in which case the later version becomes the default "*". The removed
    // property has no member, so its field version is listed by name.
    #expect(
      entry["marks"] == ["*": second, "event_type_id": first, "timestamp": first, "properties.dose": second])
    _ = try await hub.push([mutation(2, "delete", "event", "e", [:], extra: ["base": 3])], device: "b")
    entry = try await hub.send("GET", "/changes?since=2")["changes"][0]
    #expect(entry["operation"] == "delete" && entry["data"]["notes"] == "y" && entry["deleted_at"].stringValue != nil)
  }

  @Test func `an invalid field refuses its mutation, and the detail names the field`() async throws {
    let hub = try TestHub()
    _ = try await hub.push([type], device: "d")
    let broken: [(JSONValue, String)] = [
      (["notes": ["base": 0, "stamp": 0]], "mutations[0].fields.notes.value"),
      (["notes": ["value": "x", "stamp": 0]], "mutations[0].fields.notes.base"),
      (["notes": ["value": "x", "base": 0]], "mutations[0].fields.notes.stamp"),
      (["notes": ["value": "x", "base": 0, "stamp": 0, "author": ""]], "mutations[0].fields.notes.author"),
      (["notes": "x"], "mutations[0].fields.notes"),
      (["timestamp": field(.null)], "timestamp"),
      (["timestamp": field("soon")], "timestamp"),
      (["properties.dose": field(5)], "properties.dose"),
      (["properties.": field(.null)], "properties"),
      (["*": field(5)], "\"*\""),
    ]
    _ = try await hub.push([event], device: "d", acknowledged: 1)
    for (number, (fields, words)) in broken.enumerated() {
      let answer = try await hub.push([mutation(1, "update", "event", "e", fields)], device: "d\(number)")
      #expect(self.words(answer) == ["invalid"])
      let detail = answer["outcomes"][0]["problem"]["detail"].stringValue ?? ""
      #expect(detail.contains(words), "\(detail)")
    }
    #expect(try await hub.changes().nextCursor == 2)
  }

  @Test func `mutations of a device that sends payloads are merged in order of arrival`() async throws {
    let hub = try TestHub()
    _ = try await hub.push([type, event], device: "d")
    await hub.clock.advance(by: .seconds(10))
    let ahead = field("stamped", base: 2, stamp: 1_704_067_209_000)
    _ = try await hub.push([mutation(1, "update", "event", "e", ["notes": ahead])], device: "b")
    let plain = try await hub.push([TestHub.mutation(1, "update", "event", "e", ["notes": "plain"])], device: "old")
    #expect(words(plain) == ["accepted"])
    #expect(try await hub.send("GET", "/events/e")["notes"] == "plain")
    // The author of a plain write counts as having seen everything, so a value with an earlier stamp loses to it.
    let late = field("late", base: 2, stamp: 1_704_067_209_500)
    #expect(
      try await hub.push([mutation(1, "update", "event", "e", ["notes": late])], device: "c")["outcomes"][0]["lost"]
        == ["notes"])
    _ = try await hub.send("DELETE", "/events/e")
    #expect(try await hub.send("GET", "/me/sync")["counts"]["conflict"] == 0)
  }

  @Test func `the sync status has count and hash of each kind`() async throws {
    let hub = try TestHub()
    _ = try await hub.push([type, event], device: "d")
    let kinds = try await hub.send("GET", "/me/sync?device=d")["kinds"]
    // printf 'event_type\nt\n1\n0' | sha256sum
    #expect(kinds["event_type"] == ["count": 1, "hash": "0525d6d6413ba6a6"])
    #expect(kinds["vehicle"] == ["count": 0, "hash": "0000000000000000"])
    #expect(Set(kinds.objectValue?.keys ?? [:].keys) == Set(SyncedKind.all.map(\.name)))
  }

  @Test func `a cursor below the horizon gets a 410, while a client without a store starts at 0`() async throws {
    let hub = try TestHub()
    _ = try await hub.push([type, event], device: "d")
    _ = try await hub.push([mutation(3, "delete", "event", "e", [:], extra: ["base": 2])], device: "d", acknowledged: 2)
    #expect(try await hub.send("GET", "/changes?since=3&device=d&last_seq=3").status == 200)
    // No other device makes contact for more than 90 days.
    await hub.clock.advance(by: .seconds(92 * 86_400))
    #expect(try hub.server.compact() == false)
    let gone = try await hub.send("GET", "/changes?since=2&device=x&last_seq=0")
    #expect(gone.status == 410 && gone.problem == "cursor_expired" && gone["head"] == 3)
    #expect(try await hub.send("GET", "/changes?since=2").status == 410)
    #expect(try await hub.send("GET", "/changes?since=0&device=x&last_seq=0").status == 410)
    // A client without a store has no entities that the compacted tombstones would delete.
    #expect(try await hub.changes().changes.map(\.entityId) == ["t"])
    #expect(try await hub.send("GET", "/changes?since=3&device=x&last_seq=0").status == 200)
    #expect(try await hub.send("GET", "/snapshot?device=x").status == 200)
  }

  @Test func `a poll without news writes at most one contact a day`() async throws {
    let hub = try TestHub()
    _ = try await hub.push([type], device: "d")
    let path = "/changes?since=1&seen=1&device=d&last_seq=1"
    _ = try await hub.send("GET", path)
    let before = hub.disk.changes
    for _ in 0..<5 { _ = try await hub.send("GET", path) }
    #expect(hub.disk.changes == before)
    await hub.clock.advance(by: .seconds(86_400))
    _ = try await hub.send("GET", path)
    #expect(hub.disk.changes > before)
  }
}
