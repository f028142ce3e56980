import StorageTesting
import Synchronization
import Testing
import TrendyHub
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendySimulation
import TrendySync
import TrendyTesting

/// Two programs on one store, one of which waits for the write lock while the other saves.
@Suite("Two programs on one store", .timeLimit(.minutes(10)))
struct TwoProgramsTests {
  private let clock = ManualClock()
  private let hub: HubServer
  private let phoneToken: String
  private let laptopClient: InProcessClient
  private let disk = SimulatedFileSystem()
  private let program: DefaultDataStoreFactory

  init() throws {
    let hub = HubServer(
      storage: EmbeddedHubStorage(directory: "/hub", fileSystem: SimulatedFileSystem()), clock: clock,
      generator: SeededGenerator(seed: 1), configuration: HubConfiguration(requestsPerMinute: nil))
    let user = try hub.accounts.createPerson(name: "Anna").id
    phoneToken = try hub.accounts.createToken(user: user, deviceName: "phone").token
    laptopClient = InProcessClient(
      token: try hub.accounts.createToken(user: user, deviceName: "laptop").token, server: hub)
    self.hub = hub
    program = try DefaultDataStoreFactory(directory: "/phone", fileSystem: disk.anotherProcess())
  }

  private func engine(
    _ client: InProcessClient, _ store: DefaultDataStoreFactory, seed: UInt64
  ) -> SyncEngine {
    SyncEngine(networkClient: client, dataStoreFactory: store, clock: clock, generator: SeededGenerator(seed: seed))
  }

  private func recorder(_ store: DefaultDataStoreFactory, seed: UInt64) -> Recorder {
    Recorder(dataStoreFactory: store, clock: clock, generator: SeededGenerator(seed: seed))
  }

  private let coffee = EventType(id: "coffee", name: "Coffee", colorHex: "#6F4E37", iconName: "cup")

  private func event(_ id: String) -> Event {
    Event(id: id, eventTypeId: coffee.id, timestamp: DeterministicDate.jan1_2024)
  }

  @Test func `a feed page in transit does not undo a resync`() async throws {
    // The second program changes the store and releases the lock once the first program is waiting for it.
    let change = Mutex<(any DataStoreProtocol)?>(nil)
    let isDue = Mutex(false)
    let phone = try DefaultDataStoreFactory(
      directory: "/phone",
      fileSystem: WaitingFileSystem(base: disk) {
        change.withLock { unit in
          #expect(throws: Never.self) { try unit?.save() }
          unit = nil
        }
      })
    let client = InProcessClient(token: phoneToken) { [hub, program] request in
      let answer = await hub.handle(request)
      guard request.path.contains("/changes"), isDue.takeDown() else { return answer }
      try change.withLock { held in
        let unit = program.makeDataStore()
        try unit.requestResync()
        held = unit
      }
      return answer
    }
    let laptop = try DefaultDataStoreFactory(directory: "/laptop", fileSystem: SimulatedFileSystem())
    let (laptopRecorder, laptopEngine) = (recorder(laptop, seed: 2), engine(laptopClient, laptop, seed: 3))
    try laptopRecorder.record(coffee)
    try laptopRecorder.record(event("one"))
    await laptopEngine.performSync()
    let phoneEngine = engine(client, phone, seed: 4)
    await phoneEngine.performSync()
    try #require(try phone.makeDataStore().fetchAllEvents().map(\.id) == ["one"])

    // A row is lost on the phone, and a resync is requested while the phone applies the laptop's changes.
    let unit = program.makeDataStore()
    try unit.deleteEvent(id: "one")
    try unit.save()
    try laptopRecorder.record(event("two"))
    await laptopEngine.performSync()
    isDue.withLock { $0 = true }
    await phoneEngine.performSync()
    #expect(change.withLock { $0 == nil }, "it waited for the lock")
    await phoneEngine.performSync()
    #expect(Set(try phone.makeDataStore().fetchAllEvents().map(\.id)) == ["one", "two"])
  }

  @Test(arguments: [200, 413])
  func `a response to requests of another identity does not change the queue`(status: Int) async throws {
    let isDue = Mutex(false)
    let phone = try DefaultDataStoreFactory(directory: "/phone", fileSystem: disk)
    let client = InProcessClient(token: phoneToken) { [hub, program] request in
      guard request.path.hasSuffix("/mutations"), isDue.takeDown() else { return await hub.handle(request) }
      // Like `sync repair --requeue`.
      let unit = program.makeDataStore()
      try unit.setSyncIdentity(SyncIdentity(device: "anew"))
      for var mutation in try unit.fetchPendingMutations() {
        mutation.sequence = nil
        try unit.insertPendingMutation(mutation)
      }
      try unit.save()
      return HTTPResponse(status: status)
    }
    let (phoneRecorder, phoneEngine) = (recorder(phone, seed: 2), engine(client, phone, seed: 3))
    try phoneRecorder.record(coffee)
    await phoneEngine.performSync()
    for number in 1...3 { try phoneRecorder.record(event("\(number)")) }
    await phoneEngine.performSync()
    try phoneRecorder.record(event("4"))
    isDue.withLock { $0 = true }
    await phoneEngine.performSync()
    #expect(try phone.makeDataStore().syncCounts().pending == 1)
    #expect(try phone.makeDataStore().syncIdentity()?.device == "anew")
    await phoneEngine.performSync()
    let state = await phoneEngine.state
    #expect(try phone.makeDataStore().syncCounts().pending == 0, "\(state)")
    #expect(try await laptopClient.snapshot().events.count == 4)
  }
}

extension Mutex where Value == Bool {
  fileprivate borrowing func takeDown() -> Bool {
    withLock { flag in
      defer { flag = false }
      return flag
    }
  }
}

/// Disk that runs a closure while its program waits for a lock.
private struct WaitingFileSystem: ForwardingFileSystem {
  let base: SimulatedFileSystem
  let onPause: @Sendable () -> Void

  func pause(attempt: Int) -> Duration {
    onPause()
    return .milliseconds(1)
  }
}
