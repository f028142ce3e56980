import Foundation
import Testing
import TrendyModels

@testable import TrendyTrips

@Suite("PositionJumpDetector", .timeLimit(.minutes(5)))
struct PositionJumpDetectorTests {
  /// Returns a fix at a given distance to the east, up to 20 m north or south of the line.
  private func fix(_ second: Int, east: Double) -> Location {
    Location(
      coordinate: Geodesic.place(
        from: Coordinate(latitude: 48, longitude: 11), offset: SIMD2(Double(second % 5) * 10 - 20, east)),
      horizontalAccuracy: 30, timestamp: Date(timeIntervalSince1970: 1_704_096_000 + Double(second)))
  }

  /// Path length in metres that is due to noise.
  private let scatter = 900.0

  @Test("noise at two positions does not hide the jump between them", arguments: [0, 1, 2])
  func standing(leaps: Int) {
    var hops = PositionJumpDetector(at: fix(0, east: 0), lastSeen: fix(0, east: 0).timestamp)
    for second in 1..<100 { hops.add(fix(second, east: 0), error: 0) }
    for second in 100..<200 { hops.add(fix(second, east: 180), error: 0) }
    let reason = hops.reason(distance: 180 + scatter, seconds: 200, leaps: leaps, least: 60)
    switch reason {
    case .hops(let metres): #expect(leaps > 0 && abs(metres - 180) < 45)
    case .atOnce(let seconds): #expect(leaps == 0 && seconds == 1)
    case nil: Issue.record("a receiver that was thrown \(leaps + 1) times made a trip")
    }
  }

  @Test func `walking between two positions is not a jump`() {
    var hops = PositionJumpDetector(at: fix(0, east: 0), lastSeen: fix(0, east: 0).timestamp)
    for second in 1..<300 { hops.add(fix(second, east: Double(max(0, second - 150)) * 1.5), error: 0) }
    for second in 300..<600 { hops.add(fix(second, east: 225), error: 0) }
    #expect(hops.reason(distance: 225 + scatter, seconds: 600, leaps: 2, least: 60) == nil)
  }

  @Test func `a path longer than its jumps is a trip`() {
    var hops = PositionJumpDetector(at: fix(0, east: 0), lastSeen: fix(0, east: 0).timestamp)
    for second in 1..<100 { hops.add(fix(second, east: 0), error: 0) }
    for second in 100..<200 { hops.add(fix(second, east: 120), error: 0) }
    for second in 200..<400 { hops.add(fix(second, east: 120 + Double(second - 200) * 1.5), error: 0) }
    for second in 400..<800 { hops.add(fix(second, east: 420), error: 0) }
    #expect(hops.reason(distance: 420 + scatter, seconds: 800, leaps: 2, least: 60) == nil)
  }

  @Test("a step of minutes between two positions is a trip unless the receiver was displaced", arguments: [0, 1])
  func displaced(before: Int) {
    for after in 0...1 {
      var hops = PositionJumpDetector(at: sparse(0, 0), lastSeen: sparse(0, 0).timestamp, displacements: before)
      for fix in [sparse(60, 2), sparse(150, 500), sparse(210, 503), sparse(300, 502)] { hops.add(fix, error: 0) }
      if after > 0 { hops.noteDisplacement() }
      let isThrown = hops.reason(distance: 500, seconds: 300, leaps: 0, least: 60) != nil
      #expect(isThrown == (before + after > 0))
    }
  }

  private func sparse(_ second: Double, _ east: Double) -> Location {
    Location(
      coordinate: Geodesic.place(from: Coordinate(latitude: 48, longitude: 11), offset: SIMD2(0, east)),
      horizontalAccuracy: 30, timestamp: Date(timeIntervalSince1970: 1_704_096_000 + second))
  }

  private func reason(_ fixes: [Location], lastSeen: Date? = nil) -> PositionJumpDetector.Reason? {
    var hops = PositionJumpDetector(at: fixes[0], lastSeen: lastSeen ?? fixes[0].timestamp)
    for fix in fixes.dropFirst() { hops.add(fix, error: 0) }
    let metres = zip(fixes, fixes.dropFirst()).reduce(0) {
      $0 + Geodesic.shortMeters(from: $1.0.coordinate, to: $1.1.coordinate)
    }
    let seconds = fixes[fixes.count - 1].timestamp.timeIntervalSince(fixes[0].timestamp)
    return hops.reason(distance: metres, seconds: seconds, leaps: 0, least: 60)
  }

  @Test(
    "one step between two stationary positions is a trip only if it takes longer than the shortest trip",
    arguments: [30.0, 60, 61])
  func oneHop(seconds: Double) {
    let fixes = [sparse(0, 0), sparse(30, 5), sparse(30 + seconds, 500), sparse(90 + seconds, 503)]
    #expect(reason(fixes) == (seconds > 60 ? nil : .atOnce(seconds: seconds)))
  }

  @Test func `the gap before an estimated start is part of the step`() {
    let fixes = [sparse(0, 0), sparse(30, 500), sparse(60, 503)]
    #expect(reason(fixes) == .atOnce(seconds: 30))
    #expect(reason(fixes, lastSeen: fixes[0].timestamp.addingTimeInterval(-600)) == nil)
  }

  @Test("a movement within seconds is not a trip", arguments: [(40.0, true), (55, false)])
  func several(seconds: Double, isThrown: Bool) {
    let fixes = [sparse(0, 0), sparse(seconds / 2, 500), sparse(seconds, 1100), sparse(seconds + 30, 1103)]
    #expect(reason(fixes) == (isThrown ? .atOnce(seconds: seconds) : nil))
  }

  @Test("a position where the receiver is stationary later counts for jumps", arguments: [true, false])
  func stoodLater(stands: Bool) {
    let back = [sparse(340, 400), sparse(400, stands ? 402 : 700)]
    let fixes = [sparse(0, 0), sparse(30, 402), sparse(60, 1000), sparse(90, 1002), sparse(300, 1001)] + back
    // Of the 2000 m, 600 m are between the second and the third position, where the receiver was stationary.
    guard case .hops? = reason(fixes) else {
      #expect(!stands)
      return
    }
    #expect(stands)
  }
}
