import Foundation
import Testing
import TrendyModels
import TrendyProtocols
import TrendySync
import TrendyTesting

/// Invalid numbers from a hub. The numbers must neither crash the program nor be stored where they break later edits.
@Suite("Numbers from a hub", .timeLimit(.minutes(10)))
struct OutsideNumberTests {
  private let hub: WireHub
  private let device: Device
  private var store: MockDataStore { device.store }

  init() {
    let hub = WireHub()
    self.hub = hub
    device = Device(cursor: nil, client: { WireHubClient(base: $0, hub: hub) })
  }

  private static let beyond = ["9223372036854775807", "-9223372036854775808", "-9223372036854775809", "1e300", "-1"]

  /// Syncs the device to version 3, with the type T and the event E.
  private func begin() async {
    hub.set {
      $0.snapshot = [
        WireHub.header(head: 3, count: 2), WireHub.type("T", 1), WireHub.event("E", 3, notes: "first"),
      ]
    }
    await device.engine.performSync()
  }

  private var error: String {
    get async { await device.engine.state.errorWords }
  }

  /// Checks that an edit is recorded and sent with stamps and bases in the range that a hub accepts.
  private func checkThatEditsGoOn(_ id: String = "E") async throws {
    try device.recorder.edit(eventId: id) { $0.notes = "mine" }
    try device.recorder.edit(eventId: id) { $0.notes = "mine again" }
    let sent = hub.state.batches.count
    await device.engine.performSync()
    #expect(await error == "")
    let envelopes = hub.state.batches.dropFirst(sent).flatMap { PushRequest($0).mutations }
    let changes = envelopes.flatMap { $0.fields.map { Array($0.values) } ?? [] }
    #expect(!changes.isEmpty)
    for change in changes {
      #expect((0...253_402_300_799_999).contains(change.stamp))
      #expect((0...9_007_199_254_740_991).contains(change.base))
    }
    #expect(store.storedPendingMutations.isEmpty)
  }

  @Test("an entry with an invalid stamp is parked and later edits work", arguments: beyond)
  func stamp(_ number: String) async throws {
    await begin()
    hub.set { $0.pages = [WireHub.page([WireHub.event("E", 4, notes: "spoilt", stamp: number)], next: 4)] }
    await device.engine.performSync()
    #expect(await error == "")
    #expect(try store.fetchParkedChanges().map(\.id) == [4])
    #expect(store.storedEvents["E"]?.notes == "first")
    #expect(store.storedSyncCursor == 4, "the page it came with is in")
    hub.set { $0.head = 4 }
    try await checkThatEditsGoOn()
  }

  @Test("an entry with an invalid incarnation is parked until a valid one replaces it", arguments: beyond)
  func incarnation(_ number: String) async throws {
    await begin()
    hub.set { $0.pages = [WireHub.page([WireHub.event("E", 4, incarnation: number)], next: 4)] }
    await device.engine.performSync()
    #expect(try store.fetchParkedChanges().map(\.id) == [4])
    #expect(try store.fetchParkedChanges().allSatisfy { $0.fault?.hasPrefix("incarnation: ") == true })
    hub.set {
      $0.head = 5
      $0.pages = [WireHub.page([WireHub.event("E", 5, notes: "well")], next: 5)]
    }
    await device.engine.performSync()
    #expect(try store.fetchParkedChanges().isEmpty)
    #expect(store.storedEvents["E"]?.notes == "well")
    try await checkThatEditsGoOn()
  }

  @Test func `an entry parked for an invalid number is stored unchanged and parked again after a restart`()
    async throws
  {
    await begin()
    let text = WireHub.event("E", 4, stamp: "9223372036854775807")
    hub.set { $0.pages = [WireHub.page([text], next: 4)] }
    await device.engine.performSync()
    let parked = try #require(try store.fetchParkedChanges().first)
    let members = try WireJSON.decode([String: JSONValue].self, from: WireJSON.encode(parked))
    #expect(members["marks"] == ["*": [4, .int(.max), "other"]])
    await device.restarted(client: WireHubClient(base: device.network, hub: hub)).performSync()
    #expect(try store.fetchParkedChanges() == [parked])
  }

  @Test("a snapshot entry with an invalid stamp is parked", arguments: beyond)
  func snapshotStamp(_ number: String) async throws {
    hub.set {
      $0.snapshot = [
        WireHub.header(head: 3, count: 3), WireHub.type("T", 1), WireHub.event("E", 2, notes: "first"),
        WireHub.event("F", 3, stamp: number),
      ]
    }
    await device.engine.performSync()
    #expect(await error == "")
    #expect(try store.fetchParkedChanges().map(\.entityId) == ["F"])
    try await checkThatEditsGoOn()
  }

  @Test("a page with an invalid time, epoch or version is rejected and changes nothing")
  func positions() async throws {
    await begin()
    var pages = Self.beyond.map { WireHub.page([], next: 4, now: $0) }
    pages += Self.beyond.map { WireHub.page([], next: 4, first: $0) }
    pages += Self.beyond.map {
      WireHub.page([WireHub.event("E", 4)], next: 4).replacingOccurrences(of: #""id":4"#, with: #""id":\#($0)"#)
    }
    pages += Self.beyond.map {
      WireHub.page([], next: 4).replacingOccurrences(of: #""next_cursor":4"#, with: #""next_cursor":\#($0)"#)
    }
    pages += Self.beyond.map {
      WireHub.page([], next: 4).replacingOccurrences(of: #""head":4"#, with: #""head":\#($0)"#)
    }
    let memory = try store.syncMemory()
    for page in pages {
      hub.set { $0.pages = [page] }
      await device.engine.performSync()
      let (words, after) = (await error, try store.syncMemory())
      #expect(words.contains("expected a whole number"), "\(page)")
      #expect(store.storedSyncCursor == 3 && after == memory, "\(page)")
    }
    try await checkThatEditsGoOn()
  }

  @Test("a page with an entry outside its version range is rejected", arguments: [3, 5, 9_007_199_254_740_991])
  func outsideOfItsPage(_ version: Int64) async throws {
    await begin()
    hub.set { $0.pages = [WireHub.page([WireHub.event("E", version)], next: 4)] }
    await device.engine.performSync()
    #expect(await error.contains("\(version)"))
    #expect(store.storedSyncCursor == 3)
    try await checkThatEditsGoOn()
  }

  @Test("hub times at both ends of the range are accepted", arguments: ["0", "253402300799999"])
  func endsOfTime(_ now: String) async throws {
    await begin()
    hub.set { $0.pages = [WireHub.page([], next: 3, now: now)] }
    await device.engine.performSync()
    #expect(await error == "")
    try await checkThatEditsGoOn()
  }

  @Test("an outcome with an invalid version or delay changes nothing and the push is repeated", arguments: beyond)
  func outcome(_ number: String) async throws {
    await begin()
    try device.recorder.edit(eventId: "E") { $0.notes = "mine" }
    for member in [#""status":"accepted","version":\#(number)"#, #""status":"try_later","retry_after_s":\#(number)"#] {
      hub.set {
        $0.answers = [#"{"outcomes":[{"seq":1,\#(member)}],"# + WireHub.position(head: 4) + "}"]
      }
      await device.engine.performSync()
      #expect(await error.contains("expected a whole number"))
      #expect(store.storedPendingMutations.count == 1)
    }
    try await checkThatEditsGoOn()
  }

  @Test func `a snapshot whose next part is unknown to the hub restarts`() async throws {
    hub.set {
      $0.snapshot = [
        WireHub.header(head: 3, count: 1).replacing(#"{"count""#, with: #"{"next":"no\u0001where","spans":[],"count""#),
        WireHub.type("T", 1),
      ]
    }
    await device.engine.performSync()
    let memory = try #require(try store.syncMemory())
    #expect(memory.snapshot?.next == "no\u{1}where")
    hub.set { $0.snapshot = [WireHub.header(head: 3, count: 2), WireHub.type("T", 1), WireHub.event("E", 3)] }
    await device.engine.performSync()
    #expect(await error == "")
    #expect(try store.syncMemory()?.snapshot == nil)
    try await checkThatEditsGoOn()
  }

  @Test func `a device clock beyond either end of the range gives valid stamps`() async throws {
    await begin()
    for seconds in [-1e18, -62_135_769_600, -1, 253_402_300_800, 1e18] {
      let date = Date(timeIntervalSince1970: seconds)
      device.clock.setDate(date)
      try await checkThatEditsGoOn()
    }
  }
}
