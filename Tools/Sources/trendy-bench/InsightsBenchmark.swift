import Foundation
import StoreBenchmark
import TrendyInsights
import TrendyModels
import TrendyPersistence
import TrendyProtocols

/// `trendy-bench insights`: duration of the analysis commands from start to exit on a store with ten years and 40
/// types, compared with pandas on the same rows.
struct InsightsBenchmark {
  static let usage = """
    usage: trendy-bench insights --programs DIR [--n N] [--runs K] [--dir DIR] [--python FILE --script FILE]
      --programs  folder with a release build of trendy (make release)
      N           number of events in the store (default 1000000)
      K           measured runs of each command (default 11); the first, which counts the sealed events, is reported separately
      --dir       an empty folder for the store (default: a temporary one)
      --python    a Python interpreter with pandas; requires --script Tools/bench-insights-pandas
    """

  private static let typeCount = 40
  private static let days = 3652

  private let trendy: String
  private let count: Int
  private let runs: Int
  private let folder: URL
  private let isTemporary: Bool
  private let peer: (python: String, script: String)?

  init(_ arguments: [String]) throws(InputError) {
    let options = try ProgramBenchmarkOptions(
      arguments, known: ["--programs", "--n", "--runs", "--dir", "--python", "--script"], usage: Self.usage)
    trendy = try options.program("trendy")
    count = try options.number("--n", 1_000_000)
    runs = try options.number("--runs", 11)
    (folder, isTemporary) = options.folder("insights")
    peer = try options.peer()
  }

  func run(_ write: (String) -> Void) throws {
    defer { if isTemporary { try? FileManager.default.removeItem(at: folder) } }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let (store, rows) = (folder.appending(path: "store").path, folder.appending(path: "rows").path)
    _ = try CommandRun(trendy, ["init", "--store", store], environment: environment)
    // Fill the store in a child process, because on Linux a process passes its peak memory on to the processes that it
    // starts.
    guard let own = Bundle.main.executableURL?.path else {
      throw InputError(text: "the path of this executable is unknown")
    }
    _ = try CommandRun(own, ["insights-fill", store, "\(count)", rows], environment: environment)
    for words in [["insights"], ["stats", "type-3"], ["cal", "type-3"], ["streaks"], ["week"], ["today"]] {
      let first = try CommandRun(trendy, words + ["--store", store], environment: environment)
      let own = try (0..<runs).map { _ in
        try CommandRun(trendy, words + ["--store", store], environment: environment)
      }
      var line = Self.line("trendy", words[0], own, count: count)
      line.append(("first_ms", Self.millis(first.wall)))
      write(Self.text(line))
      guard let peer else { continue }
      let others = try (0..<max(1, runs / 3)).map { _ in
        try CommandRun(peer.python, [peer.script, words[0], rows], environment: environment)
      }
      var other = Self.line("pandas", words[0], others, count: count)
      other.append(("ratio_to_trendy", "\((Self.middle(others) / Self.middle(own) * 10).rounded() / 10)"))
      write(Self.text(other))
    }
    write(Self.text(Self.snapshot()))
  }

  private var environment: [String] {
    ["HOME=\(folder.path)", "TZ=UTC", "LANG=C.UTF-8", "PATH=\(ProcessInfo.processInfo.environment["PATH"] ?? "")"]
  }

  private static func middle(_ runs: [CommandRun]) -> Double { runs.map(\.wall).sorted()[runs.count / 2] }

  private static func millis(_ seconds: Double) -> String { "\((seconds * 1e5).rounded() / 100)" }

  private static func line(
    _ program: String, _ workload: String, _ runs: [CommandRun], count: Int
  ) -> [(String, String)] {
    [
      ("suite", "\"insights\""), ("workload", "\"\(workload)\""), ("program", "\"\(program)\""), ("n", "\(count)"),
      ("ops", "\(runs.count)"), ("p50_ms", millis(middle(runs))), ("min_ms", millis(runs.map(\.wall).min() ?? 0)),
      ("cpu_ms", millis(runs.map(\.processor).sorted()[runs.count / 2])),
      ("peak_rss_kb", "\(runs.map(\.peakMemory).max() ?? 0)"),
    ]
  }

  private static func text(_ members: [(String, String)]) -> String {
    "{\(members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ","))}"
  }

  /// Measures the time to update the snapshot with one more event, on a day with 40 types and streaks of 200 days.
  private static func snapshot() -> [(String, String)] {
    let now = Date()
    let types = (0..<typeCount).map {
      EventType(id: "\($0)", name: "type-\($0)", colorHex: "#336699", iconName: "o", goal: Goal(3, per: .day))
    }
    var tally = TodayTally(TypeSettings(types: types), now: now, local: LocalTime(isUTC: true))
    tally.add(
      (0..<200 * typeCount).map {
        Event(
          id: "old-\($0)", eventTypeId: "\($0 % typeCount)",
          timestamp: now.addingTimeInterval(Double($0 / typeCount) * -86_400))
      })
    let events = (0..<1000).map { Event(id: "\($0)", eventTypeId: "\($0 % typeCount)", timestamp: now) }
    let start = ContinuousClock.now
    for event in events { tally.replace(nil, with: event) }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    return [
      ("suite", "\"insights\""), ("workload", "\"snapshot of one event more\""), ("program", "\"trendy\""),
      ("n", "\(tally.snapshot.total)"), ("ops", "\(events.count)"),
      ("mean_ms", "\((seconds / Double(events.count) * 1e6).rounded() / 1000)"),
    ]
  }

  /// Fills a store, moves its log into a segment as imports do, and writes the same rows for pandas: seconds since 1970
  /// and type number, 8 bytes each.
  /// - Parameter arguments: path of the store, number of events, path of the file for the rows.
  static func fill(_ arguments: [String]) throws {
    guard arguments.count == 3, let count = Int(arguments[1]), count > 0 else { throw InputError(text: usage) }
    let factory = try DefaultDataStoreFactory(directory: URL(filePath: arguments[0]))
    let unit = factory.makeDataStore()
    for type in 0..<typeCount {
      try unit.upsertEventType(id: BenchmarkRows.typeIdentifier(type)) {
        $0.name = "type-\(type)"
        $0.colorHex = "#336699"
        $0.iconName = "o"
        if type % 8 == 0 { $0.goal = Goal(3, per: .day) }
      }
    }
    var random = SeededGenerator(seed: 17)
    let end = Int(Date().timeIntervalSince1970)
    var columns: [Int64] = []
    for start in stride(from: 0, to: count, by: 10_000) {
      for index in start..<min(count, start + 10_000) {
        // Events are in chronological order, and each event is in the first hour of its day.
        let day = end - days * 86_400 + Int(Double(index) / Double(count) * Double(days) * 86_400)
        let type = Int(random.next() % UInt64(typeCount))
        let seconds = min(end - 1, day + Int(random.next() % 3600))
        var event = Event(
          id: identifier(seconds, random.next()), eventTypeId: BenchmarkRows.typeIdentifier(type),
          timestamp: Date(timeIntervalSince1970: Double(seconds)), notes: index % 7 == 0 ? "a note of some words" : nil,
          syncStatus: .synced)
        event.timeZone = "UTC"
        if index % 3 == 0 {
          event.properties = ["count": PropertyValue(type: .number, value: .int(Int64(index % 5)))]
        }
        _ = try unit.upsertEvent(id: event.id) { row in row = event }
        columns += [Int64(seconds), Int64(type)]
      }
      try unit.save()
    }
    while try factory.maintain(sealingAll: true) {}
    try columns.withUnsafeBytes { Data($0) }.write(to: URL(filePath: arguments[2]))
  }

  /// Returns a version 7 UUID.
  private static func identifier(_ seconds: Int, _ random: UInt64) -> String {
    RowKey(high: UInt64(seconds) * 1000 << 16 | 0x7000 | random & 0xFFF, low: 2 << 62 | random >> 2).uuidText
  }
}
