import Foundation
import HubTesting
import Testing
import TrendyHub
import TrendyIngest
import TrendyModels
import TrendyTesting

@Suite("What trackers post to a hub", .timeLimit(.minutes(1)))
struct HubIngestTests {
  private let clock = ManualClock(now: DeterministicDate.jan1_2024.addingTimeInterval(86_400))
  private let storage = MemoryHubStorage()
  private let ingest: HubIngest
  private let server: HubServer
  private let person: String
  private let token: String

  init() throws {
    ingest = HubIngest(storage: storage, clock: clock, openTracks: 2)
    server = HubServer(storage: storage, ingest: ingest, clock: clock)
    person = try server.accounts.createPerson(name: "Ada").id
    token = try server.accounts.createToken(person: person, deviceName: "tracker").token
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
    try storage.read(person: person) { try $0.entries(after: 0, limit: .max) }
      .filter { $0.kind == SyncedKind.event.name && $0.isAlive }
      .map { "\($0.members["timestamp"]?.stringValue ?? "") \($0.members["end_date"]?.stringValue ?? "")" }.sorted()
  }

  @Test func `a day that comes late, twice and in pieces has the trips of one that comes at once`() async throws {
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

  @Test func `nothing is kept for a person who was erased`() async throws {
    let fixes = SimulatedDay(seed: 5, world: .town, recorder: .tracker).fixes
    #expect(try await post(fixes.prefix(20)) == 200)
    ingest.erase(person: person)
    #expect(try await post(fixes.suffix(20)) != 200)
  }
}
