import Foundation
import Testing
import TrendyModels

@Suite("APILiveTrip", .timeLimit(.minutes(10)))
struct LiveTripTests {
  @Test func `a response with live trips survives both coders`() throws {
    let start = Date(timeIntervalSince1970: 1_704_067_200.25)
    let answer = LiveTripsResponse(
      now: start + 60,
      trips: [
        APILiveTrip(
          id: "a", deviceId: "d", deviceName: "pixel", isPaused: true, mode: .cycling, start: start, distance: 12.5,
          speed: 4.2, fixedAt: start + 30),
        APILiveTrip(id: "b", deviceId: "e", deviceName: "", start: start, distance: 0),
      ],
      leftOut: [
        APILeftOut(
          deviceId: "d", deviceName: "pixel", count: 3, first: start, last: start + 5, reason: "encrypted",
          isHeldBySender: true)
      ])
    let bytes = try WireJSON.encode(answer)
    #expect(try WireJSON.decode(LiveTripsResponse.self, from: bytes) == answer)
    #expect(try JSONDecoder().decode(LiveTripsResponse.self, from: bytes) == answer)
    #expect(try WireJSON.decode(LiveTripsResponse.self, from: JSONEncoder().encode(answer)) == answer)
  }

  @Test func `an unknown mode is decoded as unknown`() throws {
    let text = #"{"id":"a","device_id":"d","start":"2024-01-01T00:00:00Z","distance_m":5,"mode":"flying","more":1}"#
    let trip = try WireJSON.decode(APILiveTrip.self, from: Data(text.utf8))
    let earlier = try WireJSON.decode(
      LiveTripsResponse.self, from: Data(#"{"now":"2024-01-01T00:00:00Z","trips":[]}"#.utf8))
    #expect(earlier.leftOut.isEmpty)
    #expect(trip.mode == .unknown && trip.distance == 5 && trip.fixedAt == nil)
    #expect(throws: (any Error).self) { try WireJSON.decode(APILiveTrip.self, from: Data("{}".utf8)) }
  }
}
