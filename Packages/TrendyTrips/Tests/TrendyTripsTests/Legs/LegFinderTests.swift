import Foundation
import Testing
import TrendyModels

@testable import TrendyTrips

@Suite("LegFinder", .timeLimit(.minutes(5)))
struct LegFinderTests {
  /// Returns the legs of a walk of ten minutes with a fix every ten seconds. The last 18 s follow the last complete
  /// cell, and a position jump follows the walk.
  private func legs(until end: Double) -> [TripLeg] {
    var finder = LegFinder()
    for second in stride(from: 0.0, through: 600, by: 10) {
      finder.add(fix(second, east: 1.3 * second), distance: second == 0 ? 0 : 13, motion: MotionHistory())
    }
    finder.add(fix(618, east: 804), distance: 24, motion: MotionHistory())
    finder.add(fix(640, east: 960), distance: 156, motion: MotionHistory())
    return finder.legs(from: at(0), to: at(end), distance: 804)
  }

  @Test func `a cell mostly after the end is not a leg of the trip`() {
    #expect(legs(until: 618).map(\.mode) == [.walking])
    #expect(legs(until: 618).last?.endTime == at(618))
    #expect(legs(until: 640).map(\.mode) == [.walking, .cycling])
  }
}
