import Testing
import TrendyModels
import TrendyTrips

@Suite("DistanceCalculator", .timeLimit(.minutes(10)))
struct DistanceCalculatorTests {
  @Test("a step of 1000 m or more is a jump and adds no distance", arguments: [(999.0, true), (1001.0, false)])
  func jumps(metres: Double, counts: Bool) {
    var calculator = DistanceCalculator()
    calculator.add(fix(0))
    calculator.add(fix(10, east: metres))
    #expect((calculator.totalMeters > 0) == counts)
    // The next distance is measured from the end of the jump.
    calculator.add(fix(20, east: metres + 100))
    #expect(abs(calculator.totalMeters - (counts ? metres : 0) - 100) < 2)
  }

  @Test(
    "a fix with an accuracy of 50 m or more adds no distance",
    arguments: [(49.9, true), (50.0, false), (-1.0, true), (0.0, true)])
  func accuracies(accuracy: Double, counts: Bool) {
    var calculator = DistanceCalculator()
    calculator.add(fix(0))
    #expect((calculator.add(fix(10, east: 100, accuracy: accuracy)) > 0) == counts)
  }

  @Test func `both limits are exclusive and configurable`() {
    let place = fix(0)
    let other = fix(1, east: 300, accuracy: 20)
    let hop = Geodesic.distanceMeters(from: place.coordinate, to: other.coordinate)
    var exact = DistanceCalculator(config: DistanceFilterConfig(maxJumpDistance: hop, maxAccuracy: 21))
    exact.add(place)
    #expect(exact.add(other) == 0)
    var above = DistanceCalculator(config: DistanceFilterConfig(maxJumpDistance: hop.nextUp, maxAccuracy: 20.5))
    above.add(place)
    #expect(above.add(other) == hop)
    #expect(DistanceFilterConfig() == DistanceFilterConfig(maxJumpDistance: 1000, maxAccuracy: 50))
  }

  @Test func `an invalid position is ignored`() {
    var calculator = DistanceCalculator()
    calculator.add(fix(0))
    var bad = fix(5)
    bad.coordinate.latitude = .nan
    calculator.add(bad)
    calculator.add(fix(10, east: 50))
    #expect(abs(calculator.totalMeters - 50) < 0.5)
  }
}
