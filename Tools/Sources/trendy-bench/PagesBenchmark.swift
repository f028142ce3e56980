import Foundation
import HubConnection

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// `trendy-bench pages`: latency of the requests that the hub's pages make for a user with a million events, and the
/// cost of open but idle browsers.
struct PagesBenchmark {
  static let usage = """
    usage: trendy-bench pages --programs DIR [--n N] [--runs K] [--streams S] [--seconds T] [--dir DIR]
      --programs  folder with a release build of trendyd (make release)
      N           number of events over ten years in 40 types (default 1000000); two per day are trips
      K           measured loads of each page (default 200)
      S           number of idle browsers (default 50)
      T           idle seconds to measure (default 20)
      --dir       an empty folder for the hub (default: a temporary one)
    """

  private static let typeCount = 40
  private static let days = 3652
  /// Number of events per trip.
  private static let eventsForTrip = 137
  /// Maximum number of streams per device.
  private static let streamsOfDevice = 4

  private let trendyd: String
  private let (count, runs, streams, seconds): (Int, Int, Int, Int)
  private let folder: URL
  private let isTemporary: Bool

  init(_ arguments: [String]) throws(InputError) {
    let options = try ProgramBenchmarkOptions(
      arguments, known: ["--programs", "--n", "--runs", "--streams", "--seconds", "--dir"], usage: Self.usage)
    trendyd = try options.program("trendyd")
    count = try options.number("--n", 1_000_000)
    runs = try options.number("--runs", 200)
    streams = try options.number("--streams", 50)
    seconds = try options.number("--seconds", 20)
    (folder, isTemporary) = options.folder("pages")
  }

  func run(_ write: (String) -> Void) throws {
    defer { if isTemporary { try? FileManager.default.removeItem(at: folder) } }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    _ = try CommandRun(trendyd, ["hub", "init", "--name", "Ada", "--data", data], environment: environment)
    let tokens = try (0...(streams - 1) / Self.streamsOfDevice).map { try token("device-\($0)") }
    let hub = try Hub(self)
    defer { hub.stop() }
    let connection = try HubConnection(port: hub.port, token: tokens[0])
    write(try fill(connection))
    for page in Page.allCases {
      // Load the page with an unchanged record, then with an event recorded before each load, as if by a phone.
      for isChanging in [false, true] { write(try load(page, isChanging: isChanging, connection)) }
    }
    write(try listen(hub, tokens))
  }

  private var data: String { folder.appending(path: "hub").path }

  private var environment: [String] {
    ["HOME=\(folder.path)", "TZ=UTC", "LANG=C.UTF-8", "PATH=\(ProcessInfo.processInfo.environment["PATH"] ?? "")"]
  }

  private func token(_ name: String) throws -> String {
    let file = folder.appending(path: "token").path
    _ = try CommandRun(
      trendyd, ["token", "create", name, "--data", data, "--json"], environment: environment, output: file)
    let answer = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: file))) as? [String: Any]
    guard let token = answer?["token"] as? String else { throw InputError(text: "trendyd printed no token") }
    return token
  }

  // MARK: Sample record

  private func fill(_ connection: HubConnection) throws -> String {
    let start = ContinuousClock.now
    for type in 0..<Self.typeCount {
      try connection.ask(
        "POST", "/event-types", ##"{"id":"t\##(type)","name":"type-\##(type)","color":"#336699","icon":"cup"}"##)
    }
    try connection.ask(
      "POST", "/event-types", ##"{"id":"trip","name":"Trip","color":"#4A6FA5","icon":"\u21e2"}"##)
    let now = Date().timeIntervalSince1970
    let step = Double(Self.days) * 86_400 / Double(count)
    for first in stride(from: 0, to: count, by: 500) {
      let events = (first..<min(first + 500, count)).map { Self.event("e\($0)", $0, at: now - Double($0) * step) }
      try connection.ask("POST", "/events/batch", #"{"events":[\#(events.joined(separator: ","))]}"#)
    }
    return Self.text([
      ("workload", #""fill""#), ("n", "\(count)"),
      ("per_s", "\(Int(Double(count) / ((ContinuousClock.now - start) / .seconds(1))))"),
    ])
  }

  private static func event(_ id: String, _ number: Int, at moment: Double) -> String {
    let time = Date(timeIntervalSince1970: moment).formatted(.iso8601)
    guard number % eventsForTrip != 0 else {
      let end = Date(timeIntervalSince1970: moment + 1800).formatted(.iso8601)
      return
        #"{"id":"\#(id)","event_type_id":"trip","timestamp":"\#(time)","end_date":"\#(end)","time_zone":"Europe/Amsterdam","source_type":"trip","properties":{"distance":{"type":"number","value":18300},"route":{"type":"text","value":"\#(route)"}}}"#
    }
    return
      #"{"id":"\#(id)","event_type_id":"t\#(number % typeCount)","timestamp":"\#(time)","time_zone":"Europe/Amsterdam","notes":"what happened, in some words","properties":{"amount":{"type":"number","value":\#(number % 7)}}}"#
  }

  /// Route of sixty points as an encoded polyline with five decimals.
  private static let route = "_qo~F~ps|U" + String(repeating: "oCwB", count: 59)

  // MARK: Pages

  private enum Page: String, CaseIterable {
    case today
    case calendar
    case trips
    case mileage
    case search
    /// Searches for a word that does not occur. The request covers the first part of the record.
    case searchOfNothing = "search_nothing"
    case insights

    /// Requests of the page, as in the page's module in `pages`.
    var paths: [String] {
      let now = Date()
      let zone = "zone=Europe/Amsterdam&day_start=0"
      func date(_ ago: Int) -> String { String(moment(ago).prefix(10)) }
      func moment(_ ago: Int) -> String { now.addingTimeInterval(-86_400 * Double(ago)).formatted(.iso8601) }
      return switch self {
      case .today:
        [
          "/events?from=\(moment(2))&to=\(moment(-1))&limit=1000",
          "/events/days?from=\(date(13))&to=\(date(0))&\(zone)",
          "/insights/goals?\(zone)&week_start=1", "/me/live",
        ]
      case .calendar: ["/events/days?from=\(date(0).prefix(4))-01-01&to=\(date(0).prefix(4))-12-31&\(zone)"]
      case .trips: ["/events?from=\(moment(32))&to=\(moment(-1))&limit=1000&source_type=trip"]
      case .mileage: ["/mileage?year=\(date(0).prefix(4))&zone=Europe/Amsterdam"]
      case .search: ["/events/search?text=words&limit=50"]
      case .searchOfNothing: ["/events/search?text=nowhere&limit=50"]
      case .insights: ["/insights?days=90&\(zone)&week_start=1"]
      }
    }
  }

  private func load(_ page: Page, isChanging: Bool, _ connection: HubConnection) throws -> String {
    var times: [Double] = []
    var slowest: [String: Double] = [:]
    let start = ContinuousClock.now
    for path in page.paths { try connection.ask("GET", path) }
    let first = (ContinuousClock.now - start) / .milliseconds(1)
    for run in 0..<runs {
      if isChanging {
        let event = Self.event("\(page.rawValue)-\(run)", run, at: Date().timeIntervalSince1970)
        try connection.ask("POST", "/events", event)
      }
      var sum = 0.0
      for path in page.paths {
        let start = ContinuousClock.now
        try connection.ask("GET", path)
        let time = (ContinuousClock.now - start) / .milliseconds(1)
        sum += time
        let name = String(path.prefix { $0 != "?" })
        slowest[name] = max(slowest[name] ?? 0, time)
      }
      times.append(sum)
    }
    times.sort()
    let each = slowest.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\(Self.hundredths($0.value))" }
    return Self.text([
      ("workload", "\"\(page.rawValue)\""), ("n", "\(count)"), ("ops", "\(runs)"), ("after_a_write", "\(isChanging)"),
      ("p50_ms", Self.hundredths(times[runs / 2])), ("p99_ms", Self.hundredths(times[min(runs - 1, runs * 99 / 100)])),
      ("first_ms", Self.hundredths(first)),
      ("slowest_ms", "{\(each.joined(separator: ","))}"),
    ])
  }

  // MARK: Idle browsers

  private func listen(_ hub: Hub, _ tokens: [String]) throws -> String {
    // Let the hub free memory and finish background work.
    Thread.sleep(forTimeInterval: 2)
    let before = try hub.memory()
    let open = try (0..<streams).map { number in
      let connection = try HubConnection(port: hub.port, token: tokens[number / Self.streamsOfDevice])
      try connection.open("/changes/stream")
      return connection
    }
    Thread.sleep(forTimeInterval: 2)
    let (with, start) = (try hub.memory(), try hub.processorSeconds())
    Thread.sleep(forTimeInterval: Double(seconds))
    let spent = try hub.processorSeconds() - start
    withExtendedLifetime(open) {}
    return Self.text([
      ("workload", #""listen""#), ("streams", "\(streams)"), ("seconds", "\(seconds)"),
      ("cpu_percent", Self.hundredths(spent / Double(seconds) * 100)),
      ("kb_a_stream", Self.hundredths(Double(with - before) / Double(streams))), ("rss_kb", "\(with)"),
    ])
  }

  private final class Hub {
    let port: UInt16
    private let process = Process()

    init(_ benchmark: PagesBenchmark) throws {
      process.executableURL = URL(filePath: benchmark.trendyd)
      // Use any free port, which the hub writes to a file.
      process.arguments = [
        "run", "--role", "hub", "--data", benchmark.data, "--listen", "127.0.0.1:0", "--limit",
        "requestsPerMinute=none",
      ]
      process.environment = ["HOME": benchmark.folder.path, "TZ": "UTC"]
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      let noted = benchmark.folder.appending(path: "hub/port")
      let end = ContinuousClock.now + .seconds(20)
      while true {
        let text = try? String(contentsOf: noted, encoding: .utf8)
        if let first = text?.split(separator: "\n").first, let port = UInt16(first),
          (try? HubConnection(port: port, token: nil).ask("GET", "/health")) != nil
        {
          self.port = port
          return
        }
        guard process.isRunning, ContinuousClock.now < end else { throw InputError(text: "the hub does not respond") }
        Thread.sleep(forTimeInterval: 0.05)
      }
    }

    func stop() {
      process.terminate()
      process.waitUntilExit()
    }

    /// Resident memory in KiB.
    func memory() throws -> Int {
      let line = try proc("status").split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
      guard let number = line?.split(separator: " ", omittingEmptySubsequences: true).dropFirst().first,
        let kilobytes = Int(number.filter(\.isNumber))
      else { throw InputError(text: "/proc has no memory statistics of the hub") }
      return kilobytes
    }

    func processorSeconds() throws -> Double {
      // Count the fields after the process name, which may contain spaces. utime and stime are fields 14 and 15.
      let fields = try proc("stat").split(separator: ")").last?.split(separator: " ") ?? []
      guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
        throw InputError(text: "/proc has no CPU time of the hub")
      }
      return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    private func proc(_ file: String) throws -> String {
      String(decoding: try Data(contentsOf: URL(filePath: "/proc/\(process.processIdentifier)/\(file)")), as: UTF8.self)
    }
  }

  private static func hundredths(_ number: Double) -> String { "\((number * 100).rounded() / 100)" }

  private static func text(_ members: [(String, String)]) -> String {
    "{\(([("suite", #""pages""#)] + members).map { "\"\($0.0)\":\($0.1)" }.joined(separator: ","))}"
  }
}
