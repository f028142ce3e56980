import Testing
import TrendyInsights

@Suite("Hours at a place", .timeLimit(.minutes(10)))
struct StayTests {
  @Test func `overlapping visits of two devices count once, in the week in which they occurred`() {
    let found = StaySeconds([10..<20, 15..<30, 95..<110, 200..<200], in: [0..<100, 100..<200, 200..<300])
    #expect(found.seconds == [25, 10, 0])
  }
}
