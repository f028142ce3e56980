import Foundation
import Testing
import TrendyModels
import TrendyTrips

@Suite("TripRecord", .timeLimit(.minutes(10)))
struct TripRecordTests {
  let record = TripRecord(
    trip: Trip(
      id: "trip-1", startTime: at(0), endTime: at(600), startCoordinate: Coordinate(latitude: 38.5, longitude: -120.2),
      endCoordinate: Coordinate(latitude: 43.252, longitude: -126.453), distanceMeters: 9000.04),
    topSpeed: 27.77,
    route: [
      Coordinate(latitude: 38.5, longitude: -120.2), Coordinate(latitude: 40.7, longitude: -120.95),
      Coordinate(latitude: 43.252, longitude: -126.453),
    ], fixCount: 61)

  @Test func `a finished trip is an event with all its properties`() throws {
    let event = try #require(record.event(eventTypeId: "type-trip", carName: "Blue Estate", device: "phone"))
    #expect(event.id == "trip-1")
    #expect(event.eventTypeId == "type-trip")
    #expect(event.sourceType == .trip)
    #expect(event.timestamp == at(0))
    #expect(event.endDate == at(600))
    #expect(event.locationLatitude == 38.5)
    #expect(event.locationLongitude == -120.2)
    #expect(
      event.properties == [
        "distance": PropertyValue(type: .number, value: 9000),
        "duration": PropertyValue(type: .duration, value: 600),
        "average_speed": PropertyValue(type: .number, value: 15),
        "top_speed": PropertyValue(type: .number, value: 27.8),
        "car": PropertyValue(type: .text, value: "Blue Estate"),
        "route": PropertyValue(type: .text, value: "_p~iF~ps|U_ulLnnqC_mqNvxq`@"),
        "device": PropertyValue(type: .text, value: "phone"), "fixes": PropertyValue(type: .number, value: 61),
      ])
  }

  @Test func `unknown properties are omitted and a trip in progress has no event`() {
    var bare = record
    bare.topSpeed = nil
    bare.fixCount = 0
    bare.route = []
    #expect(bare.event(eventTypeId: "t")?.properties.keys.sorted() == ["average_speed", "distance", "duration"])
    bare.trip.endTime = nil
    #expect(bare.event(eventTypeId: "t") == nil)
  }

  @Test func `every property of the trip has a definition of its type, those of its recording have none`() throws {
    var event = try #require(record.event(eventTypeId: "t", carName: "c", device: "phone"))
    for key in ["device", "fixes"] { #expect(event.properties.removeValue(forKey: key) != nil) }
    let definitions = TripRecord.propertyDefinitions(eventTypeId: "t") { "def-\($0.rawValue)" }
    #expect(Set(definitions.map(\.key)).isSuperset(of: event.properties.keys))
    var trip = try #require(TripEvent(event))
    trip.classify(.mixed, by: "rule", businessMeters: 1)
    trip.set(Vehicle(id: "v", name: "c"))
    #expect(Set(definitions.map(\.key)) == Set(trip.event.properties.keys))
    for definition in definitions {
      #expect(trip.event.properties[definition.key]?.type == definition.propertyType)
      #expect(definition.id == "def-\(definition.key)")
    }
    #expect(definitions.map(\.displayOrder) == Array(0..<10))
  }

  /// Example from the specification of the format.
  @Test func `a route is an encoded polyline`() {
    #expect(Polyline.encode(record.route) == "_p~iF~ps|U_ulLnnqC_mqNvxq`@")
    #expect(Polyline.decode("_p~iF~ps|U_ulLnnqC_mqNvxq`@") == record.route)
    #expect(Polyline.encode([]) == "")
    #expect(Polyline.decode("") == [])
  }

  @Test("any route is decoded with a precision of 1e-5 degrees", arguments: [UInt64(1), 2, 3])
  func roundTrip(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let way = (0..<200).map { _ in
      Coordinate(
        latitude: .random(in: -90...90, using: &generator), longitude: .random(in: -180...180, using: &generator))
    }
    let decoded = try #require(Polyline.decode(Polyline.encode(way)))
    #expect(decoded.count == way.count)
    for (one, other) in zip(way, decoded) {
      #expect(abs(one.latitude - other.latitude) <= 0.000_005_1)
      #expect(abs(one.longitude - other.longitude) <= 0.000_005_1)
    }
  }

  @Test(
    "an invalid polyline is not decoded", arguments: ["_", "_p~iF", "hello world", "é", "~~~~~~~~~~~~", "_p~iF~ps|U_"])
  func garbage(text: String) { #expect(Polyline.decode(text) == nil) }
}
