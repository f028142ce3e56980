import Foundation
import Testing
import TrendyInterchange
import TrendyModels

@Suite("DeviceRequest", .timeLimit(.minutes(10)))
struct DeviceRequestTests {
  static let moment = Date(timeIntervalSince1970: 1_704_067_200)
  static let received = Date(timeIntervalSince1970: 1_704_067_777)

  @Test(
    "GPSLogger sends a fix as a query, a form or an object",
    arguments: [
      ("lat=60.0&lon=30.0&time=2024-01-01T00:00:00.000Z&spd=1.2&acc=5.0&dir=90.0&batt=81", ""),
      ("LAT=60.0&LON=30.0&TIMESTAMP=1704067200&SPD_KPH=4.32&ACC=5.0&DIR=90.0", ""),
      ("lat=60.0&lon=30.0&time=2024-01-01T01%3A00%3A00%2B01%3A00&spd=1.2&acc=5&dir=90", ""),
      ("lat=60.0&lon=30.0&time=2024-01-01T01:00:00+01:00&spd=1.2&acc=5&dir=90", ""),
      ("", "lat=60.0&lon=30.0&time=&timestamp=1704067200&spd=1.2&hdop=1&acc=&dir=90\r\n"),
      ("aid=", "{\"lat\":60,\"lon\":30.0,\"timestamp\":\"1704067200\",\"spd\":1.2,\"acc\":5,\"dir\":90}"),
    ])
  func gpsLogger(query: String, body: String) throws {
    let batch = try DeviceRequest.gpsLogger(query: query, body: Array(body.utf8))
    #expect(batch.problems.isEmpty)
    let fix = try #require(batch.fixes.first)
    #expect(fix.coordinate == Coordinate(latitude: 60, longitude: 30))
    #expect(fix.timestamp == Self.moment)
    #expect(abs(try #require(fix.speed) - 1.2) < 1e-9)
    #expect(fix.horizontalAccuracy == 5)
    #expect(fix.course == 90)
    #expect(batch.device == nil)
  }

  @Test(
    "an invalid query is reported and gives no fix",
    arguments: [
      "lat=%25LAT&lon=30&time=2024-01-01T00:00:00Z", "lat=60&lon=30", "", "lat=91&lon=0&timestamp=1704067200", "&&=&%",
    ])
  func badQueries(query: String) throws {
    let batch = try DeviceRequest.gpsLogger(query: query)
    #expect(batch.fixes.isEmpty)
    #expect(batch.problemCount == 1)
  }

  @Test(
    "a Traccar query has a speed in knots and a time in seconds, milliseconds or as a date",
    arguments: [
      (
        "id=123456&timestamp=1704067200&lat=60.0&lon=30.0&speed=10&bearing=45&altitude=0&accuracy=5&batt=87&valid=true",
        moment
      ),
      ("deviceid=123456&timestamp=1704067200000&location=60.0,30.0&speed=10&heading=45&hdop=1", moment),
      ("id=123456&timestamp=2024-01-01T00:00:00Z&lat=60.0&lon=30.0&speed=10&heading=45&accuracy=5", moment),
      ("id=123456&timestamp=2024-01-01%2000:00:00&lat=60.0&lon=30.0&speed=10&heading=45&accuracy=5", moment),
      ("id=123456&lat=60.0&lon=30.0&speed=10&heading=45&accuracy=5", received),
    ])
  func osmAnd(query: String, time: Date) throws {
    let batch = try DeviceRequest.osmAnd(query: query, receivedAt: Self.received)
    #expect(batch.device == "123456")
    let fix = try #require(batch.fixes.first)
    #expect(fix.coordinate == Coordinate(latitude: 60, longitude: 30))
    #expect(fix.timestamp == time)
    #expect(abs(try #require(fix.speed) - 5.144444) < 1e-5)
    #expect(fix.course == 45)
    #expect(fix.horizontalAccuracy == 5)
  }

  @Test func `a fix marked as invalid is ignored, and an invalid time is not replaced by the current one`() throws {
    let invalid = try DeviceRequest.osmAnd(query: "id=1&lat=0&lon=0&valid=false", receivedAt: Self.received)
    #expect(invalid.fixes.isEmpty && invalid.problems.map(\.place) == ["valid"] && invalid.device == "1")
    let broken = try DeviceRequest.osmAnd(query: "id=1&lat=0&lon=0&timestamp=now", receivedAt: Self.received)
    #expect(broken.fixes.isEmpty && broken.problemCount == 1)
  }

  @Test func `the JSON of the Traccar client has speeds in metres per second and motion`() throws {
    let body = #"""
      {"location":{"timestamp":"2024-01-01T00:00:00.000Z","coords":{"latitude":-6.1148096,"longitude":106.6837015,
      "accuracy":3.8,"speed":18.67,"heading":-1,"altitude":35.7},"is_moving":false,"odometer":0,
      "activity":{"type":"in_vehicle","confidence":100},"extras":{}},"device_id":"8737767034"}
      """#
    let batch = try DeviceRequest.osmAnd(query: "", body: Array(body.utf8), receivedAt: Self.received)
    #expect(batch.device == "8737767034")
    #expect(
      batch.fixes == [
        Location(
          coordinate: Coordinate(latitude: -6.1148096, longitude: 106.6837015), horizontalAccuracy: 3.8,
          timestamp: Self.moment, altitude: 35.7, speed: 18.67)
      ])
    #expect(batch.activities == [MotionActivity(state: .automotive, confidence: .high, timestamp: Self.moment)])
    let empty = try DeviceRequest.osmAnd(
      query: "", body: Array("{\"device_id\":\"1\"}".utf8), receivedAt: Self.received)
    #expect(empty.fixes.isEmpty && empty.problems.map(\.place) == ["location"])
  }

  @Test func `the valid entries of a list of locations are read`() throws {
    let good = #"{"timestamp":1704067200000,"coords":{"latitude":1,"longitude":2,"speed":-1}}"#
    let body = "{\"location\":[\(good),{\"coords\":{}},\(good)],\"device_id\":\"d\"}"
    let batch = try DeviceRequest.osmAnd(query: "", body: Array(body.utf8), receivedAt: Self.received)
    #expect(batch.fixes.map(\.timestamp) == [Self.moment, Self.moment])
    #expect(batch.fixes[0].speed == nil)
    #expect(batch.problems.map(\.place) == ["location[1]"])
  }

  @Test func `an empty OwnTracks body is accepted, and the device may be given in the query`() throws {
    #expect(try DeviceRequest.ownTracks(body: Array(" \n".utf8)) == DeviceBatch())
    let message = #"{"_type":"location","tst":1704067200,"lat":1,"lon":2}"#
    let batch = try DeviceRequest.ownTracks(query: "u=anna&d=phone", body: Array(message.utf8))
    #expect(batch.device == "anna/phone")
    #expect(batch.fixes.map(\.timestamp) == [Self.moment])
    #expect(throws: InterchangeError.self) { try DeviceRequest.ownTracks(body: Array("{\"_type\"".utf8)) }
    let lwt = try DeviceRequest.ownTracks(body: Array(#"{"_type":"lwt","tst":"1"}"#.utf8))
    #expect(lwt.fixes.isEmpty && lwt.skippedMessages == ["lwt": 1] && lwt.problems.isEmpty)
  }

  @Test func `a batch of Overland is sorted by time`() throws {
    func feature(_ time: Int) -> String {
      "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[1,2]},"
        + "\"properties\":{\"timestamp\":\(time),\"device_id\":\"phone\"}}"
    }
    let body = "{\"locations\":[\(feature(1_704_067_201)),\(feature(1_704_067_200))]}"
    let batch = try DeviceRequest.overland(body: Array(body.utf8))
    #expect(batch.fixes.map(\.timestamp) == [Self.moment, Self.moment + 1])
    #expect(batch.device == "phone")
    let other = try DeviceRequest.overland(body: Array("{}".utf8))
    #expect(
      other.problems == [
        ImportProblem(place: "locations", reason: "not an Overland batch: expected an array")
      ])
  }
}
