import Foundation
import TrendyModels
public import TrendyHub

/// Checks that every `HubStorage` must pass. A failing check throws ``ContractViolation``.
///
/// Run each check on a new storage:
/// ```swift
/// @Test(arguments: HubStorageContract.all)
/// func contract(check: HubStorageContract.Check) throws { try check.run(on: MyStorage()) }
/// ```
public enum HubStorageContract: Sendable {
  /// One check, whose description states the required property.
  public struct Check: Sendable, CustomStringConvertible {
    public let description: String
    private let body: @Sendable (any HubStorage) throws -> Void

    init(_ description: String, _ body: @escaping @Sendable (any HubStorage) throws -> Void) {
      self.description = description
      self.body = body
    }

    /// Runs the check on a new, empty storage.
    public func run(on storage: any HubStorage) throws { try body(storage) }
  }

  /// All checks.
  public static let all = serving + users + events + moving + tracks

  private static let serving: [Check] = [
    Check("a new user's record is empty") { storage in
      try storage.read(user: "p") { reading in
        try expect(try reading.state(), HubState())
        try expect(try reading.entry(kind: "event", id: "e"), nil)
        try expect(try reading.entries(after: 0, limit: 10).count, 0)
        try expect(try reading.allLines().count, 0)
        try expect(try reading.lines(ofKind: "event", after: 0, bytes: 9), [])
        try expect(try reading.mark(device: "d"), 0)
        try expect(try reading.outcome(device: "d", sequence: 1), nil)
        try expect(try reading.keyedWrite(device: "d", key: "k"), nil)
      }
    },
    Check("writes in a shared commit are atomic, and each sees those before it") { storage in
      struct Refused: Error {}
      let errors = try storage.write(
        user: "p",
        together: [
          { transaction in
            try transaction.put(entry("event", "a", version: 1))
            try transaction.setState(HubState(head: 1))
          },
          { transaction in
            try transaction.put(entry("event", "a", version: 9))
            try transaction.put(entry("event", "b", version: 10))
            try transaction.purge(kind: "event", id: "a")
            try transaction.setState(HubState(head: 10))
            throw Refused()
          },
          { transaction in
            try expect(try transaction.entry(kind: "event", id: "a")?.version, 1)
            let head = try transaction.state().head
            try transaction.put(entry("event", "c", version: head + 1))
            try transaction.setState(HubState(head: head + 1))
          },
        ])
      try expect(errors.map { $0 is Refused }, [false, true, false])
      try expect(errors.count { $0 == nil }, 2)
      try storage.read(user: "p") { reading in
        try expect(try reading.entries(after: 0, limit: 9).map(\.id), ["a", "c"])
        try expect(try reading.state().head, 2)
        try expect(try reading.entry(kind: "event", id: "b"), nil)
        try expect(try reading.isPurged(kind: "event", id: "a"), false)
      }
    },
    Check("an entry is read as it was written, field by field") { storage in
      let state = HubState(
        head: 7, epochs: [.init(id: "a", first: 1), .init(id: "b", first: 5)], horizon: 3,
        sums: ["event": .init(count: 1, hash: .max), "geofence": .init(count: 0, hash: 0xF)],
        quota: HubQuota(rows: 5, bytes: .max), contentBytes: 17)
      var whole = entry("event", "e", version: 7)
      whole.incarnation = 2
      whole.fields["notes"] = field(.null, 3)
      whole.fields["unknown"] = field(["deep": [1, 2.5, true, "ünï\u{0}"]], 4)
      whole.fields["big"] = field(.int(.max), 5)
      whole.fields["properties.a.b"] = field(.null, 3)
      whole.fields["offered"] = HubField(value: "x", version: 6, stamp: 1, author: "e", isReoffered: true)
      whole.fields["known"] = HubField(value: "x", version: 6, stamp: 1, author: "e")
      let outcome = StoredOutcome(digest: "x", verdict: .merged(version: 3, lost: ["notes"]))
      let refusal = StoredOutcome(
        digest: "y", verdict: .refused(Problem("invalid", status: 400, title: "t", detail: "d")))
      let write = KeyedWrite(digest: "z", kind: "event", id: "e")
      try storage.write(user: "p") { transaction in
        try transaction.setState(state)
        try transaction.put(whole)
        try transaction.setMark(device: "d", 4)
        try transaction.putOutcome(device: "d", sequence: 3, outcome)
        try transaction.putOutcome(device: "d", sequence: 4, refusal)
        try transaction.putKeyedWrite(device: "d", key: "k", write)
      }
      try storage.read(user: "p") { reading in
        try expect(try reading.state(), state)
        try expect(try reading.entry(kind: "event", id: "e"), whole)
        try expect(try reading.mark(device: "d"), 4)
        try expect(try reading.outcome(device: "d", sequence: 3), outcome)
        try expect(try reading.outcome(device: "d", sequence: 4), refusal)
        try expect(try reading.outcome(device: "e", sequence: 3), nil)
        try expect(try reading.keyedWrite(device: "d", key: "k"), write)
        try expect(try reading.keyedWrite(device: "e", key: "k"), nil)
      }
    },
    Check("a transaction sees its own writes, and writes nothing if it throws") { storage in
      struct Stop: Error {}
      do {
        try storage.write(user: "p") { transaction in
          try transaction.setState(HubState(head: 1))
          try transaction.put(entry("event", "e", version: 1))
          try expect(try transaction.state().head, 1)
          try expect(try transaction.entry(kind: "event", id: "e")?.version, 1)
          try expect(try transaction.entries(after: 0, limit: 9).map(\.id), ["e"])
          try expect(try transaction.referring(toKind: "event_type", id: "t").map(\.id), ["e"])
          throw Stop()
        }
        throw ContractViolation("the body's error was swallowed")
      } catch is Stop {}
      try storage.read(user: "p") { reading in
        try expect(try reading.state(), HubState())
        try expect(try reading.entries(after: 0, limit: 9).count, 0)
      }
    },
    Check("the feed contains each entry once, by its last version") { storage in
      try storage.write(user: "p") { transaction in
        for number in 1...5 { try transaction.put(entry("event", "e\(number)", version: Int64(number))) }
      }
      try storage.write(user: "p") { transaction in
        try transaction.put(entry("event", "e2", version: 6))
        try transaction.put(entry("event", "e4", version: 7, isDeleted: true))
      }
      try storage.read(user: "p") { reading in
        try expect(try reading.entries(after: 0, limit: 10).map(\.id), ["e1", "e3", "e5", "e2", "e4"])
        try expect(try reading.entries(after: 3, limit: 2).map(\.version), [5, 6])
        try expect(try reading.entries(after: 7, limit: 10).count, 0)
        try expect(try reading.entries(after: .max, limit: 10).count, 0)
        try expect(try reading.lines(after: 0, limit: 10).map(\.version), [1, 3, 5, 6, 7])
        try expect(try reading.lines(after: 3, limit: 2).map(\.version), [5, 6])
        try expect(try reading.lines(after: .max, limit: 10), [])
        let all = try reading.allLines()
        try expect(all.count, 5)
        try expect(try (0..<5).map { try all.line(at: $0).version }, [1, 3, 5, 6, 7])
      }
    },
    Check("a list of all lines does not change during other writes") { storage in
      try storage.write(user: "p") { try $0.put(entry("event", "e", version: 1)) }
      let list = try storage.read(user: "p") { try $0.allLines() }
      try storage.write(user: "p") { transaction in
        try transaction.put(entry("event", "e", version: 2))
        try transaction.put(entry("event_type", "t", version: 3))
      }
      try expect(list.count, 1)
      try expect(try list.line(at: 0).version, 1)
    },
    Check("all lines are ordered by rank of their kind, then by version") { storage in
      try storage.write(user: "p") { transaction in
        try transaction.put(entry("event", "e", version: 1))
        try transaction.put(entry("geofence", "g", version: 2))
        try transaction.put(entry("property_definition", "d", version: 3))
        try transaction.put(entry("event_type", "t2", version: 4))
        try transaction.put(entry("event_type", "t1", version: 5))
        try transaction.put(entry("later", "l", version: 6))
      }
      let all = try storage.read(user: "p") { try $0.allLines() }
      try expect(try (0..<all.count).map { try all.line(at: $0).version }, [4, 5, 3, 2, 1, 6])
    },
    Check("lines of one kind are ordered by version and fill the requested size, with at least one") { storage in
      try storage.write(user: "p") { transaction in
        for number in 1...4 {
          try transaction.put(entry("event", "e\(number)", version: Int64(2 * number)))
          try transaction.put(entry("geofence", "g\(number)", version: Int64(2 * number + 1)))
        }
        try transaction.put(entry("event", "e1", version: 10))
        try transaction.put(entry("later", "l", version: 11))
      }
      try storage.read(user: "p") { reading in
        func versions(_ kind: String?, after version: Int64, bytes: Int = .max) throws -> [Int64] {
          try reading.lines(ofKind: kind, after: version, bytes: bytes).map(\.version)
        }
        try expect(try versions("event", after: 0), [4, 6, 8, 10])
        try expect(try versions("event", after: 4), [6, 8, 10])
        try expect(try versions("event", after: 10), [])
        try expect(try versions("event", after: .max), [])
        try expect(try versions("event", after: 0, bytes: 1), [4])
        let two = try reading.lines(ofKind: "event", after: 0, bytes: .max).prefix(2).reduce(0) { $0 + $1.text.count }
        try expect(try versions("event", after: 0, bytes: two), [4, 6])
        try expect(try versions("event", after: 0, bytes: two + 1), [4, 6, 8])
        try expect(try versions("geofence", after: 3), [5, 7, 9])
        // Entries of all unknown kinds are returned together.
        try expect(try versions(nil, after: 0), [11])
        try expect(try versions(nil, after: 11), [])
      }
    },
    Check("a line is the serialized entry") { storage in
      var generator = Scrambler()
      for round in 0..<200 {
        let entry = scrambled(version: Int64(round + 1), &generator)
        try storage.write(user: "person \u{1}\"\\") { try $0.put(entry) }
        try storage.read(user: "person \u{1}\"\\") { reading in
          try expect(try reading.entry(kind: entry.kind, id: entry.id), entry)
          let line = entry.line(user: "person \u{1}\"\\")
          try expect(try reading.lines(after: entry.version - 1, limit: 9), [line])
          try expect(try reading.lines(ofKind: entry.kind, after: entry.version - 1, bytes: 1), [line])
        }
      }
    },
    Check("lists contain live entities, latest first") { storage in
      try storage.write(user: "p") { transaction in
        for (number, second) in [3, 1, 4, 2].enumerated() {
          var event = entry("event", "e\(second)", version: Int64(number + 1))
          event.fields["timestamp"] = field(.string("2024-01-01T00:00:0\(second).000Z"), 1)
          try transaction.put(event)
        }
        try transaction.put(entry("event_type", "t", version: 5))
      }
      try storage.read(user: "p") { reading in
        try expect(try reading.living(kind: "event", offset: 0, limit: 10).map(\.id), ["e4", "e3", "e2", "e1"])
        try expect(try reading.living(kind: "event", offset: 1, limit: 2).map(\.id), ["e3", "e2"])
        try expect(try reading.living(kind: "event", offset: 9, limit: .max).count, 0)
        let second: Int64 = 1_704_067_200_000
        func during(_ from: Int64, _ to: Int64, limit: Int = .max) throws -> [String] {
          try reading.living(kind: "event", during: second + from..<second + to, limit: limit).map(\.id)
        }
        try expect(try during(2000, 4000), ["e3", "e2"])
        try expect(try during(2000, 4001), ["e4", "e3", "e2"])
        try expect(try during(0, 9000, limit: 2), ["e4", "e3"])
        try expect(try during(4001, 9000), [])
      }
      try storage.write(user: "p") { transaction in
        guard var event = try transaction.entry(kind: "event", id: "e3") else { throw ContractViolation("e3 is gone") }
        event.deletedAt = moment
        event.version = 6
        try transaction.put(event)
      }
      try storage.read(user: "p") { reading in
        try expect(try reading.living(kind: "event", offset: 0, limit: 10).map(\.id), ["e4", "e2", "e1"])
        try expect(try reading.entry(kind: "event", id: "e3")?.isAlive, false)
      }
    },
    Check("references to an entity are found under its current target while the referring entity lives") { storage in
      try storage.write(user: "p") { transaction in
        try transaction.put(entry("event", "a", version: 1))
        try transaction.put(entry("event", "b", version: 2))
        var fence = entry("geofence", "g", version: 3)
        fence.fields["event_type_entry_id"] = field("t", 3)
        fence.fields["event_type_exit_id"] = field("t", 3)
        try transaction.put(fence)
        try transaction.put(entry("property_definition", "d", version: 4))
      }
      try storage.read(user: "p") { reading in
        try expect(try reading.referring(toKind: "event_type", id: "t").map(\.id), ["a", "b", "g", "d"])
        var shown: [String] = []
        try reading.eachReferring(toKind: "event_type", id: "t") { shown.append($0.id) }
        try expect(shown, ["a", "b", "g", "d"])
        try expect(try reading.referring(toKind: "geofence", id: "t").count, 0)
      }
      try storage.write(user: "p") { transaction in
        var moved = entry("event", "a", version: 5)
        moved.fields["event_type_id"] = field("u", 5)
        try transaction.put(moved)
        try transaction.put(entry("event", "b", version: 6, isDeleted: true))
        try transaction.put(entry("geofence", "g", version: 7))
      }
      try storage.read(user: "p") { reading in
        try expect(try reading.referring(toKind: "event_type", id: "t").map(\.id), ["d"])
        try expect(try reading.referring(toKind: "event_type", id: "u").map(\.id), ["a"])
      }
    },
    Check("a compacted tombstone is in no list, but its id remains known") { storage in
      try storage.write(user: "p") { transaction in
        for number in 1...4 { try transaction.put(entry("event", "e\(number)", version: Int64(number))) }
        for number in [3, 1, 2] {
          try transaction.put(entry("event", "e\(number)", version: Int64(10 - number), isDeleted: true))
        }
        try expect(try transaction.tombstones(through: 9, limit: 9).map(\.id), ["e3", "e2", "e1"])
      }
      try storage.read(user: "p") { reading in
        try expect(try reading.tombstones(through: 8, limit: 9).map(\.version), [7, 8])
        try expect(try reading.tombstones(through: .max, limit: 1).map(\.id), ["e3"])
        try expect(try reading.tombstones(through: 6, limit: 9).count, 0)
        try expect(try reading.isPurged(kind: "event", id: "e3"), false)
      }
      try storage.write(user: "p") { transaction in
        // A restored entity is no longer a tombstone.
        try transaction.put(entry("event", "e2", version: 10))
        try expect(try transaction.entry(kind: "event", id: "e3")?.isAlive, false)
        try transaction.purge(kind: "event", id: "e3")
        try expect(try transaction.entry(kind: "event", id: "e3"), nil)
        try expect(try transaction.isPurged(kind: "event", id: "e3"), true)
      }
      try storage.read(user: "p") { reading in
        try expect(try reading.tombstones(through: .max, limit: 9).map(\.id), ["e1"])
        try expect(try reading.entries(after: 0, limit: 9).map(\.id), ["e4", "e1", "e2"])
        try expect(try reading.allLines().count, 3)
        try expect(try reading.entry(kind: "event", id: "e3"), nil)
        try expect(try reading.isPurged(kind: "event", id: "e3"), true)
        try expect(try reading.isPurged(kind: "event_type", id: "e3"), false)
        try expect(try reading.isPurged(kind: "event", id: "e1"), false)
      }
      try storage.read(user: "q") { try expect(try $0.isPurged(kind: "event", id: "e3"), false) }
    },
    Check("the position of each device is stored until it is deleted") { storage in
      let late = HubContact(device: "b", cursor: 7, at: moment)
      try storage.write(user: "p") { transaction in
        try transaction.putContact(late)
        try transaction.putContact(HubContact(device: "a", cursor: 1, at: moment))
        try transaction.putContact(HubContact(device: "a", cursor: 2, at: moment.addingTimeInterval(1)))
      }
      let early = HubContact(device: "a", cursor: 2, at: moment.addingTimeInterval(1))
      try storage.read(user: "p") { reading in
        try expect(try reading.contacts(), [early, late])
        try expect(try reading.contact(device: "b"), late)
        try expect(try reading.contact(device: "c"), nil)
        // A device's high-water mark is separate from its contact.
        try expect(try reading.mark(device: "b"), 0)
      }
      try storage.write(user: "p") { try $0.forgetContact(device: "b") }
      try storage.read(user: "p") { try expect(try $0.contacts(), [early]) }
    },
    Check("notices are stored in order until they are deleted, and a companion's progress is stored") {
      storage in
      var companion = CompanionLink(tracker: "a", companion: "b", createdAt: moment)
      let other = CompanionLink(tracker: "a", companion: "c", createdAt: moment, removedAt: moment)
      func notice(_ sequence: Int64) -> CompanionNotice {
        CompanionNotice(sequence: sequence, kind: "trip_started", at: moment, data: ["n": .int(sequence)])
      }
      try storage.write(user: "p") { transaction in
        try transaction.put(companion)
        try transaction.put(other)
        for sequence: Int64 in [3, 1, 2] { try transaction.put(notice(sequence), companion: companion.id) }
        try transaction.put(notice(7), companion: other.id)
      }
      companion.heldThrough = 3
      companion.acknowledgedThrough = 1
      companion.announcedTrips = ["t": .init(isOpen: true, at: moment), "u": .init(isOpen: false, at: moment)]
      try storage.write(user: "p") { transaction in
        try transaction.put(companion)
        try transaction.forgetNotices(companion: companion.id, through: 1)
      }
      try storage.read(user: "p") { reading in
        try expect(try reading.companions(), [companion, other].sorted { $0.id < $1.id })
        try expect(try reading.companion(id: other.id), other)
        try expect(try reading.companion(id: "x"), nil)
        try expect(try reading.notices(companion: companion.id, after: 0, limit: 9), [notice(2), notice(3)])
        try expect(try reading.notices(companion: companion.id, after: 2, limit: 9), [notice(3)])
        try expect(try reading.notices(companion: companion.id, after: 0, limit: 1), [notice(2)])
        try expect(try reading.notices(companion: other.id, after: 0, limit: 9), [notice(7)])
      }
      try storage.read(user: "q") { try expect(try $0.companions(), []) }
    },
    Check("the progress of a webhook is stored until it is deleted") { storage in
      var standing = WebhookDeliveryState(webhook: "w", cursor: 4, epoch: "a")
      standing.claim = .init(hub: "h", until: Date(timeIntervalSince1970: 60))
      try storage.write(user: "p") { transaction in
        try transaction.put(WebhookDeliveryState(webhook: "w", cursor: 1, epoch: nil))
        try transaction.put(WebhookDeliveryState(webhook: "v", cursor: 2, epoch: nil))
        try transaction.put(standing)
      }
      try storage.read(user: "p") { try expect(try $0.webhookStanding(of: "w"), standing) }
      standing.failures = 2
      standing.nextAttempt = moment.addingTimeInterval(2)
      standing.lastAttempt = .init(at: moment, status: nil, words: "nobody is there")
      try storage.write(user: "p") { transaction in
        try transaction.put(standing)
        try transaction.forgetWebhookStanding(of: "v")
      }
      try storage.read(user: "p") { reading in
        try expect(try reading.webhookStanding(of: "w"), standing)
        try expect(try reading.webhookStanding(of: "v"), nil)
      }
      try storage.read(user: "q") { try expect(try $0.webhookStanding(of: "w"), nil) }
    },
    Check("imports are stored in the order of their start, each in its latest state") { storage in
      var second = HubImport(id: "b", format: "loop", source: "Loop.zip", startedAt: moment, before: 3)
      let third = HubImport(id: "c", format: "ics", source: "c", startedAt: moment, before: 9)
      let first = HubImport(
        id: "z", format: "csv", source: "", startedAt: moment.addingTimeInterval(-1), before: 0)
      try storage.write(user: "p") { transaction in
        for entry in [third, second, first] { try transaction.put(entry) }
        try expect(try transaction.imports(), [first, second, third])
      }
      second.through = 8
      second.made = ["event": 4, "event_type": 1]
      second.finishedAt = moment
      second.undoneAt = moment.addingTimeInterval(60)
      second.undoneThrough = 17
      try storage.write(user: "p") { try $0.put(second) }
      try storage.read(user: "p") { try expect(try $0.imports(), [first, second, third]) }
      try storage.read(user: "q") { try expect(try $0.imports(), []) }
    },
    Check("outcomes of one device are deleted up to a sequence number") { storage in
      let outcome = StoredOutcome(digest: "x", verdict: .accepted(version: 1))
      try storage.write(user: "p") { transaction in
        for device in ["d", "e"] {
          for sequence in 1...4 { try transaction.putOutcome(device: device, sequence: Int64(sequence), outcome) }
        }
      }
      try storage.write(user: "p") { try $0.forgetOutcomes(device: "d", through: 3) }
      try storage.write(user: "p") { try $0.forgetOutcomes(device: "d", through: 0) }
      try storage.read(user: "p") { reading in
        try expect(
          try (1...4).map { try reading.outcome(device: "d", sequence: $0) != nil }, [false, false, false, true])
        try expect(try (1...4).map { try reading.outcome(device: "e", sequence: $0) != nil }, [true, true, true, true])
      }
    },
  ]
}

/// A violation of the storage contract.
public struct ContractViolation: Error, Hashable, Sendable, CustomStringConvertible {
  public var description: String

  init(_ description: String) { self.description = description }
}
