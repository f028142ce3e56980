import Foundation
import Testing
import TrendyHub
import TrendyModels

/// Ingest with one fix per minute: half an hour stationary, then the drive.
private struct StandingIngest: Ingest {
  func take(_ request: IngestRequest, from sender: IngestSender) async throws -> IngestResponse { IngestResponse() }

  func fixes(in span: ClosedRange<Date>, for desk: UserRecordService) async throws -> [Location] {
    (0...60).map { minute in
      Location(
        coordinate: Coordinate(latitude: 52 + max(0, Double(minute - 30)) * 0.003, longitude: 13),
        horizontalAccuracy: 5, timestamp: span.lowerBound.addingTimeInterval(Double(minute) * 60))
    }
  }
}

@Suite("Editing of trips at the hub", .timeLimit(.minutes(10)))
struct HubTripTests {
  private let hub: TestHub

  init() throws { hub = try TestHub() }

  private func trips() async throws -> [JSONValue] {
    try await hub.send("GET", "/events").json.arrayValue ?? []
  }

  @Test func `a split matches its preview`() async throws {
    try await hub.makeType()
    #expect(try await hub.makeTrip("a", ["category": ["type": "select", "value": "business"]]).status == 201)
    let told = try await hub.send("GET", "/trips/a/split?at=2024-01-01T08:15:00.000Z")
    #expect(told["first"]["distance_m"] == 2500 && told["second"]["distance_m"] == 7500)
    #expect(told["first"]["end_place"] == told["second"]["start_place"])
    #expect(try await trips().count == 1, "nothing is written")
    #expect(
      try await hub.send("GET", "/trips/a/split?part=0.25")["at"] == "2024-01-01T08:15:00.000Z",
      "a part of the way is a moment")
    let made = try await hub.send("POST", "/trips/a/split", ["at": "2024-01-01T08:15:00.000Z", "id": "b"])
    let (first, second) = (made["trips"][0], made["trips"][1])
    #expect(first["id"] == "a" && first["end_date"] == "2024-01-01T08:15:00.000Z" && first["notes"] == "to Ann")
    #expect(second["id"] == "b" && second["timestamp"] == "2024-01-01T08:15:00.000Z" && second["notes"].isNull)
    #expect(
      second["properties"]["distance"]["value"] == 7500 && second["properties"]["category"]["value"] == "business")
    #expect(try await trips().count == 2)
    // Assume that the response was lost. The repeated request does not split the trip again.
    let again = try await hub.send("POST", "/trips/a/split", ["at": "2024-01-01T08:15:00.000Z", "id": "b"])
    #expect(again["trips"] == made["trips"])
    #expect(try await trips().count == 2)
  }

  @Test func `a trip is returned with its neighbours within a week`() async throws {
    try await hub.makeType()
    try await hub.makeEvent("coffee", at: "2024-01-01T08:59:00Z")
    _ = try await hub.makeTrip("a")
    _ = try await hub.makeTrip("b", from: "2024-01-01T17:00:00.000Z", to: "2024-01-01T18:00:00.000Z")
    _ = try await hub.makeTrip("c", from: "2024-01-02T08:00:00.000Z", to: "2024-01-02T09:00:00.000Z")
    _ = try await hub.makeTrip("d", from: "2024-01-20T08:00:00.000Z", to: "2024-01-20T09:00:00.000Z")
    let answer = try await hub.send("GET", "/trips/b")
    #expect(answer["previous"]["id"] == "a" && answer["trip"]["id"] == "b" && answer["next"]["id"] == "c")
    #expect(answer["explanation"].isNull)
    #expect(try await hub.send("GET", "/trips/c")["next"].isNull)
    #expect(try await hub.send("GET", "/trips/coffee").status == 400)
  }

  @Test func `an edit of a trip changes the values that follow from it, once`() async throws {
    try await hub.makeType()
    _ = try await hub.send("POST", "/vehicles", ["id": "v", "name": "Octavia"])
    _ = try await hub.makeTrip(
      "a",
      [
        "category": ["type": "select", "value": "mixed"], "rule": ["type": "text", "value": "commute"],
        "business_distance": ["type": "number", "value": 2000], "duration": ["type": "duration", "value": 3600],
        "average_speed": ["type": "number", "value": 2.8],
      ])
    let edit: JSONValue = [
      "end_date": "2024-01-01T08:30:00.000Z",
      "properties": [
        "category": ["type": "select", "value": "business"], "vehicle": ["type": "text", "value": "v"],
      ],
    ]
    let head = try #require(try await hub.send("GET", "/changes/latest-cursor")["cursor"].intValue)
    let key = [("Idempotency-Key", "one")]
    let changed = try await hub.send("PATCH", "/trips/a", edit, headers: key)
    let properties = changed["properties"]
    #expect(properties["duration"]["value"] == 1800 && properties["average_speed"]["value"] == 5.6)
    #expect(properties["car"]["value"] == "Octavia" && properties["rule"].isNull)
    #expect(properties["business_distance"].isNull && changed["notes"] == "to Ann")
    // Assume that the response was lost. The repeated request has the same content and changes nothing.
    #expect(try await hub.send("PATCH", "/trips/a", edit, headers: key).json == changed.json)
    #expect(try await hub.changes(since: head).changes.count == 1)
    // An undo sets every value explicitly.
    let undone = try await hub.send(
      "PATCH", "/trips/a",
      [
        "end_date": "2024-01-01T09:00:00.000Z",
        "properties": [
          "category": ["type": "select", "value": "mixed"], "rule": ["type": "text", "value": "commute"],
          "business_distance": ["type": "number", "value": 2000], "average_speed": ["type": "number", "value": 2.7],
          "vehicle": nil,
        ],
      ])
    #expect(undone["properties"]["rule"]["value"] == "commute" && undone["properties"]["average_speed"]["value"] == 2.7)
    #expect(undone["properties"]["duration"]["value"] == 3600 && undone["properties"]["car"].isNull)
    #expect(undone["properties"]["business_distance"]["value"] == 2000)
    for (body, words) in [
      (["end_date": "2024-01-01T08:00:00.000Z"], "after the start"), (["timestamp": 5], "timestamp"),
      (["properties": ["distance": ["type": "number", "value": "far"]]], ""),
    ] as [(JSONValue, String)] {
      let answer = try await hub.send("PATCH", "/trips/a", body)
      #expect(
        (answer.status == 400 && answer.detail.contains(words)) || words.isEmpty, "\(answer.status) \(answer.detail)")
    }
    try await hub.makeEvent("coffee")
    #expect(try await hub.send("PATCH", "/trips/coffee", ["notes": "x"]).detail.contains("not a trip"))
    #expect(try await hub.send("PATCH", "/trips/none", ["notes": "x"]).status == 404)
  }

  @Test func `trips are named by the places at their ends wherever they are read`() async throws {
    try await hub.makeType()
    _ = try await hub.send(
      "POST", "/geofences", ["id": "home", "name": "Home", "latitude": 52, "longitude": 13, "radius": 50])
    _ = try await hub.makeTrip("a")
    let home = try await hub.send("GET", "/trips?from=2024-01-01T00:00:00Z&to=2024-01-02T00:00:00Z")["trips"][0]
    #expect(home["start_place"]["name"] == "Home" && home["end_place"]["name"].isNull)
    #expect(home["start_place"]["latitude"] == 52 && home["speed_mps"] == 2.8)
    #expect(try await hub.send("GET", "/trips?to=2024-01-01T00:00:00Z")["trips"] == [])
    #expect(try await hub.send("GET", "/trips/a")["summaries"] == [home])
    #expect(try await hub.send("GET", "/events/search")["trips"] == [home])
    #expect(try await hub.send("GET", "/trips/a/split?part=0.5")["first"]["start_place"]["name"] == "Home")
    try await hub.makeType("gym", name: "Gym")
    _ = try await hub.send("PATCH", "/geofences/home", ["event_type_entry_id": "gym"])
    let types = try await hub.send("GET", "/insights/types")["types"]
    #expect(types.arrayValue?.map { $0["built_in"] } == [true, false], "gym is a type of a place: \(types)")
  }

  @Test func `a trip has the ratio of its distance to the straight line, except a round trip`() async throws {
    try await hub.makeType()
    _ = try await hub.makeTrip("a")
    #expect(try await hub.send("GET", "/trips/a")["detour"] == 1)
    _ = try await hub.send("PATCH", "/events/a", ["properties": ["distance": ["type": "number", "value": 11_800]]])
    #expect(try await hub.send("GET", "/trips/a")["detour"] == 1.18)
    _ = try await hub.send("PATCH", "/events/a", ["properties": ["distance": ["type": "number", "value": 111_000]]])
    #expect(try await hub.send("GET", "/trips/a")["detour"].isNull, "a round trip")
    _ = try await hub.send("PATCH", "/events/a", ["properties": ["route": nil]])
    #expect(try await hub.send("GET", "/trips/a")["detour"].isNull, "an end that nobody knows")
  }

  @Test func `a trip entered by hand gets the same properties and rules as a detected one`() async throws {
    let place: JSONValue = ["latitude": 52, "longitude": 13]
    let body: [String: JSONValue] = [
      "id": "h", "start": "2024-01-01T08:00:00.000Z", "end": "2024-01-01T08:30:00.000Z", "distance_m": 12_000,
      "time_zone": "Europe/Berlin", "start_place": place, "end_place": ["latitude": 52.09, "longitude": 13],
    ]
    let made = try await hub.send("POST", "/trips", .object(body))
    #expect(made.status == 201 && made["source_type"] == "trip" && made["end_date"] == "2024-01-01T08:30:00.000Z")
    #expect(made["properties"]["distance"]["value"] == 12_000 && made["properties"]["average_speed"]["value"] == 6.7)
    #expect(made["properties"]["category"].isNull)
    #expect(try await hub.send("GET", "/event-types").json.arrayValue?.count == 1, "under the type of trips")
    #expect(try await hub.send("POST", "/trips", .object(body))["id"] == "h", "an answer that was lost")
    #expect(try await trips().count == 1)
    _ = try await hub.send("POST", "/vehicles", ["id": "v", "name": "Octavia"])
    let more = body.merging(["id": "i", "vehicle_id": "v", "category": "business", "notes": "to Ann"]) { $1 }
    let second = try await hub.send("POST", "/trips", .object(more))
    #expect(second["properties"]["car"]["value"] == "Octavia" && second["notes"] == "to Ann")
    #expect(second["properties"]["category"]["value"] == "business")
    for (name, value, words) in [
      ("end", "2024-01-01T08:00:00.000Z", "after the start"), ("distance_m", -1, "distance_m"),
      ("category", "fun", "category"), ("start_place", nil, "start_place"),
      ("end_place", ["latitude": 91], "end_place"),
      ("vehicle_id", "none", "none"),
    ] as [(String, JSONValue, String)] {
      let answer = try await hub.send("POST", "/trips", .object(body.merging(["id": "j", name: value]) { $1 }))
      #expect(answer.status >= 400 && answer.detail.contains(words), "\(answer.detail)")
    }
    #expect(try await trips().count == 2)
  }

  @Test func `stored fixes determine the distance up to the split`() async throws {
    let hub = try TestHub(ingest: StandingIngest())
    try await hub.makeType()
    _ = try await hub.makeTrip("a")
    let told = try await hub.send("GET", "/trips/a/split?at=2024-01-01T08:45:00.000Z")
    #expect(abs(try #require(told["first"]["distance_m"].doubleValue) - 5000) < 5)
    let half = try await hub.send("GET", "/trips/a/split?part=0.5")["at"].stringValue.flatMap { RFC3339.date(from: $0) }
    #expect(abs(try #require(half).timeIntervalSince(Date(timeIntervalSince1970: 1_704_098_700))) < 1)
  }

  @Test func `a merge extends the earlier trip, deletes the later and is atomic`() async throws {
    try await hub.makeType()
    _ = try await hub.makeTrip("a")
    _ = try await hub.send("POST", "/trips/a/split", ["at": "2024-01-01T08:15:00.000Z", "id": "b"])
    let head = try #require(try await hub.send("GET", "/changes/latest-cursor")["cursor"].intValue)
    let whole = try await hub.send("POST", "/trips/b/merge", ["with": "a"])
    #expect(whole["id"] == "a" && whole["end_date"] == "2024-01-01T09:00:00.000Z")
    #expect(whole["properties"]["distance"]["value"] == 10_000)
    #expect(try await trips().count == 1)
    #expect(try await hub.changes(since: head).changes.count == 2, "a change and a deletion")
    _ = try await hub.makeTrip("c", from: "2024-01-01T08:30:00.000Z", to: "2024-01-01T09:30:00.000Z")
    #expect(try await hub.send("POST", "/trips/a/merge", ["with": "c"]).detail.contains("before the first one ends"))
    #expect(try await trips().count == 2)
  }

  @Test func `an invalid split or merge is rejected with the reason`() async throws {
    try await hub.makeType()
    try await hub.makeEvent("coffee")
    _ = try await hub.makeTrip("a")
    for (path, status, words) in [
      ("/trips/none/split?part=0.5", 404, "none"), ("/trips/coffee/split?part=0.5", 400, "not a trip"),
      ("/trips/a/split", 400, "at:"), ("/trips/a/split?part=1.5", 400, "part:"),
      ("/trips/a/split?at=2024-01-01T09:00:00Z", 400, "between"),
      ("/trips/a/split?part=0.5&at=2024-01-01T08:30:00Z", 400, "at:"),
    ] {
      let answer = try await hub.send("GET", path)
      #expect(answer.status == status && answer.detail.contains(words), "\(path): \(answer.detail)")
    }
    let twice = try await hub.send("POST", "/trips/a/split", ["at": "2024-01-01T08:30:00Z", "id": "coffee"])
    #expect(twice.problem == "duplicate")
    #expect(try await hub.send("POST", "/trips/a/merge", ["with": "a"]).detail.contains("itself"))
    let other = try hub.server.accounts.createPerson(name: "Ben")
    let token = try hub.server.accounts.createToken(user: other.id, deviceName: "phone").token
    #expect(try await hub.send("GET", "/trips/a/split?part=0.5", token: token).status == 404)
  }
}
