import Foundation
import Testing
import TrendyHub
import TrendyModels

@Suite("Mileage of the hub", .timeLimit(.minutes(10)))
struct HubMileageTests {
  private let hub: TestHub

  init() throws { hub = try TestHub() }

  private func makeRecord() async throws {
    try await hub.makeType()
    _ = try await hub.send(
      "POST", "/event-types", ["id": "o", "name": "Odometer", "color": "#7A6F5D", "icon": "◔"])
    for (id, name) in [("v", "Van"), ("w", "Car")] {
      _ = try await hub.send(
        "POST", "/vehicles", ["id": .string(id), "name": .string(name), "start_odometer_m": 100_000])
    }
    _ = try await hub.send(
      "POST", "/geofences", ["id": "g", "name": "Home", "latitude": 52, "longitude": 13, "radius": 100])
  }

  private func add(
    _ id: String, _ day: String, _ category: String? = nil, vehicle: String? = nil, business: Double? = nil
  ) async throws {
    var more: [String: JSONValue] = [:]
    more["category"] = category.map { ["type": "select", "value": .string($0)] }
    more["vehicle"] = vehicle.map { ["type": "text", "value": .string($0)] }
    more["business_distance"] = business.map { ["type": "number", "value": .double($0)] }
    let answer = try await hub.makeTrip(id, from: "\(day)T08:00:00.000Z", to: "\(day)T09:00:00.000Z", more)
    #expect(answer.status == 201, "\(answer.detail)")
  }

  private func read(_ id: String, _ day: String, _ metres: Double, vehicle: String = "v") async throws {
    let answer = try await hub.send(
      "POST", "/events",
      [
        "id": .string(id), "event_type_id": "o", "timestamp": .string("\(day)T00:00:00.000Z"),
        "properties": [
          "vehicle": ["type": "text", "value": .string(vehicle)],
          "odometer_m": ["type": "number", "value": .double(metres)],
        ],
      ])
    #expect(answer.status == 201, "\(answer.detail)")
  }

  @Test func `an odometer reading is stored once, under a type that is created if missing`()
    async throws
  {
    _ = try await hub.send("POST", "/vehicles", ["id": "v", "name": "Van"])
    let first: JSONValue = [
      "id": "r", "odometer_m": 100_500, "at": "2023-01-01T08:00:00Z", "time_zone": "Europe/Paris",
    ]
    let made = try await hub.send("POST", "/vehicles/v/odometer", first)
    #expect(made.status == 201, "\(made.detail)")
    #expect(made["properties"]["odometer_m"]["value"].doubleValue == 100_500)
    #expect(made["properties"]["vehicle"]["value"] == "v" && made["properties"]["car"]["value"] == "Van")
    #expect(try await hub.send("POST", "/vehicles/v/odometer", first).json["id"] == "r", "asked again")
    let other: JSONValue = ["id": "r", "odometer_m": 100_600, "at": "2023-01-01T08:00:00Z"]
    #expect(try await hub.send("POST", "/vehicles/v/odometer", other).status == 409)
    #expect(try await hub.send("POST", "/vehicles/none/odometer", first).status == 404)
    let below: JSONValue = ["id": "s", "odometer_m": -1, "at": "2023-01-01T08:00:00Z"]
    #expect(try await hub.send("POST", "/vehicles/v/odometer", below).status == 400)

    let last: JSONValue = ["id": "t", "odometer_m": 101_500, "at": "2023-03-01T08:00:00Z"]
    _ = try await hub.send("POST", "/vehicles/v/odometer", last)
    let types = try await hub.send("GET", "/event-types").json.arrayValue ?? []
    #expect(types.map { $0["name"] } == ["Odometer"])
    #expect(
      try await hub.send("GET", "/event-types/\(types[0]["id"].stringValue ?? "")/properties").json.arrayValue?.count
        == 3)
    let log = try await hub.send("GET", "/mileage?year=2023").json
    #expect(log["odometers"][0]["whole"]["driven_m"] == 1000)
  }

  @Test func `a year has sums by month and vehicle, and rows have places and odometers`() async throws {
    try await makeRecord()
    try await add("old", "2022-12-31", "business", vehicle: "v")
    try await add("a", "2023-02-01", "business", vehicle: "v")
    try await add("b", "2023-02-02", "mixed", vehicle: "w", business: 4000)
    try await add("c", "2023-05-02")
    let log = try await hub.send("GET", "/mileage?year=2023").json
    #expect(log["years"] == [2022, 2023])
    #expect(
      log["total"] == [
        "trips": 3, "total_m": 30_000, "business_m": 14_000, "private_m": 6000, "unclassified_m": 10_000,
      ])
    #expect(log["months"][1]["business_m"] == 14_000 && log["months"][1]["trips"] == 2)
    #expect(log["months"][4]["unclassified_m"] == 10_000 && log["months"][0]["trips"] == 0)
    #expect(log["vehicles"].arrayValue?.map { $0["name"] } == ["Car", "no vehicle", "Van"])
    #expect(log["rows"].arrayValue?.map { $0["id"] } == ["a", "b", "c"])
    let row = log["rows"][0]
    #expect(row["from"] == "Home" && row["to"] == "52.09, 13.0")
    // Odometer values are computed from the first trip on, even if it was in an earlier year.
    #expect(row["start_odometer_m"] == 110_000 && row["end_odometer_m"] == 120_000)
    #expect(log["rows"][2]["category"].isNull && log["rows"][2]["start_odometer_m"].isNull)
    // The next response includes a new trip.
    try await add("d", "2023-12-01", "business")
    #expect(try await hub.send("GET", "/mileage?year=2023")["total"]["trips"] == 4)
    let van = try await hub.send("GET", "/mileage?year=2023&vehicle=v").json
    #expect(van["total"]["trips"] == 1 && van["rows"].arrayValue?.count == 1)
    #expect(van["vehicles"].arrayValue?.count == 3, "others are told all the same")
  }

  @Test func `the next mileage log includes every write, as if computed from scratch`() async throws {
    try await makeRecord()
    // Two of the trips start at the same time.
    for (id, day) in [("a", "2023-02-01"), ("b", "2023-03-01"), ("c", "2023-04-01"), ("d", "2023-03-01")] {
      try await add(id, day, "business", vehicle: "v")
    }
    try await read("r", "2023-01-01", 100_000)
    try await read("s", "2023-05-01", 130_000)
    func log(_ hub: TestHub) async throws -> JSONValue { try await hub.send("GET", "/mileage?year=2023").json }
    let acts: [(String, String, JSONValue?)] = [
      ("PATCH", "/events/a", ["properties": ["category": ["type": "select", "value": "private"]]]),
      ("POST", "/events", ["id": "tea", "event_type_id": "t", "timestamp": "2023-03-02T08:00:00.000Z"]),
      ("DELETE", "/events/b", nil), ("POST", "/events/b/restore", nil),
      ("PATCH", "/events/c", ["timestamp": "2022-04-01T08:00:00.000Z", "end_date": "2022-04-01T09:00:00.000Z"]),
      ("PATCH", "/events/a", ["source_type": "manual"]), ("PATCH", "/events/a", ["source_type": "trip"]),
      ("PATCH", "/events/s", ["event_type_id": "t"]), ("PATCH", "/events/s", ["event_type_id": "o"]),
      ("DELETE", "/event-types/o", nil), ("POST", "/event-types/o/restore", nil), ("POST", "/events/s/restore", nil),
      ("PATCH", "/vehicles/v", ["name": "Bus"]), ("PATCH", "/geofences/g", ["name": "Flat"]),
    ]
    var last = try await log(hub)
    var changed = 0
    for (method, path, body) in acts {
      #expect(try await hub.send(method, path, body).status < 300, "\(method) \(path)")
      let next = try await log(hub)
      #expect(try await log(hub.withNothingRead) == next, "\(method) \(path)")
      changed += next == last ? 0 : 1
      last = next
    }
    #expect(changed == acts.count - 2, "each but what is no trip and the return of a type without its readings shows")
  }

  @Test func `a drive that two devices recorded counts once, and the witness counts when the other trip is deleted`()
    async throws
  {
    try await makeRecord()
    for (id, device, fixes) in [("a", "phone", 60), ("b", "car", 600)] {
      let answer = try await hub.makeTrip(
        id, from: "2023-02-01T08:00:00.000Z", to: "2023-02-01T09:00:00.000Z",
        [
          "device": ["type": "text", "value": .string(device)],
          "fixes": ["type": "number", "value": .int(Int64(fixes))],
          "vehicle": ["type": "text", "value": "v"],
        ])
      #expect(answer.status == 201, "\(answer.detail)")
    }
    try await read("r", "2023-01-01", 100_000)
    try await read("s", "2023-05-01", 110_000)
    let log = try await hub.send("GET", "/mileage?year=2023").json
    #expect(log["total"]["trips"] == 1 && log["total"]["total_m"] == 10_000)
    #expect(log["rows"].arrayValue?.map { $0["id"] } == ["b"])
    #expect(log["odometers"].arrayValue?.first { $0["vehicle_id"] == "v" }?["warning"] == false)
    let table = String(decoding: try await hub.send("GET", "/mileage/csv?year=2023").body, as: UTF8.self)
    #expect(table.split(separator: "\r\n").count == 2, "\(table)")
    #expect(
      try await hub.send("GET", "/mileage/witnesses").json == ["witnesses": [["id": "a", "counted_id": "b"]]])
    #expect(try await hub.send("DELETE", "/events/b").status < 300)
    #expect(try await hub.send("GET", "/mileage/witnesses").json == ["witnesses": []])
    #expect(try await hub.send("GET", "/mileage?year=2023")["rows"][0]["id"] == "a")
    #expect(try await hub.send("POST", "/events/b/restore").status < 300)
    #expect(try await hub.send("GET", "/mileage?year=2023")["rows"][0]["id"] == "b")
  }

  @Test func `the year follows the time zone and defaults to the current one`() async throws {
    try await makeRecord()
    _ = try await hub.makeTrip("a", from: "2022-12-31T23:30:00.000Z", to: "2023-01-01T00:30:00.000Z")
    try await add("b", "2024-01-01")
    #expect(try await hub.send("GET", "/mileage?year=2023")["total"]["trips"] == 0)
    #expect(try await hub.send("GET", "/mileage?year=2023&zone=Europe/Amsterdam")["total"]["trips"] == 1)
    #expect(try await hub.send("GET", "/mileage")["year"] == 2024)
    #expect(try await hub.send("GET", "/mileage?year=0").status == 400)
    #expect(try await hub.send("GET", "/mileage?zone=Moon").detail.contains("zone"))
  }

  @Test func `an odometer difference of more than 2 % from the trips is a warning`() async throws {
    try await makeRecord()
    try await add("a", "2023-02-01", vehicle: "v")
    try await add("b", "2023-03-01", vehicle: "v")
    try await read("r", "2023-02-15", 110_200)
    try await read("s", "2023-04-01", 121_000)
    try await read("t", "2023-04-02", 5)
    let check = try await hub.send("GET", "/mileage?year=2023&vehicle=v")["odometers"][0]
    #expect(check["name"] == "Van" && check["ignored"] == 1 && check["warning"] == true)
    #expect(check["stretches"][0]["driven_m"] == 10_200 && check["stretches"][0]["trips_m"] == 10_000)
    #expect(check["stretches"][0]["deviation"] == 0.0196 && check["stretches"][0]["warning"] == false)
    #expect(check["stretches"][1]["deviation"] == 0.0741 && check["stretches"][1]["warning"] == true)
    #expect(check["whole"]["driven_m"] == 21_000)
  }

  @Test func `the table equals that of the command line`() async throws {
    try await makeRecord()
    try await add("a", "2023-02-01", "business", vehicle: "v")
    let answer = try await hub.send("GET", "/mileage/csv?year=2023&zone=Europe/Amsterdam")
    #expect(answer.headers["Content-Type"] == "text/csv")
    #expect(answer.headers["Content-Disposition"] == "attachment; filename=\"mileage-2023.csv\"")
    let lines = String(decoding: answer.body, as: UTF8.self).split(separator: "\r\n")
    #expect(lines.count == 2 && lines[0].hasPrefix("ID,Date,Departure"))
    #expect(lines[1].hasPrefix("a,2023-02-01,09:00,10:00,Home,"))
  }
}
