import Foundation
import Testing
import TrendyModels

@testable import TrendyTrips

@Suite("Hops", .timeLimit(.minutes(5)))
struct HopsTests {
  /// A fix each second, so many metres to the east, and up to 20 m aside by turns.
  private func fix(_ second: Int, east: Double) -> Location {
    Location(
      coordinate: Geodesic.place(
        from: Coordinate(latitude: 48, longitude: 11), offset: SIMD2(Double(second % 5) * 10 - 20, east)),
      horizontalAccuracy: 30, timestamp: Date(timeIntervalSince1970: 1_704_096_000 + Double(second)))
  }

  /// The metres of way that scatter of so many fixes looks like.
  private let scatter = 900.0

  @Test("what it scatters about two places is no way beside the hop between them", arguments: [0, 1, 2])
  func standing(leaps: Int) {
    var hops = Hops(at: fix(0, east: 0))
    for second in 1..<100 { hops.add(fix(second, east: 0), error: 0) }
    for second in 100..<200 { hops.add(fix(second, east: 180), error: 0) }
    // One hop alone may be a ride; that it came there, or left, by a leap makes it the receiver's.
    #expect(hops.isThrown(distance: 180 + scatter, seconds: 200, leaps: leaps) == (leaps > 0))
  }

  @Test func `who walks from place to place and stands at each is not thrown`() {
    var hops = Hops(at: fix(0, east: 0))
    for second in 1..<300 { hops.add(fix(second, east: Double(max(0, second - 150)) * 1.5), error: 0) }
    for second in 300..<600 { hops.add(fix(second, east: 225), error: 0) }
    #expect(!hops.isThrown(distance: 225 + scatter, seconds: 600, leaps: 2))
  }

  @Test func `a way that is longer than the hops in it is a way`() {
    var hops = Hops(at: fix(0, east: 0))
    for second in 1..<100 { hops.add(fix(second, east: 0), error: 0) }
    for second in 100..<200 { hops.add(fix(second, east: 120), error: 0) }
    for second in 200..<400 { hops.add(fix(second, east: 120 + Double(second - 200) * 1.5), error: 0) }
    for second in 400..<800 { hops.add(fix(second, east: 420), error: 0) }
    #expect(!hops.isThrown(distance: 420 + scatter, seconds: 800, leaps: 2))
  }
}
