import Foundation
import StorageTesting
import Testing
import TrendyAgent
import TrendyHub
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
}

private struct Device {
  let record: DeviceRecord
  let engine: SyncEngine

  init(_ hub: HubServer, person: String, clock: ManualClock, seed: UInt64) throws {
    let token = try hub.accounts.createToken(person: person, deviceName: "\(seed)").token
    let factory = try DefaultDataStoreFactory(
      directory: "/store", fileSystem: SimulatedFileSystem(), generator: SeededGenerator(seed: seed))
    record = DeviceRecord(
      directory: URL(filePath: "/nowhere"), dataStoreFactory: factory,
      recorder: Recorder(dataStoreFactory: factory, clock: clock, generator: SeededGenerator(seed: seed &+ 10)),
      clock: clock)
    engine = SyncEngine(
      networkClient: InProcessClient(token: token, server: hub), dataStoreFactory: factory, clock: clock,
      generator: SeededGenerator(seed: seed &+ 20))
  }

  func sync() async throws {
    await engine.performSync()
    #expect(await engine.lastFailure == nil)
  }
}
