import Foundation
import Testing
import TrendyModels
import TrendyTrips

@Suite("Witnesses of trips")
struct TripWitnessesTests {
  /// Trip between two times in seconds after `at(0)`.
  private struct Drive {
    var id: String
    var device: String?
    var from: Double
    var to: Double
    var fixes = 0
    /// Name of the rule that classified the trip, or an empty string if the user classified it.
    var rule: String?

    init(_ id: String, _ device: String?, _ from: Double, _ to: Double, fixes: Int = 0, rule: String? = nil) {
      (self.id, self.device, self.from, self.to, self.fixes, self.rule) = (id, device, from, to, fixes, rule)
    }

    var trip: TripEvent {
      let record = TripRecord(
        trip: Trip(
          id: id, startTime: at(from), endTime: at(to), startCoordinate: Coordinate(latitude: 52, longitude: 5),
          distanceMeters: 1000), fixCount: fixes)
      guard let event = record.event(eventTypeId: "t", device: device), var trip = TripEvent(event) else {
        preconditionFailure("a finished trip has an event")
      }
      if let rule { trip.classify(.business, by: rule.isEmpty ? nil : rule) }
      return trip
    }
  }

  private static let imported = "recording 2026-11-27T08:00:00Z 52 5"

  @Test(
    "of trips from different sources at the same time one counts",
    arguments: [
      (
        "two trackers: most fixes", [Drive("a", "phone", 0, 600, fixes: 60), Drive("b", "car", 5, 590, fixes: 600)],
        ["a": "b"]
      ),
      (
        "an earlier start decides between equals",
        [Drive("a", "phone", 5, 600, fixes: 60), Drive("b", "car", 0, 600, fixes: 60)], ["a": "b"]
      ),
      (
        "a later import", [Drive("a", "phone", 0, 600, fixes: 60), Drive("b", imported, 0, 600, fixes: 600)],
        ["b": "a"]
      ),
      (
        "two imports", [Drive("a", imported, 0, 600, fixes: 6), Drive("b", imported + "1", 3, 600, fixes: 60)],
        ["a": "b"]
      ),
      (
        "classified by the user",
        [Drive("a", "phone", 0, 600, fixes: 6, rule: ""), Drive("b", "car", 0, 600, fixes: 60)], ["b": "a"]
      ),
      (
        "classified by a rule",
        [Drive("a", "phone", 0, 600, fixes: 6, rule: "r"), Drive("b", "car", 0, 600, fixes: 60)],
        ["a": "b"]
      ),
      ("entered by the user", [Drive("a", nil, 0, 600), Drive("b", "car", 0, 600, fixes: 60)], ["b": "a"]),
      ("one source", [Drive("a", "car", 0, 600, fixes: 6), Drive("b", "car", 0, 600, fixes: 60)], [:]),
      ("entered twice by the user", [Drive("a", nil, 0, 600), Drive("b", nil, 0, 600)], [:]),
      ("half of the time", [Drive("a", "phone", 0, 600, fixes: 6), Drive("b", "car", 300, 900, fixes: 60)], [:]),
      ("more than half", [Drive("a", "phone", 0, 600, fixes: 6), Drive("b", "car", 299, 900, fixes: 60)], ["a": "b"]),
      ("one after the other", [Drive("a", "phone", 0, 600, fixes: 6), Drive("b", "car", 600, 900, fixes: 60)], [:]),
      (
        "a drive in two parts",
        [
          Drive("a", "phone", 0, 1000, fixes: 6), Drive("b", "car", 0, 450, fixes: 60),
          Drive("c", "car", 550, 1000, fixes: 61),
        ], ["a": "c"]
      ),
      (
        "parts of a longer drive with more fixes",
        [
          Drive("a", "phone", 0, 1000, fixes: 99), Drive("b", "car", 0, 450, fixes: 60),
          Drive("c", "car", 550, 1000, fixes: 61),
        ], ["b": "a", "c": "a"]
      ),
      (
        "a short part with more fixes",
        [Drive("a", "phone", 0, 9000, fixes: 99), Drive("b", "car", 4000, 4600, fixes: 600)], ["b": "a"]
      ),
      (
        "three trackers",
        [
          Drive("a", "phone", 0, 600, fixes: 6), Drive("b", "car", 0, 600, fixes: 60),
          Drive("c", "watch", 0, 600, fixes: 600), Drive("d", "watch", 700, 900, fixes: 2),
        ], ["a": "c", "b": "c"]
      ),
      (
        "the next drive counts by itself",
        [
          Drive("a", "phone", 0, 600, fixes: 6), Drive("b", "car", 0, 600, fixes: 60),
          Drive("c", "phone", 900, 1500, fixes: 70), Drive("d", "car", 905, 1500, fixes: 60),
        ], ["a": "b", "d": "c"]
      ),
    ] as [(String, [Drive], [String: String])])
  private func rule(name: String, drives: [Drive], expected: [String: String]) {
    let trips = drives.map(\.trip)
    #expect(TripWitnesses(among: trips).countedIds == expected, "\(name)")
    #expect(TripWitnesses(among: trips.reversed()).countedIds == expected, "\(name), in another order")
    let witnesses = TripWitnesses(among: trips)
    #expect(Mileage(of: trips.filter(witnesses.counts)).trips == drives.count - expected.count, "\(name)")
  }

  @Test func `a witness counts when the counted trip is deleted`() {
    let trips = [Drive("a", "phone", 0, 600, fixes: 6), Drive("b", "car", 0, 600, fixes: 60)].map(\.trip)
    #expect(TripWitnesses(among: trips.filter { $0.event.id != "b" }).countedIds.isEmpty)
  }

  @Test func `the parts of a split trip remain counted and keep their witness`() throws {
    let trip = Drive("a", "car", 0, 600, fixes: 60).trip
    let (first, second) = try trip.split(at: at(300), id: "c")
    #expect([first, second].map(\.fixCount) == [60, 60] && second.device == "car")
    let witness = Drive("b", "phone", 0, 600, fixes: 40).trip
    #expect(TripWitnesses(among: [first, second, witness]).countedIds.keys.sorted() == ["b"])
    #expect(try first.merged(with: second).fixCount == 60)
  }
}
