import Foundation
import Testing
import TrendyProtocols

@Suite("SystemTime", .timeLimit(.minutes(10)))
struct SystemTimeTests {
  @Test func `the date is in this century and uptime never decreases`() {
    let time = SystemTime()
    #expect(time.now.timeIntervalSince1970 > 1_704_067_200)
    var last = time.uptime
    #expect(last >= .zero && last < .seconds(60))
    for _ in 0..<1000 {
      let uptime = time.uptime
      #expect(uptime >= last)
      last = uptime
    }
  }

  @Test func `a sleep lasts at least as long as requested`() async throws {
    let time = SystemTime()
    let before = time.uptime
    try await time.sleep(for: .milliseconds(2))
    #expect(time.uptime - before >= .milliseconds(2))
    try await time.sleep(for: .zero)
    try await time.sleep(for: .seconds(-5))
  }

  @Test func `a sleep ends immediately when its task is cancelled`() async {
    let task = Task { try await SystemTime().sleep(for: .seconds(3600)) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
