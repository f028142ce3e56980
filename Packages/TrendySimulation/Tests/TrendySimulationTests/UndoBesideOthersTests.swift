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

/// Two devices at a hub, of which one takes back what it did.
@Suite("Undo beside others", .timeLimit(.minutes(10)))
struct UndoBesideOthersTests {
  @Test func `what comes back says what another device wrote before it was gone, and that is told`() async throws {
    let clock = ManualClock()
    let hub = HubServer(
      storage: EmbeddedHubStorage(directory: "/hub", fileSystem: SimulatedFileSystem()), clock: clock,
      generator: SeededGenerator(seed: 1))
    let person = try hub.accounts.createPerson(name: "Anna")
    let mine = try Device(hub, person: person.id, clock: clock, seed: 2)
    let theirs = try Device(hub, person: person.id, clock: clock, seed: 3)
    let walk = EventType(id: "walk", name: "walk", colorHex: "#888888", iconName: "•")
    try mine.record.recorder.record(walk)
    try await mine.sync()
    try await theirs.sync()
    await clock.advance(by: .seconds(1))
    try theirs.record.recorder.edit(eventTypeId: "walk") { $0.name = "hike" }
    try await theirs.sync()
    await clock.advance(by: .seconds(1))
    try mine.record.perform("type rm walk", [], before: [.eventType(walk)])
    // Who deletes it has not seen the new name.
    try await mine.sync()
    let step = try mine.record.undo()
    try await mine.sync()
    try await theirs.sync()
    let names = try [mine, theirs].map { try $0.record.makeStore().findEventType(id: "walk")?.name }
    #expect(names == ["hike", "hike"])
    #expect(step.left == [UndoStep.Left(kind: .eventType, id: "walk", fields: ["name"])])
  }

  @Test func `an import that was set aside and taken back comes whole the next time`() async throws {
    let clock = ManualClock()
    let hub = HubServer(
      storage: EmbeddedHubStorage(directory: "/hub", fileSystem: SimulatedFileSystem()), clock: clock,
      generator: SeededGenerator(seed: 1))
    let person = try hub.accounts.createPerson(name: "Anna")
    // Something on the way takes no request of the size of the first.
    let mine = try Device(hub, person: person.id, clock: clock, seed: 2, refusesFirstPush: true)
    func importTable() throws -> Int {
      let table = ByteInput(Array("type,start,note\nGym,2024-01-01T08:00:00Z,one\n".utf8))
      let request = ImportRequest(
        source: "table.csv", options: ImportOptions(zone: .utc, now: clock.now), fingerprint: "table")
      return try mine.record.importRecords(table, as: #require(InterchangeFormat.named("csv")), request).newCount
    }
    #expect(try importTable() == 2)
    await mine.engine.performSync()
    #expect(try !mine.record.recorder.openConflicts().isEmpty)
    try mine.record.undo()
    #expect(try mine.record.makeStore().fetchAllEvents().isEmpty)
    #expect(try importTable() == 2)
    let store = mine.record.makeStore()
    #expect(try store.fetchAllEventTypes().map(\.name) == ["Gym"] && store.fetchAllEvents().map(\.notes) == ["one"])
    try await mine.sync()
    let theirs = try Device(hub, person: person.id, clock: clock, seed: 3)
    try await theirs.sync()
    #expect(try theirs.record.makeStore().fetchAllEvents().map(\.notes) == ["one"])
  }
}

private struct Device {
  let record: DeviceRecord
  let engine: SyncEngine

  init(
    _ hub: HubServer, person: String, clock: ManualClock, seed: UInt64, refusesFirstPush: Bool = false
  ) throws {
    let token = try hub.accounts.createToken(person: person, deviceName: "\(seed)").token
    let factory = try DefaultDataStoreFactory(
      directory: "/store", fileSystem: SimulatedFileSystem(), generator: SeededGenerator(seed: seed))
    record = DeviceRecord(
      directory: URL(filePath: "/nowhere"), dataStoreFactory: factory,
      recorder: Recorder(dataStoreFactory: factory, clock: clock, generator: SeededGenerator(seed: seed &+ 10)),
      clock: clock)
    let refuses = Mutex(refusesFirstPush)
    let client = InProcessClient(token: token) { request in
      let isTooLarge =
        request.path.hasSuffix("/mutations")
        && refuses.withLock { refuses in
          defer { refuses = false }
          return refuses
        }
      return isTooLarge ? HTTPResponse(status: 413) : await hub.handle(request)
    }
    engine = SyncEngine(
      networkClient: client, dataStoreFactory: factory, clock: clock, generator: SeededGenerator(seed: seed &+ 20),
      configuration: SyncConfiguration(batchSize: 1, largeBatchSize: 1))
  }

  func sync() async throws {
    await engine.performSync()
    #expect(await engine.lastFailure == nil)
  }
}
