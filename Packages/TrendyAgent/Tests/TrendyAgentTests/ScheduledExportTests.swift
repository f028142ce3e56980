import Foundation
import Testing
import TrendyAgent
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendyTesting

@Suite("ExportSchedule")
struct ExportScheduleTests {
  private static let utc = LocalTime(isUTC: true)

  private static func date(_ text: String) -> Date { RFC3339.date(from: text) ?? .distantPast }

  @Test(
    "an export is due when the interval since the last file is over",
    arguments: [
      (86_400, ["trendy-2026-11-25.ndjson"], "2026-11-25T23:59:59Z", false),
      (86_400, ["trendy-2026-11-25.ndjson"], "2026-11-26T00:00:00Z", true),
      (7 * 86_400, ["trendy-2026-11-19.ndjson", "trendy-2026-11-12.ndjson"], "2026-11-25T23:59:59Z", false),
      (7 * 86_400, ["trendy-2026-11-19.ndjson"], "2026-11-26T00:00:00Z", true),
      (6 * 3600, ["trendy-2026-11-25-0800.ndjson"], "2026-11-25T13:59:59Z", false),
      (6 * 3600, ["trendy-2026-11-25-0800.ndjson"], "2026-11-25T14:00:00Z", true),
      (86_400, [], "2026-11-25T00:00:00Z", true),
      // Files in other formats, from other programs or with invalid dates are ignored.
      (
        86_400, ["trendy-2026-11-25.csv", "x-2026-11-25.ndjson", "trendy-2026-13-25.ndjson"], "2026-11-25T12:00:00Z",
        true
      ),
      (86_400, ["trendy-2026-11-25-0800.ndjson", "trendy-2026-11-25.ndjson.new"], "2026-11-25T12:00:00Z", true),
      // The file was written while the clock was years ahead.
      (86_400, ["trendy-2031-01-01.ndjson"], "2026-11-25T12:00:00Z", true),
    ] as [(Double, [String], String, Bool)])
  func due(interval: Double, names: [String], now: String, isDue: Bool) {
    let schedule = ExportSchedule(interval: interval, keep: 3, suffix: ".ndjson")
    let now = Self.date(now)
    #expect((schedule.next(after: names, now: now, in: Self.utc) <= now) == isDue)
  }

  @Test func `a daily file has the user's date, an hourly one the local time`() {
    var local = Self.utc
    local.dayStart = 4 * 3600
    let night = Self.date("2026-11-26T03:59:00Z")
    #expect(
      ExportSchedule(interval: 86_400, keep: 1, suffix: ".csv").name(at: night, in: local) == "trendy-2026-11-25.csv")
    let hours = ExportSchedule(interval: 3600, keep: 1, suffix: ".csv")
    #expect(hours.name(at: night, in: local) == "trendy-2026-11-26-0359.csv")
    #expect(hours.moment(of: "trendy-2026-11-26-0359.csv", in: local) == night)
    // 25 hours are not a whole number of days.
    #expect(ExportSchedule(interval: 90_000, keep: 1, suffix: ".csv").name(at: night, in: local).hasSuffix("-0359.csv"))
  }

  @Test func `the newest files are kept up to the configured number`() {
    let schedule = ExportSchedule(interval: 86_400, keep: 2, suffix: ".ndjson")
    let names = ["03", "01", "02", "02", "04"].map { "trendy-2026-11-\($0).ndjson" } + ["notes.txt"]
    #expect(schedule.superseded(names, in: Self.utc) == ["trendy-2026-11-01.ndjson", "trendy-2026-11-02.ndjson"])
  }
}

/// Uses a real disk and a manual clock.
@Suite("ScheduledExport", .timeLimit(.minutes(5)))
final class ScheduledExportTests {
  private let folder: URL
  private let clock = ManualClock(
    now: DeterministicDate.make(year: 2026, month: 11, day: 1, hour: 9, minute: 0, second: 0))
  private let record: DeviceRecord

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "trendy-export-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder.appending(path: "to"), withIntermediateDirectories: true)
    record = try DeviceRecord(directory: folder.appending(path: "store"), clock: clock)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func export(every interval: Double = 86_400, keep: Int = 3, to name: String = "to") -> ScheduledExport {
    ScheduledExport(
      record, schedule: ExportSchedule(interval: interval, keep: keep, suffix: ".ndjson"),
      folder: folder.appending(path: name), local: LocalTime(isUTC: true))
  }

  private func write(_ url: URL) throws { try Data("whole".utf8).write(to: url) }

  private func names(_ name: String = "to") throws -> [String] {
    try ScheduledExport.names(in: folder.appending(path: name))
  }

  private var standing: ScheduledExportStatus? {
    get throws { try ScheduledExportStatus(in: record.dataStoreFactory.makeLocalStore()) }
  }

  private struct DiskFull: Error, CustomStringConvertible { var description: String { "No space left on device" } }

  @Test func `an export is made once a day and after a gap, and only own files are deleted`()
    async throws
  {
    for name in ["trendy-2025-01-01.ndjson", "holiday.jpg", "trendy-2026-10-01.csv"] {
      try write(folder.appending(path: "to/\(name)"))
    }
    var made: [String] = []
    for _ in 0..<5 {
      for _ in 0..<3 {
        if case .made(let name, _) = try await export().look(write) { made.append(name) }
        await clock.advance(by: .seconds(8 * 3600))
      }
    }
    #expect(made == (1...6).map { "trendy-2026-11-0\($0).ndjson" })
    // The computer sleeps for a month.
    await clock.advance(by: .seconds(30 * 86_400))
    #expect(
      try await export().look(write) == .made("trendy-2026-12-06.ndjson", removed: ["trendy-2026-11-04.ndjson"]))
    #expect(try await export().look(write) == .notDue)
    #expect(
      try names() == [
        "holiday.jpg", "trendy-2025-01-01.ndjson", "trendy-2026-10-01.csv", "trendy-2026-11-05.ndjson",
        "trendy-2026-11-06.ndjson", "trendy-2026-12-06.ndjson",
      ])
  }

  @Test func `a missing directory is reported, not created, and retried after ten minutes`() async throws {
    let away = export(to: "disk")
    let words = "folder \(folder.path)/disk not found"
    #expect(try await away.look(write) == .failed(words))
    #expect(try standing?.failure == words && standing?.failedAt == clock.now)
    try FileManager.default.createDirectory(at: folder.appending(path: "disk"), withIntermediateDirectories: false)
    await clock.advance(by: .seconds(599))
    #expect(try await away.look(write) == .notDue)
    await clock.advance(by: .seconds(1))
    #expect(try await away.look(write) == .made("trendy-2026-11-01.ndjson", removed: []))
    #expect(try standing?.failure == nil && standing?.made == ["trendy-2026-11-01.ndjson"])
  }

  @Test func `a full disk is reported, and the next run deletes the partial file`() async throws {
    #expect(
      try await export().look { url in
        try write(URL(filePath: url.path + ".new"))
        throw DiskFull()
      } == .failed("No space left on device"))
    #expect(try names() == ["trendy-2026-11-01.ndjson.new"] && standing?.made == [])
    await clock.advance(by: .seconds(86_400))
    #expect(try await export().look(write) == .made("trendy-2026-11-02.ndjson", removed: []))
    #expect(try names() == ["trendy-2026-11-02.ndjson"])
    // The writer reports success without creating the file.
    await clock.advance(by: .seconds(86_400))
    #expect(try await export().look { _ in } == .failed("trendy-2026-11-03.ndjson was not written"))
  }

  @Test func `a new directory gets an export at once, and an unrecorded file is kept`() async throws {
    _ = try await export(keep: 1).look(write)
    try FileManager.default.createDirectory(at: folder.appending(path: "other"), withIntermediateDirectories: false)
    #expect(try await export(keep: 1, to: "other").look(write) == .made("trendy-2026-11-01.ndjson", removed: []))
    #expect(try names() == ["trendy-2026-11-01.ndjson"])
    // The process is killed after writing the file and before saving the new status.
    await clock.advance(by: .seconds(86_400))
    try write(folder.appending(path: "other/trendy-2026-11-02.ndjson"))
    #expect(try await export(keep: 1, to: "other").look(write) == .notDue)
    await clock.advance(by: .seconds(86_400))
    #expect(
      try await export(keep: 1, to: "other").look(write)
        == .made("trendy-2026-11-03.ndjson", removed: ["trendy-2026-11-01.ndjson"]))
    #expect(try names("other") == ["trendy-2026-11-02.ndjson", "trendy-2026-11-03.ndjson"])
  }

  @Test func `a failure of one directory does not delay another`() async throws {
    #expect(try await export(to: "disk").look(write) != .notDue)
    #expect(try await export().look(write) == .made("trendy-2026-11-01.ndjson", removed: []))
  }
}
