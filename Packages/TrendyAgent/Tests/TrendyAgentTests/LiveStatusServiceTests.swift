import Foundation
import Synchronization
import Testing
import TrendyAgent
import TrendyInsights
import TrendyModels
import TrendyTesting

/// Uses a real disk.
@Suite("LiveDesk", .timeLimit(.minutes(10)))
struct LiveStatusServiceTests {
  @Test func `an update is due when the user's day begins, and within a minute at any time`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "trendy-desk-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let clock = ManualClock(now: try #require(RFC3339.date(from: "2026-12-31T03:57:00Z")))
    let record = try DeviceRecord(directory: folder, clock: clock)
    let days = Mutex<[String]>([])
    let sources = LiveStatusService.Sources(
      presences: { [] }, sync: { nil },
      local: {
        var local = LocalTime(isUTC: true)
        local.dayStart = 14_400
        return local
      })
    let desk = LiveStatusService(record, sources: sources, pid: 1) { status in
      if let day = status.today?.day { days.withLock { $0.append(day.description) } }
    }
    for (seconds, wait) in [(0.0, 60.0), (120, 60), (30.5, 29.5), (29.5, 60), (86_340, 60), (40, 20), (20, 60)] {
      await clock.advance(by: .seconds(seconds))
      try await desk.look()
      #expect(await desk.lookInterval == .seconds(wait), "\(clock.now)")
    }
    #expect(
      days.withLock { $0.reduce(into: []) { if $0.last != $1 { $0.append($1) } } }
        == ["2026-12-30", "2026-12-31", "2027-01-01"])
  }
}
