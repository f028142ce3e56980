import Foundation
import StorageTesting
import Synchronization
import Testing
import TrendyAgent
import TrendyHub
import TrendyInterchange
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendySimulation
import TrendySync
import TrendyTesting

/// Two devices on one hub, one of which undoes its commands.
@Suite("Undo with concurrent changes", .timeLimit(.minutes(10)))
struct UndoBesideOthersTests {
  private let clock = ManualClock()
  private let hub: HubServer
  private let user: HubUser

  init() throws {
    hub = HubServer(
      storage: EmbeddedHubStorage(directory: "/hub", fileSystem: SimulatedFileSystem()), clock: clock,
      generator: SeededGenerator(seed: 1))
    user = try hub.accounts.createPerson(name: "Anna")
  }

  @Test func `undoing a delete keeps another device's earlier edit and reports it`() async throws {
    let mine = try Device(hub, user: user.id, clock: clock, seed: 2)
    let theirs = try Device(hub, user: user.id, clock: clock, seed: 3)
    let walk = EventType(id: "walk", name: "walk", colorHex: "#888888", iconName: "•")
    try mine.record.recorder.record(walk)
    try await mine.sync()
    try await theirs.sync()
    await clock.advance(by: .seconds(1))
    try theirs.record.recorder.edit(eventTypeId: "walk") { $0.name = "hike" }
    try await theirs.sync()
    await clock.advance(by: .seconds(1))
    try mine.record.perform("type rm walk", [], before: [.eventType(walk)])
    // The deleting user has not seen the new name.
    try await mine.sync()
    let step = try mine.record.undo()
    try await mine.sync()
    try await theirs.sync()
    let names = try [mine, theirs].map { try $0.record.makeStore().findEventType(id: "walk")?.name }
    #expect(names == ["hike", "hike"])
    #expect(step.left == [UndoStep.Left(kind: .eventType, id: "walk", fields: ["name"])])
  }

  @Test func `repeating a rejected and undone import imports everything`() async throws {
    let mine = try Device(hub, user: user.id, clock: clock, seed: 2)
    // A gateway rejects requests of this size.
    mine.refusals.withLock { $0 = [413] }
    #expect(try mine.importTable(clock) == 2)
    await mine.engine.performSync()
    #expect(try !mine.record.recorder.openConflicts().isEmpty)
    try mine.record.undo()
    #expect(try mine.record.makeStore().fetchAllEvents().isEmpty)
    #expect(try mine.importTable(clock) == 2)
    let store = mine.record.makeStore()
    #expect(try store.fetchAllEventTypes().map(\.name) == ["Gym"] && store.fetchAllEvents().map(\.notes) == ["one"])
    try await mine.sync()
    let theirs = try Device(hub, user: user.id, clock: clock, seed: 3)
    try await theirs.sync()
    #expect(try theirs.record.makeStore().fetchAllEvents().map(\.notes) == ["one"])
  }

  @Test func `imported events are restored with their type while its deletion is pending`() async throws {
    let mine = try Device(hub, user: user.id, clock: clock, seed: 2)
    #expect(try mine.importTable(clock) == 2)
    try await mine.sync()
    try await mine.sync()
    let store = mine.record.makeStore()
    let type = try #require(try store.fetchAllEventTypes().first)
    try mine.record.perform("type rm Gym") { try $0.delete(.eventType, id: type.id) }
    mine.refusals.withLock { $0 = [503] }
    await mine.engine.performSync()
    try mine.record.undo()
    for _ in 0..<2 {
      #expect(try store.fetchAllEventTypes().map(\.name) == ["Gym"])
      #expect(try store.fetchAllEvents().map(\.notes) == ["one"])
      await clock.advance(by: .seconds(900))
      try await mine.sync()
    }
  }
}

private struct Device {
  let record: DeviceRecord
  let engine: SyncEngine
  /// Status with which the next pushes are rejected before they reach the hub.
  let refusals: Refusals

  final class Refusals: Sendable {
    private let statuses = Mutex<[Int]>([])

    func withLock<Result: Sendable>(_ body: (inout sending [Int]) -> sending Result) -> sending Result {
      statuses.withLock(body)
    }
  }

  init(_ hub: HubServer, user: String, clock: ManualClock, seed: UInt64) throws {
    let token = try hub.accounts.createToken(user: user, deviceName: "\(seed)").token
    let factory = try DefaultDataStoreFactory(
      directory: "/store", fileSystem: SimulatedFileSystem(), generator: SeededGenerator(seed: seed))
    record = DeviceRecord(
      directory: URL(filePath: "/nowhere"), dataStoreFactory: factory,
      recorder: Recorder(dataStoreFactory: factory, clock: clock, generator: SeededGenerator(seed: seed &+ 10)),
      clock: clock)
    let refusals = Refusals()
    self.refusals = refusals
    let client = InProcessClient(token: token) { request in
      let status =
        request.path.hasSuffix("/mutations") ? refusals.withLock { $0.isEmpty ? nil : $0.removeFirst() } : nil
      return if let status { HTTPResponse(status: status) } else { await hub.handle(request) }
    }
    engine = SyncEngine(
      networkClient: client, dataStoreFactory: factory, clock: clock, generator: SeededGenerator(seed: seed &+ 20),
      configuration: SyncConfiguration(batchSize: 1, largeBatchSize: 1))
  }

  func importTable(_ clock: ManualClock) throws -> Int {
    let table = ByteInput(Array("type,start,note\nGym,2024-01-01T08:00:00Z,one\n".utf8))
    let request = ImportRequest(
      source: "table.csv", options: ImportOptions(zone: .utc, now: clock.now), fingerprint: "table")
    return try record.importRecords(table, as: #require(InterchangeFormat.named("csv")), request).newCount
  }

  func sync() async throws {
    await engine.performSync()
    #expect(await engine.lastFailure == nil)
  }
}
