import Foundation
import StorageTesting
import Synchronization
import TrendyHub
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendySimulation
import TrendySync
import TrendyTesting

/// Syncs a device with a hub that sometimes returns fuzzed responses. The device records and edits after each response.
/// Once the responses are valid again, the device must converge with the hub and push its changes.
struct DeviceScenario {
  private var source: FuzzSource
  private let hub: FuzzHub
  private let answers: Answers
  private let clock: FuzzClock
  private let factory: DefaultDataStoreFactory
  private let recorder: Recorder
  private let engine: SyncEngine
  private let readsSnapshots: Bool

  /// Replaces some of the hub's responses with fuzzed responses.
  fileprivate final class Answers: Sendable {
    struct State {
      var source: FuzzSource
      /// Number of responses still to be fuzzed.
      var fuzzedAnswers = 0
      var readsSnapshots: Bool
      var asked = 0
    }
    let content: Mutex<State>

    init(_ source: FuzzSource, readsSnapshots: Bool) {
      content = Mutex(State(source: source, readsSnapshots: readsSnapshots))
    }

    func answer(to request: HTTPRequest, _ honest: HTTPResponse) async throws -> HTTPResponse {
      let body = try await honest.collectedBody()
      let isSnapshot = request.path.hasSuffix("/snapshot")
      return content.withLock { state in
        var response = HTTPResponse(status: honest.status, headers: honest.headers, body: .data(body))
        state.asked += 1
        // Usually fuzz the kind of response under test (page or snapshot), and occasionally the other kind.
        let isMeant = state.readsSnapshots ? isSnapshot : !isSnapshot
        guard state.fuzzedAnswers > 0, isMeant || state.source.once(in: 10) else { return response }
        state.fuzzedAnswers -= 1
        if state.source.once(in: 30) { response.status = state.source.pick([400, 409, 410, 413, 429, 500, 503]) }
        if state.source.once(in: 20) { response.headers["Retry-After"] = state.source.numeral() }
        response.body = .data(Data(state.changed(body, isSnapshot: isSnapshot)))
        return response
      }
    }
  }

  init(_ source: inout FuzzSource, readsSnapshots: Bool) throws {
    hub = try FuzzHub(seed: source.next())
    clock = hub.clock
    answers = Answers(FuzzSource(seed: source.next()), readsSnapshots: readsSnapshots)
    factory = try DefaultDataStoreFactory(
      directory: "/store", fileSystem: SimulatedFileSystem(),
      options: .init(firstChunkBytes: 16_384, largestChunkBytes: 262_144),
      generator: SeededGenerator(seed: source.next()))
    recorder = Recorder(dataStoreFactory: factory, clock: clock, generator: SeededGenerator(seed: source.next()))
    engine = SyncEngine(
      networkClient: InProcessClient(token: hub.token) { [hub, answers] request in
        try await answers.answer(to: request, await hub.server.handle(request))
      }, dataStoreFactory: factory, clock: clock, generator: SeededGenerator(seed: source.next()),
      configuration: SyncConfiguration(pageSize: 3, largePageSize: 5))
    self.source = source
    self.readsSnapshots = readsSnapshots
  }

  mutating func run(_ count: Int) async throws -> [String: Int] {
    var outcomes: [String: Int] = [:]
    try recorder.record(EventType(id: "T", name: "Coffee", colorHex: "#000000", iconName: "cup"))
    try recordEvent("E")
    await engine.performSync()
    for number in 0..<count {
      answers.content.withLock { $0.fuzzedAnswers = 1 }
      if readsSnapshots { await engine.forceFullResync() } else { await engine.performSync() }
      outcomes[Self.word(await engine.state), default: 0] += 1
      try recordEvent("case-\(number)")
      try editAny()
      try check()
      if source.once(in: 3) { try await writeFromOtherDevice(number) }
      clock.advance(by: 60)
    }
    try await checkConvergence()
    return outcomes
  }

  private static func word(_ state: SyncState) -> String {
    switch state {
    case .error(let words): String(words.prefix(34))
    case .rateLimited: "rate limited"
    default: "taken"
    }
  }

  private func recordEvent(_ id: String) throws {
    let store = factory.makeDataStore()
    // The hub may have deleted the type.
    if try store.findEventType(id: "T") == nil {
      try recorder.record(EventType(id: "T-\(id)", name: "Tea", colorHex: "#000000", iconName: "cup"))
      try recorder.record(Event(id: id, eventTypeId: "T-\(id)", timestamp: clock.now))
    } else {
      try recorder.record(Event(id: id, eventTypeId: "T", timestamp: clock.now))
    }
  }

  private mutating func editAny() throws {
    let events = try factory.makeDataStore().fetchAllEvents()
    guard !events.isEmpty else { return }
    let event = source.pick(events)
    switch source.below(4) {
    case 0: try recorder.delete(eventId: event.id)
    case 1:
      try recorder.delete(eventId: event.id)
      do {
        try recorder.restore(eventId: event.id)
      } catch is RecorderError {
        // The deletion has already been pushed, or the event's type was deleted.
      }
    default: try recorder.edit(eventId: event.id) { $0.notes = "note" }
    }
  }

  /// Writes to the hub as another device of the same user would.
  private mutating func writeFromOtherDevice(_ number: Int) async throws {
    let type = source.pick(["T", "other-\(number)"])
    let body = #"{"id":"\#(type)","name":"Other","color":"c","icon":"i"}"#
    _ = try await hub.ask("POST", "/event-types", Array(body.utf8))
    let event =
      #"{"id":"by-other-\#(number)","event_type_id":"\#(type)","timestamp":"2024-01-01T00:00:00Z","notes":"x"}"#
    _ = try await hub.ask("POST", "/events", Array(event.utf8))
    if source.once(in: 3) { _ = try await hub.ask("PATCH", "/events/E", Array(#"{"notes":"other"}"#.utf8)) }
    if source.once(in: 6) { _ = try await hub.ask("DELETE", "/events/by-other-\(number)") }
  }

  /// Checks that every stored number, and every number in the queued mutations, is within its range.
  private func check() throws {
    let store = factory.makeDataStore()
    if let memory = try store.syncMemory() {
      guard SyncRange.stamp.contains(memory.lastStamp), SyncRange.counter.contains(memory.seen) else {
        throw Finding("the sync state is out of range: \(memory)")
      }
    }
    if let cursor = try store.syncCursor(), !SyncRange.counter.contains(cursor) {
      throw Finding("the cursor is out of range: \(cursor)")
    }
    for mutation in try store.fetchPendingMutations() {
      // Decodes the mutation as the hub does.
      let envelope = MutationEnvelope(mutation)
      guard try WireJSON.decode(MutationEnvelope.self, from: try WireJSON.encode(envelope)) == envelope else {
        throw Finding("\(envelope) changes in a round trip")
      }
    }
    _ = try recorder.openConflicts()
  }

  /// Stops fuzzing and checks that the device converges with the hub.
  private mutating func checkConvergence() async throws {
    answers.content.withLock { $0.fuzzedAnswers = 0 }
    clock.advance(by: 90_000)
    await engine.resetCircuitBreaker()
    try recordEvent("last")
    for _ in 0..<4 {
      await engine.performSync()
      clock.advance(by: 90_000)
    }
    let state = await engine.state
    guard case .idle = state else { throw Finding("sync does not converge: \(state)") }
    let pending = try factory.makeDataStore().fetchPendingMutations()
    guard pending.isEmpty else { throw Finding("\(pending.count) mutations stay pending, the first \(pending[0])") }
    try await hub.check()
    for conflict in try factory.makeDataStore().fetchConflicts() where conflict.reason.contains("invalid") {
      throw Finding("the hub rejects a change of the device as invalid: \(conflict)")
    }
    let shown = try factory.makeDataStore().findEvent(id: "last") != nil
    let arrived = try await hub.ask("GET", "/events/last").status == 200
    guard arrived || !shown else { throw Finding("the last event is visible on the device but not on the hub") }
  }
}

extension DeviceScenario.Answers.State {
  fileprivate mutating func changed(_ body: Data, isSnapshot: Bool) -> [UInt8] {
    guard isSnapshot else { return source.mutated(document: Array(body), rarity: source.pick([4, 15, 60])) }
    var lines = body.split(separator: UInt8(ascii: "\n")).map { Array($0) }
    for place in lines.indices where source.once(in: place == 0 ? 4 : 5) {
      lines[place] = source.mutated(document: lines[place], rarity: source.pick([5, 20]))
    }
    if source.once(in: 8), !lines.isEmpty { lines.remove(at: source.below(lines.count)) }
    if source.once(in: 8), !lines.isEmpty { lines.append(source.pick(lines)) }
    if source.once(in: 12) { lines.shuffle(using: &source) }
    return Array(lines.joined(separator: [UInt8(ascii: "\n")]))
  }
}
