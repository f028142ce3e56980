import Foundation
import Testing
import TrendyInterchange
import TrendyModels

/// Data that arrives live: trip commands, reports from gpsd, and NMEA sentences from a receiver.
@Suite("Live sources", .timeLimit(.minutes(10)))
struct LiveSourceTests {
  private static let moment = Date(timeIntervalSince1970: 1_704_067_200)
  private static let received = Date(timeIntervalSince1970: 1_704_067_777)

  @Test(
    "a command has its position and time in a query, a form or an object",
    arguments: [
      ("lat=52.5&lng=4.25&timestamp=1704067200&device_id=car", ""), ("", "lat=52.5&lon=4.25&time=1704067200&car=car"),
      ("", #"{"latitude":52.5,"longitude":4.25,"time":"2024-01-01T00:00:00Z","device":"car"}"#),
      ("device=car", #"{"lat":52.5,"lng":4.25,"tst":1704067200}"#),
    ])
  func calls(query: String, body: String) throws {
    let (batch, time) = try DeviceRequest.call(query: query, body: Array(body.utf8), receivedAt: Self.received)
    #expect(time == Self.moment)
    #expect(batch.device == "car" && batch.problems.isEmpty)
    #expect(batch.fixes.map(\.coordinate) == [Coordinate(latitude: 52.5, longitude: 4.25)])
    #expect(batch.fixes.map(\.timestamp) == [Self.moment])
  }

  @Test func `a command needs no position, and an invalid one or an invalid time is not used`() throws {
    let bare = try DeviceRequest.call(query: "", receivedAt: Self.received)
    #expect(bare.time == Self.received && bare.batch == DeviceBatch())
    let nowhere = try DeviceRequest.call(query: "lat=91&lng=0&time=1704067200", receivedAt: Self.received)
    #expect(nowhere.time == Self.moment && nowhere.batch.fixes.isEmpty && nowhere.batch.problemCount == 1)
    #expect(try DeviceRequest.call(query: "time=soon", receivedAt: Self.received).time == nil)
    #expect(throws: InterchangeError.self) {
      try DeviceRequest.call(query: "", body: Array("{\"lat\":".utf8), receivedAt: Self.received)
    }
  }

  @Test func `only gpsd reports with a fix are read`() throws {
    func report(_ text: String) throws -> DeviceBatch { try DeviceRequest.gpsd(Array(text.utf8)) }
    let fix = try report(
      #"{"class":"TPV","device":"/dev/ttyUSB0","mode":3,"time":"2024-01-01T00:00:00.000Z","ept":0.005,"lat":52.5,"#
        + #""lon":4.25,"altHAE":12.3,"epx":6,"epy":8,"epv":9.1,"track":90.5,"speed":1.5,"climb":0.1}"#)
    #expect(
      fix.fixes == [
        Location(
          coordinate: Coordinate(latitude: 52.5, longitude: 4.25), horizontalAccuracy: 5, timestamp: Self.moment,
          altitude: 12.3, speed: 1.5, course: 90.5)
      ])
    for other in [
      #"{"class":"TPV","device":"/dev/ttyUSB0","mode":1}"#, #"{"class":"VERSION","release":"3.25"}"#,
      #"{"class":"SKY","satellites":[]}"#, "{}",
    ] {
      let batch = try report(other)
      #expect(batch.fixes.isEmpty && batch.problemCount == 0 && batch.skippedMessages.count == 1)
    }
    #expect(try report(#"{"class":"TPV","mode":2,"time":"2024-01-01T00:00:00Z","lat":95,"lon":0}"#).problemCount == 1)
    #expect(throws: InterchangeError.self) { try report("gpsd") }
  }

  @Test(
    "the bytes of a receiver give the same fixes as the log, in pieces of any size",
    arguments: [1, 7, 64, 1000, 100_000])
  func sentences(piece: Int) throws {
    let url = try #require(
      Bundle.module.url(forResource: "Resources/tracks/emission-iphone-2016-02-22/track", withExtension: "nmea"))
    let bytes = [UInt8](try Data(contentsOf: url))
    let wanted = try NMEAReader.read(bytes)
    var stream = NMEAStream()
    var fixes: [Location] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      fixes += stream.take(rest.prefix(piece)).fixes
      rest = rest.dropFirst(piece)
    }
    // The stream returns all fixes except the last before the end of the input.
    #expect(fixes.count == wanted.locations.count - 1)
    fixes += stream.finish().fixes
    #expect(fixes == wanted.locations)
  }

  @Test func `noise on the line is rejected and discarded`() {
    var stream = NMEAStream()
    let noise = stream.take(Array(repeating: 0x55, count: 100_000) + [0xA] + Array("$GPRMC,no*00\r\n".utf8))
    #expect(noise.fixes.isEmpty && noise.problemCount == 2)
    let good = "$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6A\r\n"
    #expect(stream.take(Array(good.utf8)).problemCount == 0)
    #expect(stream.finish().fixes.count == 1)
  }
}
