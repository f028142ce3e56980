import Foundation
import StoreBenchmark
import TrendyModels
import TrendyPersistence
import TrendyProtocols

/// `trendy-bench cli`: duration of commands from start to exit on a large store, compared with other installed
/// command-line tools.
///
/// Each command alternates with its peers so that all run under the same system load. The peers have empty journals.
struct CommandLineBenchmark {
  static let usage = """
    usage: trendy-bench cli --programs DIR [--n N] [--runs K] [--dir DIR] [--table]
      --programs  folder with a release build of trendy (make release)
      N           number of events in the store (default 1000000)
      K           measured runs of each command (default 21), a seventh for commands that print every event
      --dir       an empty folder for the store (default: a temporary one)
      --table     prints a table at the end instead of a line of JSON for each command
    """

  private struct Workload {
    let name: String
    let arguments: [String]
    /// Whether the command reads every event.
    var isLong = false
    /// Limits in milliseconds and megabytes for a million events, if any.
    var aim: (millis: Int?, megabytes: Int?) = (nil, nil)
    /// Equivalent commands in other tools.
    var peers: [Peer] = []
  }

  private struct Peer {
    let name: String
    let program: String
    let arguments: [String]
  }

  private let trendy: String
  private let count: Int
  private let runs: Int
  private let folder: URL
  private let isTemporary: Bool
  private let isTable: Bool

  init(_ arguments: [String]) throws(InputError) {
    isTable = arguments.contains("--table")
    let options = try ProgramBenchmarkOptions(
      arguments.filter { $0 != "--table" }, known: ["--programs", "--n", "--runs", "--dir"], usage: Self.usage)
    trendy = try options.program("trendy")
    count = try options.number("--n", 1_000_000)
    runs = try options.number("--runs", 21)
    (folder, isTemporary) = options.folder("cli")
  }

  func run(_ write: (String) -> Void) throws {
    defer { if isTemporary { try? FileManager.default.removeItem(at: folder) } }
    let middle = try makeStore()
    var table = CommandTableText(events: count, programs: ["task", "timew", "watson"])
    table.missing = table.programs.filter { peers([$0]).isEmpty }
    for workload in workloads(middle: middle) {
      var times = [[CommandRun]](repeating: [], count: workload.peers.count + 1)
      for round in 0...(workload.isLong ? max(1, runs / 7) : runs) {
        for (index, call) in ([(trendy, workload.arguments)] + workload.peers.map { ($0.program, $0.arguments) })
          .enumerated()
        {
          let run = try CommandRun(call.0, call.1, environment: environment)
          // The first run warms up caches.
          if round > 0 { times[index].append(run) }
        }
      }
      if isTable {
        table.ownPeak = SystemCalls.peakMemory()
        table.add(
          workload.name, times[0], aim: workload.aim,
          peers: Dictionary(uniqueKeysWithValues: zip(workload.peers.map(\.name), times.dropFirst())))
        continue
      }
      write(line("trendy", workload.name, times[0], against: nil))
      for (peer, runs) in zip(workload.peers, times.dropFirst()) {
        write(line(peer.name, workload.name, runs, against: times[0]))
      }
    }
    table.flushes = try flushes()
    if isTable {
      write(table.text)
    } else {
      write(
        "{\"suite\":\"cli\",\"workload\":\"flush\",\"program\":\"fdatasync\",\"ops\":\(table.flushes.count),"
          + "\"p50_ms\":\(CommandTableText.middle(table.flushes))}")
    }
  }

  /// Performs several small durable writes and returns the duration of each in milliseconds.
  private func flushes() throws -> [Double] {
    let path = folder.appending(path: "flush").path
    let file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
    guard file >= 0 else { throw InputError(text: "cannot create \(path)") }
    defer { close(file) }
    let page = [UInt8](repeating: 1, count: 4096)
    return try (0..<max(runs, 21)).map { number in
      let start = ContinuousClock.now
      guard pwrite(file, page, page.count, off_t(number % 4 * page.count)) == page.count, fdatasync(file) == 0 else {
        throw InputError(text: "cannot write to \(path)")
      }
      return (ContinuousClock.now - start) / .milliseconds(1)
    }
  }

  private func workloads(middle: String) -> [Workload] {
    let store = ["--store", folder.appending(path: "store").path]
    func own(
      _ name: String, _ words: String..., isLong: Bool = false, within millis: Int? = 8, _ megabytes: Int? = 16,
      peers: [Peer] = []
    ) -> Workload {
      Workload(name: name, arguments: words + store, isLong: isLong, aim: (millis, megabytes), peers: peers)
    }
    return [
      Workload(
        name: "help", arguments: ["--help"], aim: (3, 16),
        peers: peers(["timew", "help"], ["task", "--version"], ["watson", "--help"])),
      own(
        "log", "log", "type-3", within: nil,
        peers: peers(
          ["timew", "start", "coffee"], ["task", "add", "coffee"],
          ["watson", "add", "coffee", "--from", "09:00", "--to", "09:01"])),
      own("today", "today", peers: peers(["timew", "summary"], ["task", "list"], ["watson", "log"])),
      own("list", "list"), own("show @1", "show", "@1"), own("show ID", "show", middle),
      own("edit @1", "edit", "@1", "--at", "-5m"), own("status", "status"),
      // The target is 0.1 s for 100,000 events.
      own("list --grep", "list", "--grep", "does not occur", isLong: true, within: 1000, nil),
      own("list --limit 0", "list", "--limit", "0", isLong: true, within: nil, nil),
      own("list --limit 0 --json", "list", "--limit", "0", "--json", isLong: true, within: nil, nil),
    ]
  }

  /// Returns the peers that are installed.
  private func peers(_ calls: [String]...) -> [Peer] {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return calls.compactMap { words in
      let paths: [String] = folders.map { "\($0)/\(words[0])" }
      guard let path = paths.first(where: { access($0, X_OK) == 0 }) else { return nil }
      return Peer(name: words[0], program: path, arguments: Array(words.dropFirst()))
    }
  }

  private var environment: [String] {
    [
      "HOME=\(folder.path)", "TZ=UTC", "LANG=C.UTF-8", "PATH=\(ProcessInfo.processInfo.environment["PATH"] ?? "")",
      "TASKRC=\(folder.path)/taskrc",
      "TASKDATA=\(folder.path)/task", "TIMEWARRIORDB=\(folder.path)/timew", "WATSON_DIR=\(folder.path)/watson",
    ]
  }

  /// Creates a store with `trendy init` and fills it. The last event is from the current hour.
  /// - Returns: the prefix of an id from the middle of the store.
  private func makeStore() throws -> String {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data("confirmation=off\nverbose=nothing\n".utf8).write(to: folder.appending(path: "taskrc"))
    for peer in ["task", "timew/data", "watson"] {
      try FileManager.default.createDirectory(at: folder.appending(path: peer), withIntermediateDirectories: true)
    }
    try Data().write(to: folder.appending(path: "timew/timewarrior.cfg"))
    let store = folder.appending(path: "store")
    _ = try CommandRun(trendy, ["init", "--store", store.path], environment: environment)
    // Fill the store in a child process, because on Linux a process passes its peak memory on to the processes that it
    // starts.
    guard let own = Bundle.main.executableURL?.path else {
      throw InputError(text: "the path of this executable is unknown")
    }
    _ = try CommandRun(own, ["cli-fill", store.path, "\(count)"], environment: environment)
    return String(BenchmarkRows(count: count).event(count / 2).id.prefix(18))
  }

  /// Fills a store and moves its log into a segment, as imports do.
  /// - Parameter arguments: path of the store and number of events.
  static func fill(_ arguments: [String]) throws {
    guard arguments.count == 2, let count = Int(arguments[1]), count > 0 else { throw InputError(text: usage) }
    let factory = try DefaultDataStoreFactory(directory: URL(filePath: arguments[0]))
    let unit = factory.makeDataStore()
    for type in 0..<BenchmarkRows.typeCount {
      try unit.upsertEventType(id: BenchmarkRows.typeIdentifier(type)) {
        $0.name = "type-\(type)"
        $0.colorHex = "#336699"
        $0.iconName = "o"
      }
    }
    let rows = BenchmarkRows(count: count)
    let shift = Date().timeIntervalSince(BenchmarkRows.date(BenchmarkRows.start + BenchmarkRows.span))
    for start in stride(from: 0, to: count, by: 10_000) {
      for index in start..<min(count, start + 10_000) {
        var event = rows.event(index)
        event.timestamp.addTimeInterval(shift)
        event.endDate?.addTimeInterval(shift)
        event.syncStatus = .synced
        _ = try unit.upsertEvent(id: event.id) { row in row = event }
      }
      try unit.save()
    }
    while try factory.maintain(sealingAll: true) {}
  }

  private func line(_ program: String, _ workload: String, _ runs: [CommandRun], against other: [CommandRun]?) -> String
  {
    func middle(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
    func millis(_ value: Double) -> Double { (value * 1e5).rounded() / 100 }
    let wall = runs.map(\.wall)
    var line =
      "{\"suite\":\"cli\",\"workload\":\"\(workload)\",\"program\":\"\(program)\",\"n\":\(count),\"ops\":\(runs.count),"
    line += "\"seconds\":\((wall.reduce(0, +) * 1e6).rounded() / 1e6),\"p50_ms\":\(millis(middle(wall))),"
    line += "\"min_ms\":\(millis(wall.min() ?? 0)),\"cpu_ms\":\(millis(middle(runs.map(\.processor)))),"
    line += "\"peak_rss_kb\":\(runs.map(\.peakMemory).max() ?? 0)"
    if let other {
      let ratio = middle(zip(wall, other).map { $0 / $1.wall })
      line += ",\"ratio_to_trendy\":\((ratio * 100).rounded() / 100)"
    }
    return line + "}"
  }
}
