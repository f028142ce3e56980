import Foundation
import Synchronization
import Testing
import TrendyModels
import TrendyProtocols
import TrendySync
import TrendyTesting

/// Data loss and duplicates seen in other sync engines, one fault per test. Each test's comment names the damage that
/// the fault causes, and the mutant in `Tools/mutants.txt` that removes the guard against it.
@Suite("Original faults", .timeLimit(.minutes(10)))
struct OriginalFaultTests {
  private let hub = SharedHub()

  /// Errors of the next requests, one per request, by kind of request.
  private final class Faults: Sendable {
    private let content = Mutex<[SharedHub.Request: [APIError]]>([:])

    func set(_ request: SharedHub.Request, _ errors: APIError...) { content.withLock { $0[request] = errors } }

    func strike(_ request: SharedHub.Request) throws {
      let error = content.withLock { content -> APIError? in
        guard content[request]?.isEmpty == false else { return nil }
        return content[request]?.removeFirst()
      }
      if let error { throw error }
    }
  }

  private func makeDevice(
    seed: UInt64 = 1, configuration: SyncConfiguration = .init(), before: Faults = Faults(), after: Faults = Faults(),
    power: Power = Power()
  ) -> Device {
    let device = Device(
      cursor: nil, seed: seed, configuration: configuration,
      client: { [hub] base in
        SharedHubClient(
          base: base, hub: hub, before: { try before.strike($0) },
          after: {
            try after.strike($0)
            power.onAnswer(to: $0)
          })
      })
    power.watch(device.factory)
    return device
  }

  /// Power supply of a device. The power can fail when a response has arrived but no part of it has been saved yet.
  private final class Power: Sendable {
    private struct State {
      var factory: MockDataStoreFactory?
      var request: SharedHub.Request?
      var answers = 0
    }

    private let content = Mutex(State())

    func watch(_ factory: MockDataStoreFactory) { content.withLock { $0.factory = factory } }

    /// Cuts the power when a response to a request of this kind arrives, after `answers` other responses.
    func go(with request: SharedHub.Request, after answers: Int = 0) {
      content.withLock {
        $0.request = request
        $0.answers = answers
      }
    }

    func comeBack() {
      content.withLock {
        $0.request = nil
        $0.factory?.mockStore.throwOnSave = nil
      }
    }

    func onAnswer(to request: SharedHub.Request) {
      content.withLock { state in
        guard state.request == request else { return }
        if state.answers == 0 { state.factory?.mockStore.throwOnSave = TestError("the power is gone") }
        state.answers -= 1
      }
    }
  }

  private func fillHub() {
    hub.put(.type("T", 1))
    hub.put(.event("E", 2, notes: "as it was"))
  }

  private func isQuiet(_ device: Device) -> Bool {
    device.store.storedPendingMutations.isEmpty && device.store.storedConflicts.isEmpty
  }

  // MARK: Faults

  /// Damage: the second edit is lost, or the first is applied twice. Mutant: the sent is merged into.
  @Test("a second edit while the first waits", arguments: ["unsent", "request lost", "answer lost"])
  func secondEdit(first: String) async throws {
    fillHub()
    let (before, after) = (Faults(), Faults())
    let device = makeDevice(before: before, after: after)
    await device.engine.performSync()
    try device.recorder.edit(eventId: "E") { $0.notes = "first" }
    if first != "unsent" {
      (first == "request lost" ? before : after).set(.push, .networkError("cut off"))
      await device.engine.performSync()
      #expect(device.store.storedPendingMutations.count == 1)
    }
    try device.recorder.edit(eventId: "E") {
      $0.notes = "second"
      $0.locationName = "home"
    }
    #expect(device.store.storedEvents["E"]?.notes == "second", "seen at once")
    await device.engine.performSync()
    let atHub = hub.living(.event)["E"]
    #expect(atHub?["notes"] == "second" && atHub?["location_name"] == "home")
    #expect(device.store.storedEvents["E"]?.notes == "second" && isQuiet(device))
  }

  /// Damage: the cleared value remains at the hub or on another device.
  @Test func `clearing a field to null, both ways`() async throws {
    fillHub()
    let (one, two) = (makeDevice(), makeDevice(seed: 10))
    await one.engine.performSync()
    await two.engine.performSync()
    try one.recorder.edit(eventId: "E") { $0.notes = nil }
    await one.engine.performSync()
    #expect(hub.living(.event)["E"]?["notes"] == .null)
    await two.engine.performSync()
    #expect(two.store.storedEvents["E"] != nil && two.store.storedEvents["E"]?.notes == nil)
    // In the other direction, device two sets a value and device one receives it.
    try two.recorder.edit(eventId: "E") { $0.notes = "again" }
    await two.engine.performSync()
    try one.recorder.edit(eventId: "E") { $0.locationName = "home" }
    await one.engine.performSync()
    #expect(one.store.storedEvents["E"]?.notes == "again" && one.store.storedEvents["E"]?.locationName == "home")
    #expect(isQuiet(one) && isQuiet(two))
  }

  /// Damage: the user's entry is mistaken for a duplicate and deleted on the device. Mutant: refused and forgotten.
  @Test(
    "any 409",
    arguments: [
      APIError.httpError(409),
      .problem(ProblemDetails(type: ProblemDetails.duplicateType, status: 409), retryAfter: nil),
      .problem(ProblemDetails(type: ProblemDetails.entityDeleted, status: 409), retryAfter: nil),
      .problem(ProblemDetails(type: "urn:trendy:error:of_tomorrow", status: 409), retryAfter: nil),
    ])
  func conflict(error: APIError) async throws {
    let device = Device()
    device.seedType()
    try device.recorder.record(EventFixture.makeEvent(id: "new", eventTypeId: "type-1", notes: "kept"))
    device.network.createEventsBatchResponses = [.failure(error)]
    await device.engine.performSync()
    let isDeleted =
      if case .problem(let problem, _) = error { problem.type == ProblemDetails.entityDeleted } else { false }
    #expect(device.store.storedEvents["new"]?.notes == (isDeleted ? nil : "kept"))
    #expect(device.store.storedPendingMutations.isEmpty, "and nothing behind it waits for ever")
    let isDone = error.isDuplicateError
    #expect(device.store.storedConflicts.map(\.entityId) == (isDone ? [] : ["new"]))
    if !isDone {
      let id = try #require(device.recorder.openConflicts().first?.id)
      try device.recorder.retryConflict(id: id)
      await device.engine.performSync()
      #expect(device.network.createEventsBatchCalls.last?.events.map(\.notes) == ["kept"] && isQuiet(device))
    }
  }

  /// Damage: the change is abandoned after the fifth timeout.
  @Test("five time-outs in a row", arguments: [true, false])
  func timeouts(hubHeard: Bool) async throws {
    fillHub()
    let faults = Faults()
    let device = makeDevice(before: hubHeard ? Faults() : faults, after: hubHeard ? faults : Faults())
    await device.engine.performSync()
    try device.recorder.record(EventFixture.makeEvent(id: "new", eventTypeId: "T", notes: "kept"))
    try device.recorder.edit(eventId: "E") { $0.notes = "changed" }
    let error = APIError.timedOut("the request")
    faults.set(.push, error, error, error, error, error)
    for _ in 0..<5 {
      await device.engine.performSync()
      #expect(device.store.storedPendingMutations.count == 2 && device.store.storedEvents["new"]?.notes == "kept")
    }
    await device.engine.performSync()
    #expect(isQuiet(device))
    #expect(hub.living(.event).mapValues { $0["notes"] } == ["E": "changed", "new": "kept"])
    #expect(hub.head == 4, "each took effect once")
  }

  /// Damage: the rest of the page is lost, or the pull never gets past the page.
  @Test func `a page with one undecodable entry`() async throws {
    fillHub()
    let device = makeDevice()
    await device.engine.performSync()
    hub.put(.event("before", 3, notes: "before"))
    hub.put(.entry(.event, "odd", 4, ["event_type_id": "T", "timestamp": "the day after tomorrow"]))
    hub.put(.event("after", 5, notes: "after"))
    await device.engine.performSync()
    #expect(Set(device.store.storedEvents.keys) == ["E", "before", "after"])
    #expect(device.store.storedSyncCursor == 5 && device.store.storedParkedChanges.map(\.entityId) == ["odd"])
    #expect(device.store.storedParkedChanges.first?.data?.rawData["timestamp"] == "the day after tomorrow", "kept raw")
    hub.put(.event("odd", 6, notes: "mended"))
    await device.engine.performSync()
    #expect(device.store.storedEvents["odd"]?.notes == "mended" && device.store.storedParkedChanges.isEmpty)
  }

  /// Damage: the page is skipped or applied twice.
  @Test func `crash between page and cursor`() async throws {
    fillHub()
    let power = Power()
    let device = makeDevice(configuration: SyncConfiguration(pageSize: 2, largePageSize: 2), power: power)
    await device.engine.performSync()
    for version in 3...8 { hub.put(.event("new \(version)", Int64(version))) }
    // Rows and cursor of each page are stored together or not at all.
    for page in [0, 1, 0] {
      let before = try #require(device.store.storedSyncCursor)
      power.go(with: .changes, after: page)
      await device.engine.performSync()
      power.comeBack()
      let cursor = try #require(device.store.storedSyncCursor)
      #expect(cursor == before + Int64(2 * page))
      #expect(Set(device.store.storedEvents.keys) == Set(["E"] + (3...8).filter { $0 <= cursor }.map { "new \($0)" }))
    }
    await device.engine.performSync()
    #expect(device.store.storedEvents.count == 7 && device.store.storedSyncCursor == 8)
  }

  /// Damage: a change between the snapshot and the pull never arrives.
  @Test func `a change made on another device between snapshot and first pull`() async throws {
    fillHub()
    let hub = hub
    let hasChanged = Mutex(false)
    let device = Device(
      cursor: nil,
      client: { base in
        SharedHubClient(
          base: base, hub: hub, before: { _ in },
          after: { request in
            guard request == .snapshot,
              !hasChanged.withLock({ was in
                defer { was = true }; return was
              })
            else { return }
            hub.put(.event("E", 3, notes: "changed meanwhile"))
            hub.put(.event("F", 4, notes: "made meanwhile"))
          })
      })
    await device.engine.performSync()
    #expect(hasChanged.withLock { $0 })
    #expect(device.store.storedEvents["E"]?.notes == "changed meanwhile")
    #expect(device.store.storedEvents["F"]?.notes == "made meanwhile" && device.store.storedSyncCursor == 4)
  }

  /// Damage: the cursor is set to 0 or to the head, so that everything is applied twice or later changes are never
  /// applied.
  @Test func `a failed latest-cursor call`() async throws {
    let device = Device(cursor: nil)
    device.seedType("type-here")
    try device.recorder.record(EventFixture.makeEvent(id: "here", eventTypeId: "type-here"))
    device.network.latestCursorToReturn = 40
    device.network.eventTypesToReturn = [
      APIModelFixture.makeAPIEventType(id: "type-here"), APIModelFixture.makeAPIEventType(id: "type-1"),
    ]
    device.network.eventsToReturn = [APIModelFixture.makeAPIEvent(id: "there", eventTypeId: "type-1")]
    device.network.getLatestCursorResponses = [.failure(APIError.networkError("cut off"))]
    await device.engine.performSync()
    #expect(device.store.storedSyncCursor == nil && device.store.storedEvents["here"] != nil)
    #expect(await device.engine.state.isError)
    device.network.eventsToReturn.append(APIModelFixture.makeAPIEvent(id: "here", eventTypeId: "type-here"))
    await device.engine.performSync()
    #expect(device.store.storedSyncCursor == 40 && Set(device.store.storedEvents.keys) == ["here", "there"])
    #expect(device.network.createEventsBatchCalls.flatMap(\.events).map(\.id) == ["here"] && isQuiet(device))
  }

  /// Damage: the event is refused because its type is unknown, and it is lost.
  @Test("an event created before its type was pushed", arguments: [1, 50])
  func beforeItsType(batchSize: Int) async throws {
    let faults = Faults()
    let device = makeDevice(configuration: SyncConfiguration(batchSize: batchSize), before: faults)
    faults.set(.push, .httpError(503), .networkError("cut off"))
    try device.recorder.record(EventTypeFixture.makeEventType(id: "own type"))
    try device.recorder.record(EventFixture.makeEvent(id: "new", eventTypeId: "own type", notes: "kept"))
    for _ in 0..<3 {
      await device.engine.performSync()
      #expect(device.store.storedEvents["new"]?.notes == "kept" && device.store.storedEventTypes["own type"] != nil)
    }
    #expect(hub.living(.event)["new"]?["notes"] == "kept" && hub.living(.eventType).count == 1 && isQuiet(device))
  }

  /// Damage: the record is empty or incomplete, because rows are deleted before the new rows are fetched.
  @Test("the app killed in the middle of a forced resync", arguments: ["asking", "answered", "saving"])
  func killed(moment: String) async throws {
    fillHub()
    hub.put(.event("F", 3, notes: "two"))
    let (before, after) = (Faults(), Faults())
    let power = Power()
    let device = makeDevice(before: before, after: after, power: power)
    await device.engine.performSync()
    try device.recorder.edit(eventId: "E") { $0.notes = "waits" }
    try device.recorder.record(EventFixture.makeEvent(id: "new", eventTypeId: "T", notes: "waits too"))
    before.set(.push, .networkError("cut off"))
    switch moment {
    case "asking": before.set(.snapshot, .networkError("killed"))
    case "answered": after.set(.snapshot, .networkError("killed"))
    default: power.go(with: .snapshot)
    }
    let unit = device.factory.makeDataStore()
    try unit.requestResync()
    try unit.save()
    await device.engine.performSync()
    power.comeBack()
    #expect(device.store.storedEvents.mapValues { $0.notes ?? "" } == ["E": "waits", "F": "two", "new": "waits too"])
    #expect(device.store.storedPendingMutations.count == 2 && device.store.storedSyncCursor == nil)
    // After a restart, the engine has only the store.
    await device.restarted(client: SharedHubClient(base: device.network, hub: hub, before: { _ in }, after: { _ in }))
      .performSync()
    #expect(device.store.storedEvents.mapValues { $0.notes ?? "" } == ["E": "waits", "F": "two", "new": "waits too"])
    #expect(hub.living(.event).mapValues { $0["notes"] } == ["E": "waits", "F": "two", "new": "waits too"])
    #expect(isQuiet(device) && device.store.storedSyncCursor == hub.head)
  }

  /// Damage: the pull restarts after each refusal and never ends. At most 110 requests are allowed besides the refused
  /// ones.
  @Test func `a rate-limited hub with 50,000 entries of backlog`() async throws {
    fillHub()
    let hub = hub
    let refused = Mutex(0)
    let device = Device(
      cursor: nil,
      client: { base in
        SharedHubClient(
          base: base, hub: hub,
          before: { request in
            guard request == .changes, hub.requests.isMultiple(of: 4) else { return }
            refused.withLock { $0 += 1 }
            throw APIError.problem(ProblemDetails(title: "Too many requests", status: 429), retryAfter: .seconds(5))
          }, after: { _ in })
      })
    await device.engine.performSync()
    if device.store.storedSyncCursor != 2 { await device.engine.performSync() }
    try #require(device.store.storedSyncCursor == 2)
    for index in 0..<50_000 { hub.put(.event("\(index)", Int64(3 + index))) }
    let (before, refusedBefore) = (hub.requests, refused.withLock { $0 })
    var rounds = 0
    while device.store.storedSyncCursor != hub.head, rounds < 200 {
      let cursor = device.store.storedSyncCursor ?? 0
      await device.engine.performSync()
      #expect((device.store.storedSyncCursor ?? 0) >= cursor, "it goes on where it was")
      await device.clock.advance(by: .seconds(300))
      rounds += 1
    }
    #expect(try device.store.syncDigest()?.kinds["event"]?.count == 50_001)
    #expect(hub.requests - before - (refused.withLock { $0 } - refusedBefore) <= 110)
    #expect(isQuiet(device))
  }

  /// Damage: every event appears twice on both devices. Mutant: import overwrites.
  @Test func `bulk import of 5,000 events on two devices from the same source`() async throws {
    fillHub()
    let (one, two) = (makeDevice(), makeDevice(seed: 10))
    await one.engine.performSync()
    await two.engine.performSync()
    let events = (0..<5_000).map { index in
      EventFixture.makeEvent(
        id: "00000000-0000-8000-8000-" + String(format: "%012d", index), eventTypeId: "T", notes: "imported")
    }
    for device in [one, two] {
      // An import takes some time.
      for start in stride(from: 0, to: events.count, by: 100) {
        #expect(try device.recorder.record(Array(events[start..<start + 100])) == 100)
        await device.clock.advance(by: .milliseconds(1))
      }
    }
    await one.engine.performSync()
    let head = hub.head
    try one.recorder.edit(eventId: events[7].id) { $0.notes = "by hand" }
    await one.engine.performSync()
    await two.engine.performSync()
    await one.engine.performSync()
    #expect(hub.living(.event).count == 5_001 && hub.head == head + 1, "the second import changed nothing")
    for device in [one, two] {
      #expect(device.store.storedEvents.count == 5_001 && isQuiet(device))
      #expect(device.store.storedEvents[events[7].id]?.notes == "by hand")
      #expect(try device.recorder.record(events) == 0, "once more makes nothing")
    }
  }

  /// Damage: the editor overwrites the other device's change with the old value.
  @Test func `an editor with a stale copy changing one field`() async throws {
    fillHub()
    let (one, two) = (makeDevice(), makeDevice(seed: 10))
    await one.engine.performSync()
    await two.engine.performSync()
    // The copy is made before the other device's change arrives, and is saved afterwards.
    let copy = try #require(two.store.storedEvents["E"])
    try one.recorder.edit(eventId: "E") { $0.notes = "from the other device" }
    await one.engine.performSync()
    await two.engine.performSync()
    var edited = copy
    edited.locationName = "home"
    let request = try #require(edited.updateRequest(from: copy))
    try two.recorder.edit(eventId: "E") { $0.apply(request) }
    let mutation = try #require(two.store.storedPendingMutations.first)
    #expect(try Set(FieldChange.changes(of: mutation).keys) == ["location_name"])
    await two.engine.performSync()
    await one.engine.performSync()
    for device in [one, two] {
      #expect(device.store.storedEvents["E"]?.notes == "from the other device")
      #expect(device.store.storedEvents["E"]?.locationName == "home" && isQuiet(device))
    }
  }
}
