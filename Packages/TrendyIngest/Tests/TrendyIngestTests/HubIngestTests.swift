import Foundation
import HubTesting
import StorageTesting
import Testing
import TrendyHub
import TrendyIngest
import TrendyModels
import TrendyPersistence
import TrendyTesting

@Suite("Trackers that post to a hub", .timeLimit(.minutes(10)))
struct HubIngestTests {
  private let clock = ManualClock(now: DeterministicDate.jan1_2024.addingTimeInterval(86_400))
  private let storage: any HubStorage
  private let ingest: HubIngest
  private let server: HubServer
  private let user: String
  private let token: String

  init() throws { try self.init(storage: MemoryHubStorage()) }

  private init(storage: any HubStorage) throws {
    self.storage = storage
    ingest = HubIngest(storage: storage, clock: clock, openTracks: 2)
    server = HubServer(storage: storage, ingest: ingest, clock: clock)
    user = try server.accounts.createPerson(name: "Ada").id
    token = try server.accounts.createToken(user: user, deviceName: "tracker").token
  }

  private func post(_ fixes: some Sequence<Location>, token: String? = nil) async throws -> Int {
    let features: [JSONValue] = fixes.map { fix in
      [
        "type": "Feature",
        "geometry": [
          "type": "Point",
          "coordinates": [.double(fix.coordinate.longitude), .double(fix.coordinate.latitude)],
        ],
        "properties": [
          "timestamp": .string(RFC3339.string(from: fix.timestamp)),
          "horizontal_accuracy": .double(fix.horizontalAccuracy),
        ],
      ]
    }
    let request = HTTPRequest(
      id: "post", method: "POST", target: "/overland",
      headers: HTTPHeaders([("Authorization", "Bearer \(token ?? self.token)")]),
      body: try WireJSON.encode(JSONValue.object(["locations": .array(features)])))
    return await server.handle(request).status
  }

  /// Start and end of each trip in the record.
  private func trips() throws -> [String] {
    try storage.read(user: user) { try $0.entries(after: 0, limit: .max) }
      .filter { $0.kind == SyncedKind.event.name && $0.isAlive }
      .map { "\($0.members["timestamp"]?.stringValue ?? "") \($0.members["end_date"]?.stringValue ?? "")" }.sorted()
  }

  @Test func `fixes that arrive late, twice or in parts result in the same trips`() async throws {
    let fixes = SimulatedDay(seed: 5, world: .town, recorder: .tracker).fixes
    let half = fixes.count / 2
    #expect(try await post(fixes[half...]) == 200)
    #expect(try await post(fixes[..<half]) == 200)
    #expect(try await post(fixes[half...]) == 200)
    try await ingest.tick(at: server)
    let inPieces = try trips()

    let whole = try HubIngestTests()
    #expect(try await whole.post(fixes) == 200)
    try await whole.ingest.tick(at: whole.server)
    #expect(inPieces.count > 1)
    #expect(try inPieces == whole.trips())
  }

  @Test(arguments: [ENOSPC, EMFILE])
  func `every failed file operation is reported as a storage error of the hub`(code: Int32) async throws {
    let disk = SimulatedFileSystem()
    let hub = try HubIngestTests(storage: EmbeddedHubStorage(directory: "/hub", fileSystem: disk))
    #expect(try await hub.post(SimulatedDay(seed: 5, world: .town, recorder: .tracker).fixes.prefix(200)) == 200)
    let asks: [(HubIngest, HubServer) async throws -> Void] = [
      { try await $0.tick(at: $1) },
      { _ = try await $0.liveTrips(for: $1.ingestDesk(user: hub.user)) },
      { _ = try await $0.leftOut(for: $1.ingestDesk(user: hub.user)) },
    ]
    var untranslated: Set<String> = []
    for (number, ask) in asks.enumerated() {
      for call in 1... {
        let files = disk.copy()
        let storage = EmbeddedHubStorage(directory: "/hub", fileSystem: files)
        let ingest = HubIngest(storage: storage, clock: clock, openTracks: 2)
        let server = HubServer(storage: storage, ingest: ingest, clock: clock)
        files.fail(.init(call: call, code: code))
        do {
          try await ask(ingest, server)
        } catch is HubStorageError {
        } catch {
          untranslated.insert("\(number): \(type(of: error))")
        }
        guard files.metFault else { break }
      }
    }
    #expect(untranslated == [])
  }

  @Test func `nothing is stored for an erased user`() async throws {
    let fixes = SimulatedDay(seed: 5, world: .town, recorder: .tracker).fixes
    #expect(try await post(fixes.prefix(20)) == 200)
    ingest.erase(user: user)
    #expect(try await post(fixes.suffix(20)) != 200)
  }
}
