import StorageTesting
import Synchronization
import Testing
import TrendyHub
import TrendyModels
import TrendyProtocols
import TrendySimulation
import TrendySync
import TrendyTesting

/// Custom server and custom user, as on the documentation page for app developers.
@Suite("Custom server and user", .timeLimit(.minutes(30)))
struct OwnServerTests {
  private static let world = SimulationWorld(devices: 2, edits: 60, density: .usual)

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `a correct server violates no invariant`(seed: UInt64) async {
    let simulator = SyncSimulator(
      world: Self.world, user: CoffeeDrinker(),
      makeServer: { try CoffeeServer(clock: $0, seed: $1) })
    let story = await simulator.run(seed: seed)
    #expect(story.violations == [])
    #expect(story.trace.contains { $0.contains("the user performs") })
  }

  @Test func `a finished scenario is released`() async {
    let servers = Mutex<[Weak]>([])
    let simulator = SyncSimulator(
      world: Self.world, user: CoffeeDrinker(),
      makeServer: { clock, seed in
        let server = try CoffeeServer(clock: clock, seed: seed)
        servers.withLock { $0.append(Weak(server)) }
        return server
      })
    for seed in 1...3 as ClosedRange<UInt64> { _ = await simulator.run(seed: seed) }
    #expect(servers.withLock { $0.map { $0.server == nil } } == [true, true, true])
  }

  @Test func `a server that confirms writes without storing them is detected`() async {
    let simulator = SyncSimulator(
      world: Self.world, user: CoffeeDrinker(),
      makeServer: { try CoffeeServer(clock: $0, seed: $1, liesEvery: 3) })
    var violations: [Violation] = []
    for seed in 1...6 as ClosedRange<UInt64> { violations += await simulator.run(seed: seed).violations }
    #expect(!violations.isEmpty)
  }
}

private struct Weak: Sendable {
  weak let server: CoffeeServer?

  init(_ server: CoffeeServer) { self.server = server }
}

private struct CoffeeDrinker: SimulatedUser {
  func act(number: Int, on device: UserDevice, using generator: inout SeededGenerator) throws {
    if try device.dataStoreFactory.makeDataStore().findEventType(id: "coffee") == nil {
      try device.recorder.record(EventType(id: "coffee", name: "Coffee", colorHex: "#6F4E37", iconName: "cup"))
    }
    let cups = try device.dataStoreFactory.makeDataStore().fetchAllEvents()
    let cup = cups.randomElement(using: &generator)
    switch (Int.random(in: 0..<10, using: &generator), cup) {
    case (0, let cup?): _ = try device.recorder.delete(eventId: cup.id)
    case (..<5, let cup?): try device.recorder.edit(eventId: cup.id) { $0.notes = "t\(number)" }
    default:
      try device.recorder.record(
        Event(
          id: "cup-\(number)", eventTypeId: "coffee", timestamp: DeterministicDate.jan1_2024, notes: "t\(number)"))
    }
  }
}

/// Custom server that wraps a hub and can discard writes.
private final class CoffeeServer: SimulatedServer {
  private let hub: HubServer
  private let tokens: [String]
  private let pushes = Mutex(0)
  private let liesEvery: Int?

  init(clock: any TimeSource, seed: UInt64, liesEvery: Int? = nil) throws {
    self.liesEvery = liesEvery
    hub = HubServer(
      storage: EmbeddedHubStorage(directory: "/hub", fileSystem: SimulatedFileSystem()), clock: clock,
      generator: SeededGenerator(seed: seed), configuration: HubConfiguration(requestsPerMinute: nil))
    let user = try hub.accounts.createPerson(name: "Anna")
    tokens = try ["A", "B"].map { [accounts = hub.accounts] in
      try accounts.createToken(user: user.id, deviceName: $0).token
    }
  }

  func client(device: Int) -> any NetworkClientProtocol {
    InProcessClient(token: tokens[device]) { [self] request in
      guard request.path.hasSuffix("/mutations"), isLie() else { return await hub.handle(request) }
      let push = try WireJSON.decode(PushRequest.self, from: request.body)
      let outcomes = push.mutations.map { OutcomeEnvelope(sequence: $0.sequence, status: "accepted", version: 1) }
      return HTTPResponse(status: 200, body: .data(try WireJSON.encode(PushResponse(outcomes: outcomes, head: 1))))
    }
  }

  func contents() async throws -> Snapshot {
    try await InProcessClient(token: tokens[0], server: hub).snapshot()
  }

  private func isLie() -> Bool {
    guard let liesEvery else { return false }
    return pushes.withLock { pushes in
      pushes += 1
      return pushes.isMultiple(of: liesEvery)
    }
  }
}
