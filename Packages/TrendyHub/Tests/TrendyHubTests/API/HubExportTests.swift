import Foundation
import Testing
import TrendyHub
import TrendyInterchange
import TrendyModels

/// Ingest with readings from two devices, each in two parts ten minutes apart.
private struct PostingIngest: Ingest {
  func take(_ request: IngestRequest, from sender: IngestSender) async throws -> IngestResponse { IngestResponse() }

  func readings(
    in span: ClosedRange<Date>?, after position: PostedReadings.Position?, for desk: UserRecordService
  ) async throws -> PostedReadings {
    let first = Date(timeIntervalSince1970: 1_704_096_000)
    let parts = ["car", "phone"].flatMap { device in [0, 600].map { (device, first.addingTimeInterval($0)) } }
    for (device, moment) in parts {
      if let position, (device, moment) <= (position.device, position.moment) { continue }
      guard span?.contains(moment) ?? true else { continue }
      return PostedReadings(
        records: (0..<3).map {
          .fix(
            Location(
              coordinate: Coordinate(latitude: 52 + Double($0), longitude: 5), horizontalAccuracy: 5,
              timestamp: moment.addingTimeInterval(Double($0) * 10)), device: device)
        } + [.call(kind: "start", time: moment, device: device)],
        next: PostedReadings.Position(device: device, moment: moment))
    }
    return PostedReadings()
  }
}

@Suite("Export of the hub", .timeLimit(.minutes(10)))
struct HubExportTests {
  private func hub() async throws -> TestHub {
    let hub = try TestHub(ingest: PostingIngest())
    try await hub.makeType()
    try await hub.makeType("u", name: "Tea")
    return hub
  }

  private func text(_ hub: TestHub, _ query: String) async throws -> String {
    let answer = try await hub.send("GET", "/export?\(query)")
    #expect(answer.status == 200, "\(query): \(answer.detail)")
    return String(decoding: answer.body, as: UTF8.self)
  }

  @Test func `a table has the events of its days and type, and a column for each of their properties`()
    async throws
  {
    let hub = try await hub()
    for day in 10...14 { try await hub.makeEvent("e\(day)", at: "2024-01-\(day)T22:30:00Z") }
    try await hub.makeEvent("tea", type: "u", at: "2024-01-12T10:00:00Z")
    _ = try await hub.send(
      "POST", "/events",
      [
        "id": "day", "event_type_id": "t", "timestamp": "2024-01-13T05:00:00.000Z", "is_all_day": true,
        "time_zone": "America/New_York", "notes": "a, \"b\"",
        "properties": ["cups": ["type": "number", "value": 2], "size": ["type": "text", "value": "small"]],
      ])
    let table = try await text(hub, "form=csv&from=2024-01-12&to=2024-01-13&event_type_id=t&zone=Asia/Tokyo")
    let rows = table.split(whereSeparator: \.isNewline)
    #expect(rows[0].hasSuffix("time_zone,Property: cups,Property: size"))
    // In Tokyo it is already the next morning. An all-day event keeps the date in the time zone where it was recorded.
    #expect(rows.dropFirst().map { $0.prefix { $0 != "," } } == ["day", "e12", "e11"], "\(table)")
    #expect(rows[1].contains("2024-01-13,,true,\"a, \"\"b\"\"\"") && rows[1].hasSuffix("America/New_York,2,small"))
    #expect(rows[2].contains("2024-01-13T07:30:00+09:00"), "\(rows[2])")
  }

  @Test func `an event is exported on the day that its own clock showed`() async throws {
    let hub = try await hub()
    // The 13th in Tokyo, but the 12th in New York.
    let event: JSONValue = [
      "id": "tokyo", "event_type_id": "t", "timestamp": "2024-01-12T23:30:00Z", "time_zone": "Asia/Tokyo",
    ]
    #expect(try await hub.send("POST", "/events", event).status == 201)
    for (day, status) in [("12", 404), ("13", 200), ("14", 404)] {
      let query = "form=csv&from=2024-01-\(day)&to=2024-01-\(day)&zone=America/New_York"
      #expect(try await hub.send("GET", "/export?\(query)").status == status, "\(day)")
    }
  }

  @Test func `events are exported page by page without duplicates, also many of one timestamp`() async throws {
    let hub = try await hub()
    for start in stride(from: 0, to: 1300, by: 500) {
      let events = (start..<min(1300, start + 500)).map { number -> JSONValue in
        // 700 events share one timestamp, on both sides of a page boundary.
        let minute = number < 300 || number >= 1000 ? number % 60 : 0
        return [
          "id": .string("e\(number)"), "event_type_id": "t",
          "timestamp": .string(
            "2024-01-0\(number < 300 ? 3 : number < 1000 ? 2 : 1)T08:\(minute / 10)\(minute % 10):00Z"),
        ]
      }
      #expect(try await hub.send("POST", "/events/batch", ["events": .array(events)])["failed"] == 0)
    }
    let all = try WireJSON.decode([JSONValue].self, from: Data(try await text(hub, "form=json").utf8))
    #expect(all.count == 1300)
    #expect(Set(all.compactMap { $0["id"].stringValue }).count == 1300)
    #expect(
      all.compactMap { $0["timestamp"].stringValue } == all.compactMap { $0["timestamp"].stringValue }.sorted(by: >))
  }

  @Test func `a calendar has an entry for each event`() async throws {
    let hub = try await hub()
    try await hub.makeEvent("a", at: "2024-01-10T08:00:00Z")
    try await hub.makeEvent("b", at: "2024-01-11T08:00:00Z")
    let answer = try await hub.send("GET", "/export?form=ics&from=2024-01-11")
    #expect(answer.headers["Content-Type"] == "text/calendar")
    #expect(answer.headers["Content-Disposition"] == "attachment; filename=\"trendy-2024-01-11.ics\"")
    let text = String(decoding: answer.body, as: UTF8.self)
    #expect(text.hasPrefix("BEGIN:VCALENDAR\r\n") && text.hasSuffix("END:VCALENDAR\r\n"))
    #expect(text.contains("UID:b\r\n") && text.contains("SUMMARY:Coffee\r\n") && !text.contains("UID:a\r\n"))
  }

  @Test func `fixes become one track for each segment of a device, with its name`() async throws {
    let hub = try await hub()
    let all = try await text(hub, "form=gpx")
    #expect(all.components(separatedBy: "<trk>").count == 5 && all.components(separatedBy: "<trkpt").count == 13)
    #expect(all.contains("<name>car</name>") && all.hasSuffix("</gpx>\n"))
    let file = try GPXReader.read(Array(all.utf8))
    #expect(file.locations.count == 12, "read back")
    #expect(try await hub.send("GET", "/export?form=gpx&from=2024-01-02").status == 404)
    #expect(try await hub.send("GET", "/export?form=gpx&to=2024-01-01").status == 200)
  }

  @Test func `the lossless export can be imported again and omits deleted entities`() async throws {
    let hub = try await hub()
    for (path, body) in [
      ("/geofences", ["id": "g", "name": "Home", "latitude": 52, "longitude": 13, "radius": 100] as JSONValue),
      ("/vehicles", ["id": "v", "name": "Van"]), ("/settings", ["id": "s", "key": "hours", "value": "24"]),
      (
        "/property-definitions",
        ["id": "p", "event_type_id": "t", "key": "size", "label": "Size", "property_type": "text"]
      ),
      (
        "/skips",
        ["id": "k", "event_type_id": "t", "from": "2024-01-01", "to": "2024-01-02"]
      ),
    ] { #expect(try await hub.send("POST", path, body).status == 201) }
    try await hub.makeEvent("a")
    try await hub.makeEvent("gone")
    #expect(try await hub.send("DELETE", "/events/gone").status == 204)
    let lines = try await text(hub, "form=ndjson").split(separator: "\n")
    #expect(String(lines[0]) == TrendyNDJSON.header)
    let records = try lines.dropFirst().map { try WireJSON.decode(JSONValue.self, from: Data($0.utf8)) }
    #expect(
      records.compactMap { $0["record"].stringValue } == [
        "event_type", "event_type", "property_definition", "geofence", "vehicle", "setting", "skip", "event",
      ] + (0..<4).flatMap { _ in ["fix", "fix", "fix", "call"] })
    #expect(records[7]["id"] == "a" && records[7]["event_type_id"] == "t" && records[7]["user_id"].isNull)
  }

  @Test(arguments: [
    ("form=pdf", 400, "form"), ("", 400, "form"), ("form=csv&from=soon", 400, "from"),
    ("form=csv&from=2024-01-02&to=2024-01-01", 400, "to"), ("form=csv&zone=Nowhere", 400, "zone"),
    ("form=gpx&event_type_id=t", 400, "event_type_id"), ("form=ndjson&from=2024-01-01", 400, "from"),
    ("form=csv", 404, "no events of that type"),
  ])
  func `invalid parameters are rejected by name, and an empty export is not found`(
    query: String, status: Int, words: String
  ) async throws {
    let answer = try await hub().send("GET", "/export?\(query)")
    #expect(answer.status == status && answer.detail.hasPrefix(words), "\(answer.detail)")
  }
}
