import Testing
import TrendyInsights

@Suite("Hours at a place", .timeLimit(.minutes(10)))
struct StayTests {
  @Test func `hours at a place are counted once where two devices saw them, and by the week they are in`() {
    let found = StaySeconds([10..<20, 15..<30, 95..<110, 200..<200], in: [0..<100, 100..<200, 200..<300])
    #expect(found.seconds == [25, 10, 0])
  }
}
