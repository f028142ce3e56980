import Foundation
import Testing
import TrendyModels
import TrendyTesting
import TrendyTrips

@Suite("Vehicles and their identification")
struct VehicleTests {
  static let van = Vehicle(id: "a", name: "Van", deviceIds: ["bt-1", "tracker"])
  static let car = Vehicle(id: "b", name: "Car", colorHex: "#112233", icon: "⛟", isDefault: true, startOdometer: 5e6)
  static let old = Vehicle(id: "0", name: "Old", isDefault: true, isArchived: true)

  @Test(
    "a named vehicle takes precedence over the recording device's, and that over the default",
    arguments: [
      ("b", ["bt-1"], VehicleIdentity.named(car)), ("van", [], .named(van)), ("bicycle", ["x", "bt-1"], .device(van)),
      (nil, ["tracker"], .device(van)), (nil, ["x"], .assumed(car)), (nil, [], .assumed(car)),
    ] as [(String?, [String], VehicleIdentity)])
  func identity(name: String?, devices: [String], expected: VehicleIdentity) {
    #expect(VehicleIdentity(named: name, devices: devices, among: [Self.car, Self.old, Self.van]) == expected)
  }

  @Test func `without a default, or with an archived one, the vehicle is unknown`() {
    #expect(VehicleIdentity(devices: ["x"], among: [Self.old, Self.van]) == .unknown)
    #expect(VehicleIdentity(among: []).vehicle == nil)
  }

  @Test("a vehicle survives encoding to fields and decoding", arguments: [van, car, old])
  func fields(vehicle: Vehicle) {
    #expect(Vehicle(id: vehicle.id, fields: vehicle.fields) == vehicle)
    #expect(Vehicle(id: "x", fields: [:]) == nil)
    // The synced kind must declare every field.
    for name in vehicle.fields.keys { #expect(SyncedKind.vehicle.field(name) != nil, "\(name)") }
  }
}

@Suite("Mileage by place")
struct DestinationTests {
  @Test func `trips are counted by destination, most frequent first, without those that end elsewhere`() {
    let home = Geofence(id: "h", name: "Home", latitude: 52, longitude: 5, radius: 100)
    let work = Geofence(id: "w", name: "Work", latitude: 52.1, longitude: 5, radius: 100)
    func trip(_ id: String, to end: Coordinate, _ metres: Double) -> TripEvent {
      TripEvent(
        id: id, eventTypeId: "t", start: DeterministicDate.jan1_2024, end: DeterministicDate.jan1_2024,
        distanceMeters: metres, route: [Coordinate(latitude: 51, longitude: 5), end])
    }
    let trips = [
      trip("1", to: work.coordinate, 1000), trip("2", to: home.coordinate, 2000), trip("3", to: home.coordinate, 3000),
      trip("4", to: Coordinate(latitude: 53, longitude: 5), 9000),
    ]
    let found = MileageLog(of: trips, vehicles: [], places: [home, work]).byDestination(trips)
    #expect(found.map(\.name) == ["Home", "Work"] && found.map(\.mileage.total) == [5000, 1000])
  }
}

@Suite("Trip rules")
struct TripRuleTests {
  static let office = Geofence(
    id: "o", name: "Work", latitude: 0, longitude: 0, radius: 100, role: "office")
  static let shop = Geofence(id: "s", name: "Shop", latitude: 0, longitude: 0, radius: 100)

  /// Returns the facts of a trip on a day of November 2026. The 21st is a Saturday.
  static func facts(_ day: Int, hour: Int = 12, zone: Int = 0, ends: [Geofence] = [], vehicle: String? = nil)
    -> TripFacts
  {
    TripFacts(
      ends: ends, start: DeterministicDate.make(year: 2026, month: 11, day: day, hour: hour, minute: 0, second: 0),
      secondsFromGMT: zone, vehicleId: vehicle, meters: 5000)
  }

  @Test(
    "without custom rules a trip is classified by office, weekend or other day, in that order",
    arguments: [
      (facts(20), "any other day", TripCategory.business), (facts(21), "weekend", .private),
      (facts(22), "weekend", .private), (facts(23), "any other day", .business),
      (facts(21, ends: [shop, office]), "office at either end", .business),
      // The local time of the trip counts: Friday 23:00 in London is Saturday in Amsterdam.
      (facts(20, hour: 23, zone: 3600), "weekend", .private),
      (facts(21, hour: 1, zone: -7200), "any other day", .business),
      (facts(23, hour: 0), "any other day", .business),
    ])
  func standard(facts: TripFacts, name: String, category: TripCategory) {
    let rule = TripRule.deciding(facts, among: [])
    #expect(rule?.name == name)
    #expect(rule?.category == category)
  }

  @Test func `without office and rules a trip has no category`() {
    var facts = Self.facts(20)
    facts.hasOffice = false
    #expect(TripRule.deciding(facts, among: []) == nil)
    let own = TripRule(id: "0", name: "mine", position: 0, category: .business)
    #expect(TripRule.deciding(facts, among: [own])?.name == "mine")
  }

  @Test func `own rules replace the standard ones, and the lowest matching position applies`() {
    let own = [
      TripRule(
        id: "2", name: "late", position: 2, category: .private,
        conditions: .init(hours: .init(from: 79_200, to: 21_600))),
      TripRule(id: "1", name: "van", position: 1, category: .mixed, conditions: .init(vehicleIds: ["v"])),
      TripRule(id: "0", name: "off", position: 0, category: .business, isActive: false),
    ]
    #expect(TripRule.deciding(Self.facts(20, hour: 23, vehicle: "v"), among: own)?.name == "van")
    #expect(TripRule.deciding(Self.facts(20, hour: 23), among: own)?.name == "late")
    #expect(TripRule.deciding(Self.facts(20, hour: 5), among: own)?.name == "late")
    #expect(TripRule.deciding(Self.facts(20, hour: 6), among: own) == nil)
  }

  @Test(
    "a condition excludes trips that do not meet it",
    arguments: [
      (TripRule.Conditions(placeIds: ["s"]), true), (.init(placeIds: ["o"]), false), (.init(role: "office"), false),
      (.init(weekdays: [5]), true), (.init(weekdays: [6, 7]), false),
      (.init(hours: .init(from: 43_200, to: 43_201)), true), (.init(hours: .init(from: 0, to: 43_200)), false),
      (.init(minimumDistance: 5000), true), (.init(minimumDistance: 5001), false), (.init(vehicleIds: ["v"]), false),
    ])
  func conditions(conditions: TripRule.Conditions, holds: Bool) {
    let rule = TripRule(id: "r", name: "r", position: 0, category: .mixed, conditions: conditions)
    #expect(rule.holds(for: Self.facts(20, ends: [Self.shop])) == holds)
    #expect(TripRule(id: "r", fields: rule.fields) == rule)
    for name in rule.fields.keys { #expect(SyncedKind.tripRule.field(name) != nil, "\(name)") }
  }

  @Test func `a rule with an unknown condition is ignored`() {
    var fields = TripRule.standard[0].fields
    fields["conditions"] = .object(["moon": .string("full")])
    #expect(TripRule(id: "r", fields: fields) == nil)
  }
}

@Suite("Edited trips")
struct TripEventTests {
  /// Returns a trip of 10 km to the east that takes 1000 s.
  static func trip(_ start: Double = 0, from east: Double = 0, id: String = "one") -> TripEvent {
    TripEvent(
      id: id, eventTypeId: "trip", start: at(start), end: at(start + 1000), distanceMeters: 10_000,
      route: stride(from: 0.0, through: 10_000, by: 1000).map { fix(0, east: east + $0).coordinate })
  }

  @Test func `the event of a trip contains its figures`() throws {
    let trip = Self.trip()
    #expect(TripEvent(trip.event) == trip)
    #expect(trip.event.properties["duration"]?.doubleValue == 1000)
    #expect(trip.event.properties["average_speed"]?.doubleValue == 10)
    #expect(trip.category == nil)
    #expect(trip.businessDistance == nil)
    #expect(TripEvent(Event(id: "x", eventTypeId: "t", timestamp: at(0))) == nil)
  }

  @Test func `the parts of a split by time add up`() throws {
    var trip = Self.trip()
    trip.classify(.business, by: "office")
    trip.event.notes = "to Ann"
    let (first, second) = try trip.split(at: at(250), id: "two")
    #expect(first.event.id == "one")
    #expect(second.event.id == "two")
    #expect(first.distance == 2500)
    #expect(second.distance == 7500)
    #expect(first.end == at(250))
    #expect(second.start == at(250))
    #expect(second.end == at(1000))
    #expect(first.category == .business && second.category == .business)
    #expect(second.rule == "office")
    #expect(first.event.notes == "to Ann" && second.event.notes == nil)
    let there = try #require(first.endPlace)
    #expect(Geodesic.distanceMeters(from: there, to: fix(0, east: 2500).coordinate) < 10)
    #expect(second.startPlace.map { Geodesic.distanceMeters(from: $0, to: there) < 2 } == true)
  }

  @Test func `a split with fixes divides the distance by the fixes`() throws {
    // The user drives slowly first, so half of the time is far from half of the distance.
    let fixes = stride(from: 0.0, through: 1000, by: 10).map { fix($0, east: $0 < 900 ? $0 : 900 + ($0 - 900) * 91) }
    let (first, second) = try Self.trip().split(at: at(900), id: "two", fixes: fixes)
    #expect(abs(first.distance - 900) < 5)
    #expect(abs(second.distance - 9100) < 5)
  }

  @Test func `a part of the path corresponds to a time, by fixes if known`() throws {
    let trip = Self.trip()
    #expect(trip.moment(at: 0.25) == at(250))
    let fixes = stride(from: 0.0, through: 1000, by: 10).map { fix($0, east: $0 < 900 ? $0 : 900 + ($0 - 900) * 91) }
    let moment = trip.moment(at: 0.5, fixes: fixes)
    #expect(abs(moment.timeIntervalSince(at(945))) < 1)
    let (first, _) = try trip.split(at: moment, id: "two", fixes: fixes)
    #expect(abs(first.distance - 5000) < 1)
    #expect(trip.moment(at: -1, fixes: fixes) == at(0) && trip.moment(at: 2, fixes: fixes) == at(1000))
  }

  @Test("a time outside of the trip is rejected", arguments: [-1.0, 0, 1000, 1001])
  func outside(second: Double) {
    #expect(throws: TripEvent.EditError.outside(start: at(0), end: at(1000))) {
      try Self.trip().split(at: at(second), id: "two")
    }
  }

  @Test func `a merge includes the path in between`() throws {
    var first = Self.trip()
    var second = Self.trip(1500, from: 11_000, id: "two")
    first.classify(.business)
    second.classify(.private)
    second.set(VehicleTests.van)
    second.event.notes = "b"
    let whole = try first.merged(with: second)
    #expect(whole.event.id == "one")
    #expect(abs(whole.distance - 21_000) < 20)
    #expect(whole.end == at(2500))
    #expect(whole.category == .mixed)
    #expect(whole.businessDistance == 10_000)
    #expect(whole.vehicleId == "a")
    #expect(whole.event.notes == "b")
    #expect(whole.event.properties["duration"]?.doubleValue == 2500)
    #expect(whole.route.count == 22)
  }

  @Test func `overlapping trips, and trips with two vehicles, are not merged`() {
    var first = Self.trip()
    var second = Self.trip(900, id: "two")
    #expect(throws: TripEvent.EditError.overlap) { try first.merged(with: second) }
    second = Self.trip(1000, id: "two")
    first.set(VehicleTests.van)
    second.set(VehicleTests.car)
    #expect(throws: TripEvent.EditError.vehicles) { try first.merged(with: second) }
  }

  @Test("splitting and merging keep the length", arguments: [UInt64(1), 2, 3])
  func roundTrip(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      let trip = Self.trip()
      let (first, second) = try trip.split(at: at(.random(in: 1...999, using: &generator)), id: "two")
      let whole = try first.merged(with: second)
      #expect(abs(whole.distance - trip.distance) < 1e-6)
      #expect(whole.start == trip.start && whole.end == trip.end)
    }
  }
}

@Suite("Mileage and odometers")
struct MileageTests {
  @Test func `distances are counted by category`() {
    var trips = (0..<4).map { TripEventTests.trip(Double($0) * 2000, id: "\($0)") }
    trips[0].classify(.business)
    trips[1].classify(.private)
    trips[2].classify(.mixed, businessMeters: 4000)
    let mileage = Mileage(of: trips)
    #expect(mileage.trips == 4)
    #expect(mileage.total == 40_000)
    #expect(mileage.business == 14_000)
    #expect(mileage.private == 16_000)
    #expect(mileage.unclassified == 10_000)
    trips[3].classify(.mixed)
    #expect(Mileage(of: trips).unclassified == 10_000)
  }

  static func reading(_ second: Double, _ meters: Double) -> OdometerReading {
    OdometerReading(date: at(second), meters: meters)
  }

  @Test(
    "a difference of more than two percent between odometer and trips is a warning",
    arguments: [(10_199.0, false), (10_205, true), (9805, false), (9800, true)])
  func tolerance(driven: Double, isWarning: Bool) {
    let check = OdometerCheck(
      readings: [Self.reading(0, 1e6), Self.reading(5000, 1e6 + driven)], trips: [TripEventTests.trip(10)])
    #expect(check.isWarning == isWarning)
    #expect(check.whole?.trips == 10_000)
  }

  @Test func `a decreasing reading is ignored`() {
    let check = OdometerCheck(
      readings: [Self.reading(9000, 20_000), Self.reading(0, 0), Self.reading(4000, 10_000), Self.reading(5000, 900)],
      trips: [TripEventTests.trip(10), TripEventTests.trip(6000)])
    #expect(check.ignored == [Self.reading(5000, 900)])
    #expect(check.stretches.map(\.driven) == [10_000, 10_000])
    #expect(check.stretches.allSatisfy { !$0.isWarning })
  }

  @Test func `a reading during a trip counts part of it`() {
    let check = OdometerCheck(
      readings: [Self.reading(0, 0), Self.reading(500, 5000), Self.reading(2000, 10_000)],
      trips: [TripEventTests.trip()])
    #expect(check.stretches.map(\.trips) == [5000, 5000])
  }

  @Test func `one reading gives no comparison`() {
    #expect(OdometerCheck(readings: [Self.reading(0, 5)], trips: [TripEventTests.trip()]).whole == nil)
    #expect(!OdometerCheck(readings: [], trips: []).isWarning)
  }

  @Test func `an unchanged odometer with trips is a warning`() {
    let check = OdometerCheck(readings: [Self.reading(0, 5), Self.reading(5000, 5)], trips: [TripEventTests.trip(10)])
    #expect(check.isWarning)
  }
}
