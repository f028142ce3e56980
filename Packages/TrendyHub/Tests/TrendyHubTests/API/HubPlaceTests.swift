import Foundation
import Testing
import TrendyHub
import TrendyModels
import TrendyTesting

/// Ingest with a fixed list of fixes from one device.
private struct FixedIngest: Ingest {
  let posted: [Location]

  func take(_ request: IngestRequest, from sender: IngestSender) async throws -> IngestResponse { IngestResponse() }

  func fixes(in span: ClosedRange<Date>, for desk: UserRecordService) async throws -> [Location] {
    posted.filter { span.contains($0.timestamp) }
  }
}

@Suite("Places, fixes and devices at the hub", .timeLimit(.minutes(10)))
struct HubPlaceTests {
  private let hub: TestHub

  init() throws { hub = try TestHub() }

  private func visit(_ id: String, from start: String, to end: String?, at place: JSONValue = "p") async throws {
    let visit: JSONValue = [
      "id": .string(id), "event_type_id": "t", "timestamp": .string(start), "source_type": "geofence",
      "geofence_id": place, "end_date": end.map { .string($0) } ?? .null,
    ]
    #expect(try await hub.send("POST", "/events", visit).status == 201)
  }

  private func makePlaces() async throws {
    try await hub.makeType()
    for id in ["p", "q"] {
      let place: JSONValue = ["id": .string(id), "name": "Home", "latitude": 52, "longitude": 5, "radius": 100]
      #expect(try await hub.send("POST", "/geofences", place).status == 201)
    }
  }

  @Test func `hours at a place are listed by week, including visits that overlap it`() async throws {
    try await makePlaces()
    // The hub's clock starts on Monday, 1 January 2024, at 00:00.
    try await visit("a", from: "2023-12-24T22:00:00Z", to: "2023-12-25T06:00:00Z")
    try await visit("b", from: "2023-12-25T05:00:00Z", to: "2023-12-25T07:00:00Z")
    try await visit("c", from: "2023-12-26T05:00:00Z", to: "2023-12-26T09:00:00Z", at: "q")
    let found = try await hub.send("GET", "/insights/places/p?weeks=3").json
    #expect(found["weeks"].arrayValue?.map { $0["seconds"] } == [7200, 25_200, 0])
    #expect(found["weeks"].arrayValue?.map { $0["visits"] } == [1, 1, 0])
    #expect(found["weeks"][0]["from"] == "2023-12-18" && found["weeks"][2]["through"] == "2024-01-07")
    #expect(found["last_enter"] == "2023-12-25T05:00:00.000Z" && found["last_exit"] == "2023-12-25T07:00:00.000Z")
    #expect(found["here_since"].isNull && found["today_s"] == 0)
  }

  @Test func `an ongoing visit counts up to now`() async throws {
    try await makePlaces()
    try await visit("a", from: "2023-12-31T20:00:00Z", to: nil)
    await hub.clock.advance(by: .seconds(3600))
    let found = try await hub.send("GET", "/insights/places/p").json
    #expect(found["here_since"] == "2023-12-31T20:00:00.000Z" && found["today_s"] == 3600)
    #expect(found["weeks"][10]["seconds"] == 14_400 && found["weeks"][11]["seconds"] == 3600)
    #expect(try await hub.send("GET", "/insights/places/nobody").problem == "not_found")
    #expect(try await hub.send("GET", "/insights/places/p?weeks=0").status == 400)
  }

  /// Returns a hub with fixes on 1 January 2024, given in minutes after midnight and kilometres to the north.
  private func fixed(_ fixes: [(minute: Double, kilometres: Double)]) throws -> TestHub {
    let midnight = Date(timeIntervalSince1970: 1_704_067_200)
    return try TestHub(
      ingest: FixedIngest(
        posted: fixes.map { minute, kilometres in
          Location(
            coordinate: Coordinate(latitude: 52 + kilometres / 111.2, longitude: 5), horizontalAccuracy: 10,
            timestamp: midnight.addingTimeInterval(minute * 60))
        }))
  }

  @Test func `a gap is reported if the phone sent no fixes and was elsewhere afterwards`() async throws {
    let hub = try fixed([(-60, 0), (0, 0), (1, 0), (120, 0.1), (121, 0.1), (140, 3), (149, 9), (1439, 9), (1500, 20)])
    let day = try await hub.send("GET", "/fixes?date=2024-01-01").json
    #expect(day["start"] == "2024-01-01T00:00:00.000Z" && day["step_s"] == 300)
    let counts = try #require(day["counts"].arrayValue)
    #expect(counts.count == 288 && counts[0] == 2 && counts[24] == 2 && counts[1] == 0 && counts[287] == 1)
    // Neither two stationary hours nor nine minutes count as a gap. The last gap continues into the next day.
    #expect(
      day["gaps"].arrayValue?.map { $0["from"] } == ["2024-01-01T02:01:00.000Z", "2024-01-01T23:59:00.000Z"], "\(day)")
    #expect(day["gaps"][0]["to"] == "2024-01-01T02:20:00.000Z")
    #expect(abs(try #require(day["gaps"][0]["distance_m"].doubleValue) - 2900) < 20)
    #expect(try await hub.send("GET", "/fixes?date=2024-01-02").json["gaps"].arrayValue?.count == 1)
    #expect(try await hub.send("GET", "/fixes?date=soon").status == 400)
  }

  @Test func `a day without fixes has no counts and no gaps`() async throws {
    #expect(try await hub.send("GET", "/fixes?date=2024-01-01").json["counts"] == [])
    #expect(try await hub.send("GET", "/fixes?date=2024-01-01").json["gaps"] == [])
  }

  @Test func `a device sees when another one was last active`() async throws {
    let (token, laptop) = try hub.server.accounts.createToken(user: hub.user.id, deviceName: "laptop")
    func seen() async throws -> JSONValue {
      let devices = try await hub.send("GET", "/me/devices").json.arrayValue ?? []
      #expect(devices.first { $0["current"] == true }?["seen_at"].isNull == true)
      return devices.first { $0["id"] == .string(laptop.id) }?["seen_at"] ?? .null
    }
    #expect(try await seen().isNull)
    _ = try await hub.send("GET", "/events", token: token)
    #expect(try await seen() == "2024-01-01T00:00:00.000Z")
    await hub.clock.advance(by: .seconds(95))
    #expect(try await seen() == "2024-01-01T00:00:00.000Z")
    _ = try await hub.send("GET", "/events", token: token)
    #expect(try await seen() == "2024-01-01T00:01:35.000Z")
  }
}
