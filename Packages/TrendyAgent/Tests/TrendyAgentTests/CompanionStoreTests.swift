import Foundation
import StorageTesting
import Testing
import TrendyAgent
import TrendyModels
import TrendyPersistence
import TrendyTesting

@Suite("CompanionStore", .timeLimit(.minutes(10)))
struct CompanionStoreTests {
  private static let moment = DeterministicDate.jan1_2024

  private static func link(isTracker: Bool, held: Int64 = 0, acknowledged: Int64 = 0, isRemoved: Bool = false)
    -> APICompanion
  {
    APICompanion(
      id: "link", trackerId: isTracker ? "me" : "other", trackerName: isTracker ? "me" : "phone",
      companionId: isTracker ? "other" : "me", companionName: isTracker ? "watch" : "me", heldThrough: held,
      acknowledgedThrough: acknowledged, isRemoved: isRemoved)
  }

  private static func notice(_ sequence: Int64, _ kind: String = CompanionNotice.Kind.tripStarted) -> CompanionNotice {
    CompanionNotice(sequence: sequence, kind: kind, at: moment, data: ["n": .int(sequence)])
  }

  private let files = SimulatedFileSystem()

  private func open() throws -> CompanionStore { try CompanionStore(directory: "companion", fileSystem: files) }

  @Test func `notices are kept with increasing sequence numbers until acknowledged`() throws {
    let store = try open()
    #expect(try !store.tell([.init(kind: "trip_started")], at: Self.moment), "there is nobody")
    #expect(try store.update(with: [Self.link(isTracker: true)], deviceId: "me").isEmpty)
    #expect(try store.tell([.init(kind: "trip_started"), .init(kind: "trip_active")], at: Self.moment))
    #expect(try store.tell([.init(kind: "trip_ended")], at: Self.moment))
    #expect(try store.waiting(for: "link", after: 0, limit: 9).map(\.sequence) == [1, 2, 3])
    #expect(try store.waiting(for: "link", after: 1, limit: 1).map(\.kind) == ["trip_active"])
    try store.acknowledge("link", through: 2)
    try store.acknowledge("link", through: 1)
    #expect(try open().waiting(for: "link", after: 0, limit: 9).map(\.kind) == ["trip_ended"])
    #expect(try store.waitingCount(for: "link") == 1)
  }

  @Test func `received notices are accepted once and in order`() throws {
    let store = try open()
    #expect(try store.take([Self.notice(1)], over: "link").isEmpty, "it is told by nobody")
    _ = try store.update(with: [Self.link(isTracker: false)], deviceId: "me")
    #expect(try store.take([Self.notice(1), Self.notice(2)], over: "link").map(\.sequence) == [1, 2])
    #expect(try store.take([Self.notice(3), Self.notice(2)], over: "link").map(\.sequence) == [3])
    #expect(try open().take([Self.notice(1), Self.notice(3)], over: "link").isEmpty)
    #expect(try store.received(limit: .max).map(\.notice) == (1...3).map { Self.notice($0) })
    #expect(try store.received(limit: 1).map(\.notice.sequence) == [3])
  }

  /// Reject the end of the range, which no number can follow, because accepting it would block the link permanently.
  @Test func `sequence numbers out of range are ignored, and later ones still work`() throws {
    let store = try open()
    for most in [Int64.max, SyncRange.counter.upperBound] {
      _ = try store.update(with: [Self.link(isTracker: true, isRemoved: true)], deviceId: "me")
      _ = try store.update(with: [Self.link(isTracker: true, held: most, acknowledged: most)], deviceId: "me")
      try store.tell([.init(kind: "trip_started")], at: Self.moment)
      try store.acknowledge("link", through: most)
      try store.tell([.init(kind: "trip_ended")], at: Self.moment)
      #expect(try open().waiting(for: "link", after: 0, limit: 9).map(\.sequence) == [1, 2])
    }
    _ = try store.update(with: [Self.link(isTracker: true, isRemoved: true)], deviceId: "me")
    _ = try store.update(with: [Self.link(isTracker: false)], deviceId: "me")
    #expect(try store.take([Self.notice(1), Self.notice(.max)], over: "link").map(\.sequence) == [1])
    #expect(try store.take([Self.notice(2)], over: "link").map(\.sequence) == [2])
  }

  @Test func `a crash at any write leaves each notice stored at most once with its number`() throws {
    // In each run the fault hits a later write, until a run completes without it.
    for write in 1... {
      let files = SimulatedFileSystem()
      let store = try CompanionStore(directory: "companion", fileSystem: files)
      _ = try store.update(with: [Self.link(isTracker: false)], deviceId: "me")
      files.powerOff(beforeChange: write)
      for sequence: Int64 in 1...3 { try? _ = store.take([Self.notice(sequence)], over: "link") }
      let isWhole = !files.isOff
      files.restart(losing: .unsynced)
      let again = try CompanionStore(directory: "companion", fileSystem: files)
      let held = try again.received(limit: .max).map(\.notice.sequence)
      #expect(held == Array((1...3).prefix(held.count)))
      #expect(try again.links().first?.lastSequence == Int64(held.count), "write \(write)")
      #expect(try again.take((1...3).map { Self.notice($0) }, over: "link").count == 3 - held.count)
      #expect(try again.received(limit: .max).map(\.notice.sequence) == [1, 2, 3])
      guard !isWhole else { return }
    }
  }

  @Test func `a trip is announced and marked as announced in one save`() throws {
    for write in 1... {
      let files = SimulatedFileSystem()
      let store = try CompanionStore(directory: "companion", fileSystem: files)
      _ = try store.update(with: [Self.link(isTracker: true)], deviceId: "me")
      files.powerOff(beforeChange: write)
      let trip = CompanionChannel.DeviceTrip(id: "trip", device: "car", start: Self.moment)
      let clock = ManualClock(now: Self.moment)
      _ = try? CompanionChannel(store: store, clock: clock).tell(open: [trip]) { _ in nil }
      let isWhole = !files.isOff
      files.restart(losing: .unsynced)
      let again = try CompanionStore(directory: "companion", fileSystem: files)
      let channel = CompanionChannel(store: again, clock: clock)
      let isNew = try channel.tell(open: [trip]) { _ in nil }
      #expect(isNew != isWhole || write > 1)
      #expect(
        try again.waiting(for: "link", after: 0, limit: 9).map(\.kind) == ["trip_started", "trip_active"],
        "write \(write)")
      guard !isWhole else { return }
    }
  }

  @Test func `a device with a new store continues above its previous sequence numbers`() throws {
    let store = try open()
    _ = try store.update(with: [Self.link(isTracker: true, held: 7, acknowledged: 5)], deviceId: "me")
    try store.tell([.init(kind: "trip_started")], at: Self.moment)
    #expect(try store.waiting(for: "link", after: 0, limit: 9).map(\.sequence) == [8])
  }

  @Test func `a removed link is deleted, and one that the hub lost is reported`() throws {
    let store = try open()
    _ = try store.update(with: [Self.link(isTracker: true)], deviceId: "me")
    try store.tell([.init(kind: "trip_started")], at: Self.moment, announcedTrips: [.init(id: "trip", device: "car")])
    #expect(try store.update(with: [], deviceId: "me").map(\.id) == ["link"])
    #expect(try store.links().count == 1, "the hub may have been restored")
    #expect(try store.update(with: [Self.link(isTracker: true, isRemoved: true)], deviceId: "me").isEmpty)
    #expect(try store.links().isEmpty && store.waitingCount(for: "link") == 0 && store.announcedTrips().isEmpty)
  }

  @Test func `changes are announced in order: ends, starts, whether a trip is in progress`() throws {
    let store = try open()
    _ = try store.update(with: [Self.link(isTracker: true)], deviceId: "me")
    let channel = CompanionChannel(store: store, clock: ManualClock())
    func trip(_ id: String) -> CompanionChannel.DeviceTrip { .init(id: id, device: "d" + id, start: Self.moment) }
    #expect(try channel.tell(open: [trip("1")]) { _ in nil })
    #expect(try !channel.tell(open: [trip("1")]) { _ in nil }, "nothing new")
    #expect(try channel.tell(open: [trip("2")]) { $0 == "1" ? ["distance_m": 5] : nil })
    #expect(try channel.tell(open: []) { _ in nil })
    let notices = try store.waiting(for: "link", after: 0, limit: 99)
    #expect(
      notices.map(\.kind) == [
        "trip_started", "trip_active", "trip_ended", "trip_started", "trip_cancelled", "trip_active",
      ])
    #expect(notices[2].data == ["id": "1", "device": "d1", "distance_m": 5])
    #expect(notices.compactMap { $0.data["active"]?.boolValue } == [true, false])
  }
}
