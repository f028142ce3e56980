public import TrendyHub
import TrendyModels

extension HubStorageContract {
  static let moving: [Check] = [
    Check("all data of a user can replace that of another user and is identical there") { storage in
      try storage.write(user: "p") { try putOneOfEach(in: $0) }
      // The move must replace the existing data completely.
      try storage.write(user: "q") { transaction in
        try transaction.put(entry("event", "old", version: 3))
        try transaction.purge(kind: "event", id: "purged before")
        try transaction.setMark(device: "old", 3)
        try transaction.putKeyedWrite(device: "old", key: "k", KeyedWrite(digest: "z", kind: "event", id: "old"))
      }
      var records: Set<HubRecord> = []
      try storage.read(user: "p") { try $0.forEachRecord { records.insert($0) } }
      try storage.replace(user: "q") { put in for record in records { try put(record) } }
      var moved: Set<HubRecord> = []
      try storage.read(user: "q") { try $0.forEachRecord { moved.insert($0) } }
      try expect(moved, records)
      try expect(records.count, 16)
      try storage.read(user: "q") { reading in
        try expect(try reading.entries(after: 0, limit: 9).map(\.id), ["e", "t", "dead"])
        try expect(try reading.entry(kind: "event", id: "old"), nil)
        try expect(try reading.isPurged(kind: "event", id: "purged"), true)
        try expect(try reading.isPurged(kind: "event", id: "purged before"), false)
        try expect(try reading.mark(device: "old"), 0)
        try expect(try reading.mark(device: "d"), 4)
        try expect(try reading.outcome(device: "d", sequence: 4)?.digest, "4")
        try expect(try reading.keyedWrite(device: "d", key: "k")?.id, "e")
        try expect(try reading.keyedWrite(device: "old", key: "k"), nil)
        try expect(try reading.living(kind: "event", offset: 0, limit: 9).map(\.id), ["e"])
        try expect(try reading.tombstones(through: 9, limit: 9).map(\.id), ["dead"])
        try expect(try reading.referring(toKind: "event_type", id: "t").map(\.id), ["e"])
      }
      // Repeating the move must not duplicate records.
      try storage.replace(user: "q") { put in for record in records { try put(record) } }
      try expect(
        try HubRecordDigest(of: storage, user: "q"),
        try storage.read(user: "q") { _ in
          var digest = HubRecordDigest()
          for record in records { try digest.add(record, of: "q") }
          return digest
        })
    }
  ]
}

extension HubStorageContract {
  /// Writes sixteen records, at least one of each case of `HubRecord`.
  public static func putOneOfEach(in transaction: any HubTransaction) throws {
    let outcome = { StoredOutcome(digest: $0, verdict: .accepted(version: 1)) }
    let companion = CompanionLink(tracker: "a", companion: "b", createdAt: moment)
    try transaction.setState(HubState(head: 4, epochs: [.init(id: "a", first: 1)], horizon: 1))
    try transaction.put(entry("event", "e", version: 1))
    try transaction.put(entry("event_type", "t", version: 2))
    try transaction.put(entry("event", "dead", version: 4, isDeleted: true))
    try transaction.put(entry("event", "purged", version: 3, isDeleted: true))
    try transaction.purge(kind: "event", id: "purged")
    try transaction.setMark(device: "d", 4)
    try transaction.setMark(device: "\u{0}", 1)
    for sequence: Int64 in [3, 4] {
      try transaction.putOutcome(device: "d", sequence: sequence, outcome("\(sequence)"))
    }
    try transaction.putOutcome(device: "\u{0}", sequence: 1, outcome("other"))
    try transaction.putKeyedWrite(device: "d", key: "k", KeyedWrite(digest: "z", kind: "event", id: "e"))
    try transaction.putContact(HubContact(device: "d", cursor: 2, at: moment, epochs: ["a"]))
    try transaction.put(companion)
    try transaction.put(
      CompanionNotice(sequence: 7, kind: "trip_started", at: moment, data: ["n": 1]), companion: companion.id)
    try transaction.put(WebhookDeliveryState(webhook: "w", cursor: 4, epoch: "a"))
    try transaction.put(HubImport(id: "i", format: "ics", source: "a.ics", startedAt: moment, before: 2))
  }
}
