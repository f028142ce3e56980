import Foundation
import Testing
import TrendyModels
import TrendyTesting
import TrendyTrips

@Suite("GeofenceMonitor", .timeLimit(.minutes(10)))
struct GeofenceMonitorTests {
  static func fence(
    radius: Double = 100, east: Double = 0, id: String = "home", isActive: Bool = true
  ) -> Geofence {
    let center = fix(0, east: east).coordinate
    return Geofence(
      id: id, name: "Home", latitude: center.latitude, longitude: center.longitude, radius: radius,
      eventTypeEntryId: "visit", isActive: isActive)
  }

  /// Formats crossings as `in 60` or `out 300`, with the time in seconds.
  static func words(_ effects: [GeofenceMonitor.Effect]) -> [String] {
    effects.map { effect in
      switch effect {
      case .entered(_, let location): "in \(Int(location.timestamp.timeIntervalSince(at(0))))"
      case .exited(_, let location): "out \(Int(location.timestamp.timeIntervalSince(at(0))))"
      }
    }
  }

  static func crossings(_ fixes: [Location], radius: Double = 100) -> [String] {
    words(GeofenceMonitor.crossings(in: fixes, geofences: [fence(radius: radius)]))
  }

  /// Returns one fix every ten seconds, at these distances east of the centre in metres.
  static func at10(_ distances: [Double], from start: Double = 0, accuracy: Double = 10) -> [Location] {
    distances.enumerated().map { fix(start + Double($0) * 10, east: $1, accuracy: accuracy) }
  }

  @Test func `entry and exit are reported once each, with the times of the crossing fixes`() {
    let way = [500.0, 300, 150, 80, 0, 0, 0, 0, 0, 50, 120, 200, 300, 400, 500, 600]
    #expect(Self.crossings(Self.at10(way)) == ["in 30", "out 110"])
  }

  @Test("a crossing needs a dwell time of 30 s", arguments: [(29.0, []), (30.0, ["in 10"]), (31.0, ["in 10"])])
  func dwell(seconds: Double, expected: [String]) {
    let fixes = [fix(0, east: 500), fix(10, east: 50), fix(10 + seconds, east: 50)]
    #expect(Self.crossings(fixes) == expected)
  }

  @Test func `starting outside is not an exit`() {
    #expect(Self.crossings(Self.at10([500, 500, 500, 500, 500])) == [])
  }

  @Test func `starting inside is an entry`() {
    #expect(Self.crossings(Self.at10([0, 0, 0, 0, 0])) == ["in 0"])
  }

  @Test("a parked receiver makes one entry and no exit", arguments: Array(UInt64(1)...4), [100.0, 150])
  func still(seed: UInt64, radius: Double) {
    let fixes = TripDetectorTests.parked(seed: seed, hours: 4, interval: 10, noise: 8, outlier: 60)
    let effects = Self.crossings(fixes, radius: radius)
    #expect(effects.count == 1)
    #expect(effects.first?.hasPrefix("in") == true)
  }

  @Test("a receiver parked 200 m away makes no crossing", arguments: Array(UInt64(1)...4), [100.0, 150])
  func stillOutside(seed: UInt64, radius: Double) {
    let fixes = TripDetectorTests.parked(
      seed: seed, hours: 4, interval: 10, noise: 8, outlier: 60, east: radius + 200)
    #expect(Self.crossings(fixes, radius: radius) == [])
  }

  @Test(
    "a fix with an accuracy of twice the radius does not prove an entry",
    arguments: [(200.0, []), (199.0, ["in 30"])])
  func uncertain(accuracy: Double, expected: [String]) {
    let fixes = Self.at10([500, 500, 500]) + Self.at10([0, 0, 0, 0], from: 30, accuracy: accuracy)
    #expect(Self.crossings(fixes) == expected)
  }

  @Test func `a fix with an accuracy above 1 km is ignored`() {
    let fixes = Self.at10([20_000, 20_000, 20_000]) + Self.at10([0, 0, 0, 0, 0], from: 30, accuracy: 1001)
    #expect(Self.crossings(fixes, radius: 5000) == [])
    let certain = Self.at10([20_000, 20_000, 20_000]) + Self.at10([0, 0, 0, 0, 0], from: 30, accuracy: 1000)
    #expect(Self.crossings(certain, radius: 5000) == ["in 30"])
  }

  @Test("a short outlier makes no crossing", arguments: [1.0, 50, 150, 900], [true, false])
  func outlier(accuracy: Double, isInside: Bool) {
    let place = isInside ? 0.0 : 600.0
    var fixes = Self.at10(Array(repeating: place, count: 30))
    fixes[20] = fix(200, east: isInside ? 3000 : 0, accuracy: accuracy)
    #expect(Self.crossings(fixes) == (isInside ? ["in 0"] : []))
  }

  @Test func `movement within the margin makes no crossing`() {
    let fixes = Self.at10([0, 0, 0, 0] + (0..<100).map { $0 % 2 == 0 ? 95 : 128 }, accuracy: 0)
    #expect(Self.crossings(fixes) == ["in 0"])
    // The margin is the larger of 30 m and a fifth of the radius.
    #expect(
      Self.crossings(Self.at10([0, 0, 0, 0] + Array(repeating: 131, count: 13), accuracy: 0)) == ["in 0", "out 40"])
    #expect(
      Self.crossings(Self.at10([0, 0, 0, 0] + Array(repeating: 590, count: 13), accuracy: 0), radius: 500) == ["in 0"])
    #expect(
      Self.crossings(Self.at10([0, 0, 0, 0] + Array(repeating: 610, count: 13), accuracy: 0), radius: 500) == [
        "in 0", "out 40",
      ])
  }

  @Test(
    "the exit distance increases with the accuracy value of the fix",
    arguments: [(40.0, ["in 0", "out 40"]), (60.0, ["in 0"])])
  func uncertainExit(accuracy: Double, expected: [String]) {
    let fixes = Self.at10([0, 0, 0, 0]) + Self.at10(Array(repeating: 180, count: 13), from: 40, accuracy: accuracy)
    #expect(Self.crossings(fixes) == expected)
  }

  /// Returns the fixes of a noisy walk in and out of several places.
  static func walk(seed: UInt64) -> [Location] {
    var generator = SeededGenerator(seed: seed)
    var second = 0.0
    var east = -2000.0
    var speed = 10.0
    return (0..<800).map { _ in
      second += Double.random(in: 1...25, using: &generator)
      if Int.random(in: 0..<15, using: &generator) == 0 { speed = Double.random(in: -15...15, using: &generator) }
      if Int.random(in: 0..<10, using: &generator) == 0 { speed = 0 }
      if abs(east) > 2000 { speed = east > 0 ? -12 : 12 }
      east += speed * 10
      return fix(
        second, east: east + Double.random(in: -30...30, using: &generator),
        north: Double.random(in: -30...30, using: &generator),
        accuracy: [5, 15, 40, 150, 1500][Int.random(in: 0..<5, using: &generator)])
    }
  }

  static let places = [
    fence(radius: 100, east: 0, id: "a"), fence(radius: 300, east: 800, id: "b"),
    fence(radius: 60, east: -900, id: "c"),
  ]

  @Test(
    "entries and exits alternate and have the fix that crossed", arguments: Array(UInt64(1)...8))
  func alternate(seed: UInt64) {
    let fixes = Self.walk(seed: seed)
    var monitor = GeofenceMonitor(geofences: Self.places)
    var isInside: [String: Bool] = [:]
    var last: [String: Date] = [:]
    var count = 0
    for fix in fixes {
      for effect in monitor.onLocation(fix) {
        count += 1
        let (id, location, entered) =
          switch effect {
          case .entered(let id, let location): (id, location, true)
          case .exited(let id, let location): (id, location, false)
          }
        #expect(isInside[id, default: false] != entered)
        isInside[id] = entered
        #expect(fixes.contains(location))
        #expect(location.timestamp <= fix.timestamp)
        #expect(location.timestamp > last[id] ?? .distantPast)
        last[id] = location.timestamp
        let place = Self.places.first { $0.id == id }!
        let distance = Geodesic.distanceMeters(from: place.coordinate, to: location.coordinate)
        #expect(entered ? distance <= place.radius : distance > place.radius)
      }
    }
    #expect(count > 4)
    #expect(monitor.inside == isInside.filter(\.value).keys.sorted())
  }

  @Test("a restart after any fix does not change the crossings", arguments: Array(UInt64(1)...5))
  func restarts(seed: UInt64) throws {
    var steady = GeofenceMonitor(geofences: Self.places)
    var restarted = steady
    for fix in Self.walk(seed: seed) {
      #expect(steady.onLocation(fix) == restarted.onLocation(fix))
      restarted = try JSONDecoder().decode(GeofenceMonitor.self, from: JSONEncoder().encode(restarted))
      #expect(restarted == steady)
    }
  }

  @Test("repeated fixes and the order of a recording have no effect", arguments: Array(UInt64(1)...5))
  func idempotent(seed: UInt64) {
    let fixes = Self.walk(seed: seed)
    var monitor = GeofenceMonitor(geofences: Self.places)
    let once = fixes.flatMap { monitor.onLocation($0) }
    #expect(fixes.flatMap { monitor.onLocation($0) } == [])
    var doubled = GeofenceMonitor(geofences: Self.places)
    #expect(fixes.flatMap { doubled.onLocation($0) + doubled.onLocation($0) } == once)
    var generator = SeededGenerator(seed: seed)
    #expect(
      GeofenceMonitor.crossings(in: (fixes + fixes).shuffled(using: &generator), geofences: Self.places) == once)
  }

  @Test(
    "places on the antimeridian and at the poles work like others",
    arguments: [
      Coordinate(latitude: 0, longitude: 180), Coordinate(latitude: -16.5, longitude: -179.9999),
      Coordinate(latitude: 89.9995, longitude: 20), Coordinate(latitude: -90, longitude: 0),
    ])
  func edges(center: Coordinate) {
    // The path passes through the centre along a meridian or a parallel, 20 m per step.
    let isPolar = abs(center.latitude) > 89
    let fixes = (-30...30).map { step -> Location in
      let metres = Double(step) * 20
      let place: Coordinate
      if isPolar {
        let north = center.latitude.magnitude + metres / 111_694
        let over = north > 90
        place = Coordinate(
          latitude: (over ? 180 - north : north) * (center.latitude < 0 ? -1 : 1),
          longitude: over ? center.longitude - 180 : center.longitude)
      } else {
        let east = center.longitude + metres / (111_320 * cos(center.latitude * .pi / 180))
        place = Coordinate(latitude: center.latitude, longitude: east.remainder(dividingBy: 360))
      }
      return Location(coordinate: place, horizontalAccuracy: 5, timestamp: at(Double(step + 30) * 10))
    }
    let fence = Geofence(id: "x", name: "X", latitude: center.latitude, longitude: center.longitude, radius: 200)
    let words = Self.words(GeofenceMonitor.crossings(in: fixes, geofences: [fence]))
    // The entry is at step -10 or the next step, and the exit is at the first step beyond 200 + 40 + 5 m.
    #expect(words == ["in 200", "out 430"] || words == ["in 210", "out 430"], "\(words)")
  }

  @Test(
    "an exit by car is reported within dwell time, one fix and the crossing of the margin", arguments: [5.0, 10, 30])
  func automotiveExit(interval: Double) {
    let speed = 15.0
    var monitor = GeofenceMonitor(geofences: [Self.fence()])
    for second in stride(from: -600.0, to: 0, by: 10) { _ = monitor.onLocation(fix(second)) }
    let leftAt = 100 / speed
    var announcedAt: Double?
    for second in stride(from: 0.0, to: 300, by: interval) where announcedAt == nil {
      if !monitor.onLocation(fix(second, east: second * speed, accuracy: 8)).isEmpty { announcedAt = second }
    }
    // The first fix outside and the fix that confirms it may each be late by one interval.
    #expect((announcedAt ?? .infinity) - leftAt <= 30 + 2 * interval + (30 + 8) / speed)
  }

  @Test("an entry without further fixes is reported after five minutes", arguments: [(309.0, []), (310.0, ["in 10"])])
  func silentEntry(seconds: Double, expected: [String]) {
    var monitor = GeofenceMonitor(geofences: [Self.fence()])
    #expect(monitor.onLocation(fix(0, east: 500)).isEmpty)
    #expect(monitor.onLocation(fix(10)).isEmpty)
    #expect(Self.words(monitor.onTick(at: at(seconds))) == expected)
    #expect(monitor.onTick(at: at(9999)).isEmpty == !expected.isEmpty)
  }

  @Test func `a gap after one fix outside is not an exit`() {
    var monitor = GeofenceMonitor(geofences: [Self.fence()])
    for second in stride(from: 0.0, through: 60, by: 10) { _ = monitor.onLocation(fix(second)) }
    #expect(monitor.onLocation(fix(70, east: 2000)).isEmpty)
    #expect(monitor.onTick(at: at(70_000)).isEmpty)
    #expect(monitor.inside == ["home"])
  }

  @Test func `a changed place keeps its state, and a deleted one has no exit`() {
    var monitor = GeofenceMonitor(geofences: [Self.fence()])
    for second in stride(from: 0.0, through: 60, by: 10) { _ = monitor.onLocation(fix(second)) }
    monitor.update([Self.fence(radius: 120)])
    #expect(monitor.inside == ["home"])
    monitor.update([Self.fence(isActive: false)])
    #expect(monitor.inside == [])
    #expect(Self.at10([900, 900, 900, 900, 900], from: 70).flatMap { monitor.onLocation($0) } == [])
  }

  @Test func `a visit is opened on entry and closed on exit, with its duration in seconds`() throws {
    let fence = Self.fence()
    let open = try #require(GeofenceVisit.opened(fence, at: at(30)))
    #expect(open.eventTypeId == "visit")
    #expect(open.sourceType == .geofence)
    #expect(open.geofenceId == "home")
    #expect(open.endDate == nil)
    #expect(open.id == GeofenceVisit.opened(fence, at: at(30))?.id)
    #expect(open.id != GeofenceVisit.opened(fence, at: at(31))?.id)
    #expect(GeofenceVisit.opened(fence, at: at(30), id: "mine")?.id == "mine")
    var edited = open
    edited.notes = "with Ann"
    let closed = GeofenceVisit.closed(edited, at: at(3630.25))
    #expect(closed.id == open.id)
    #expect(closed.notes == "with Ann")
    #expect(closed.endDate == at(3630.25))
    #expect(closed.properties["Entered At"]?.dateValue == at(30))
    #expect(closed.properties["Exited At"]?.dateValue == at(3630.25))
    #expect(closed.properties["Duration"] == PropertyValue(type: .duration, value: 3600.25))
    #expect(GeofenceVisit.closed(open, at: at(0)).properties["Duration"]?.doubleValue == 0)
  }

  @Test func `a place without entry or exit type creates no event`() {
    var fence = Self.fence()
    #expect(GeofenceVisit.left(fence, at: at(0)) == nil)
    fence.eventTypeEntryId = nil
    fence.eventTypeExitId = "left"
    #expect(GeofenceVisit.opened(fence, at: at(0)) == nil)
    #expect(GeofenceVisit.left(fence, at: at(9))?.timestamp == at(9))
  }
}
