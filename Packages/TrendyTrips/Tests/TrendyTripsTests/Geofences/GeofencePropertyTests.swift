import Foundation
import Testing
import TrendyModels
import TrendyTesting
import TrendyTrips

/// Properties that must hold for all generated and recorded fixes.
@Suite("Properties of GeofenceMonitor", .timeLimit(.minutes(10)))
struct GeofencePropertyTests {
  typealias Base = GeofenceMonitorTests

  /// Returns the crossings detected if all fixes belong to one trip.
  static func passing(_ radius: Double = 100, _ fixes: [Location], east: Double = 0) -> [String] {
    var monitor = GeofenceMonitor(geofences: [Base.fence(radius: radius, east: east)])
    return Base.words(fixes.flatMap { monitor.onLocation($0, onTripSince: .distantPast) })
  }

  @Test("a straight path through a place makes an entry and an exit at interpolated times", arguments: [10.0, 20, 30])
  func segment(speed: Double) {
    // One fix a minute, with the place between two of them.
    let fixes = (-3...3).map { fix(Double($0) * 60 + 600, east: (Double($0) + 0.5) * 60 * speed) }
    let middle = 600 - 30.0
    let words = Self.passing(100, fixes)
    let rounded = words.map { $0.replacingOccurrences(of: "out", with: "").replacingOccurrences(of: "in", with: "") }
      .compactMap { Double($0.trimmingCharacters(in: .whitespaces)) }
    #expect(words.map { $0.prefix(2) } == ["in", "ou"])
    #expect(abs((rounded.first ?? 0) - (middle - 100 / speed)) <= 1)
    #expect(abs((rounded.last ?? 0) - (middle + 100 / speed)) <= 1)
    #expect(Base.crossings(fixes) == [], "without a trip there is no path")
  }

  @Test func `a path beside the place, an outlier, a jump and a long gap make no crossing`() {
    let north = (-3...3).map { fix(Double($0) * 60 + 600, east: (Double($0) + 0.5) * 900, north: 101) }
    #expect(Self.passing(100, north) == [])
    // One fix is displaced to the other side of the place.
    let thrown = (0...20).map { fix(Double($0) * 30, east: $0 == 10 ? 900 : -900) }
    #expect(Self.passing(100, thrown) == [])
    let leap = (0...20).map { fix(Double($0) * 30, east: $0 < 10 ? -9000 : 9000) }
    #expect(Self.passing(100, leap) == [])
    let gap = (0...20).map { fix(Double($0) * 30 + ($0 < 10 ? 0 : 100), east: $0 < 10 ? -900 : 900) }
    #expect(Self.passing(100, gap) == [])
  }

  @Test("during a trip entries and exits alternate in order", arguments: Array(UInt64(1)...8))
  func passingAlternates(seed: UInt64) throws {
    var monitor = GeofenceMonitor(geofences: Base.places)
    var isInside: [String: Bool] = [:]
    var last: [String: Date] = [:]
    for one in Base.walk(seed: seed).enumerated().filter({ $0.offset % 3 == 0 }).map(\.element) {
      let effects = monitor.onLocation(one, onTripSince: .distantPast)
      monitor = try JSONDecoder().decode(GeofenceMonitor.self, from: JSONEncoder().encode(monitor))
      for effect in effects {
        let (id, location, entered) =
          switch effect {
          case .entered(let id, let location): (id, location, true)
          case .exited(let id, let location): (id, location, false)
          }
        #expect(isInside[id, default: false] != entered)
        isInside[id] = entered
        #expect(location.timestamp > last[id] ?? .distantPast)
        #expect(location.timestamp <= one.timestamp)
        last[id] = location.timestamp
      }
    }
    #expect(monitor.inside == isInside.filter(\.value).keys.sorted())
  }

  @Test("paths across a pole or the antimeridian are detected", arguments: [(89.9, 0.0), (-89.9, 120), (10, 180)])
  func passingEdges(latitude: Double, longitude: Double) {
    let fence = Geofence(id: "x", name: "X", latitude: latitude, longitude: longitude, radius: 200)
    // The fixes follow the place's parallel of latitude at 1.5 km per minute.
    let degree = 111_320 * cos(latitude * .pi / 180)
    let fixes = (-4...4).map { step in
      Location(
        coordinate: Coordinate(
          latitude: latitude, longitude: (longitude + (Double(step) + 0.5) * 1500 / degree).remainder(dividingBy: 360)),
        horizontalAccuracy: 5, timestamp: at(Double(step) * 60 + 600))
    }
    var monitor = GeofenceMonitor(geofences: [fence])
    let crossings = fixes.flatMap { monitor.onLocation($0, onTripSince: .distantPast) }
    #expect(Base.words(crossings).count == 2)
    guard case .entered(_, let entry)? = crossings.first, case .exited(_, let exit)? = crossings.last else { return }
    for edge in [entry, exit] {
      #expect(abs(Geodesic.distanceMeters(from: fence.coordinate, to: edge.coordinate) - 200) < 0.01)
    }
    #expect(exit.timestamp.timeIntervalSince(entry.timestamp) > 10)
  }

  static func seconds(_ effects: [GeofenceMonitor.Effect], until end: Date) -> Double {
    var total = 0.0
    var since: Date?
    for effect in effects {
      switch effect {
      case .entered(_, let location): since = location.timestamp
      case .exited(_, let location):
        total += since.map { location.timestamp.timeIntervalSince($0) } ?? 0
        since = nil
      }
    }
    return total + (since.map { end.timeIntervalSince($0) } ?? 0)
  }

  static func isMonotone(_ fixes: [Location], about center: Coordinate) -> Bool {
    let end = fixes.map(\.timestamp).max()!
    let seconds = [60.0, 80, 100, 150, 200, 300, 500].map { radius in
      Self.seconds(
        GeofenceMonitor.crossings(
          in: fixes,
          geofences: [
            Geofence(id: "x", name: "X", latitude: center.latitude, longitude: center.longitude, radius: radius)
          ]), until: end)
    }
    return zip(seconds, seconds.dropFirst()).allSatisfy { $0 <= $1 }
  }

  @Test("a larger radius never reduces the time inside", arguments: Array(UInt64(1)...12))
  func monotone(seed: UInt64) {
    for place in Base.places { #expect(Self.isMonotone(Base.walk(seed: seed), about: place.coordinate)) }
  }

  @Test("a larger radius never reduces the time inside on recorded days", arguments: PhoneDayTests.days)
  func monotoneDays(name: String) throws {
    let day = try PhoneDayTests.Day(name)
    for trip in day.trips {
      #expect(Self.isMonotone(day.fixes, about: trip.trip.startCoordinate))
      #expect(Self.isMonotone(day.fixes, about: try #require(trip.trip.endCoordinate)))
    }
  }

  @Test func `an evaluation explains why no crossing was reported`() throws {
    var monitor = GeofenceMonitor(geofences: [Base.fence()])
    var told: [String] = []
    func take(_ one: Location) {
      told.append(monitor.readings(of: one).map { "\($0.containment.rawValue) \($0.isInside)" }.joined())
      _ = monitor.onLocation(one)
    }
    take(fix(0, east: 500))
    take(fix(10, east: 50))
    #expect(monitor.readings(of: fix(20, east: 50)).first?.pendingSince == at(10))
    take(fix(50, east: 0))
    take(fix(60, east: 110))
    take(fix(70, east: 110, accuracy: 200))
    take(fix(80, east: 300))
    #expect(
      told == ["outside false", "inside false", "inside false", "margin true", "nothing true", "outside true"])
    for containment in GeofenceEvaluation.Containment.allCases {
      for isInside in [true, false] {
        let reading = GeofenceEvaluation(
          geofenceId: "x", meters: 1, containment: containment, isInside: isInside, pendingSince: nil)
        #expect(!reading.words.isEmpty)
      }
    }
  }
}
