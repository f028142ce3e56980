import Foundation
import HubConnection
import TrendyHub
import TrendyPersistence

/// Measures the hub under load:
/// `trendy-bench-hub WORKLOAD DIR [SECONDS [STREAMS]]` or `trendy-bench-hub load DIR SECONDS DAEMON`.
///
/// - `writers`: eight devices of one user write continuously, and each disk sync takes 200 ms. Meanwhile, other clients
///   request the hub's health and read another user's events. Prints the latencies of these clients in milliseconds,
///   the writers' requests per second, and the syncs per write.
/// - `readers`: the same while sixteen devices of one user read 1,000 events continuously.
/// - `streams`: memory and CPU time of a hub with 10,000 open streams (or `STREAMS`), four per user, while idle and per
///   write.
/// - `requests`: CPU time per request while 32 devices send requests continuously, and the share of the socket thread.
/// - `load`: memory of `trendyd` per minute while eight users send typical requests and thirty streams open and close.
@main
enum TrendyBenchHub {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.count == 3, arguments[0] == "serve", let connections = Int(arguments[2]) {
      return try await HubProcess.serve(directory: arguments[1], connections: connections)
    }
    guard let workload = arguments.first.flatMap(Workload.init(rawValue:)), let directory = arguments.dropFirst().first
    else {
      FileHandle.standardError.write(
        Data(
          "usage: trendy-bench-hub writers|readers|streams|requests DIR [SECONDS [STREAMS]], or load DIR SECONDS DAEMON\n"
            .utf8))
      exit(64)
    }
    let seconds = arguments.dropFirst(2).first.flatMap(Int.init) ?? 10
    switch workload {
    case .writers, .readers: try await Run(workload: workload, directory: directory).measure(for: .seconds(seconds))
    case .streams:
      let count = arguments.dropFirst(3).first.flatMap(Int.init) ?? 10_000
      try StreamsRun(directory: directory, streams: count).measure(for: seconds)
    case .requests: try await RequestsRun(directory: directory).measure(for: seconds)
    case .load:
      let daemon = arguments.dropFirst(3).first ?? "trendyd"
      try await LoadRun(directory: directory, daemon: daemon).measure(for: seconds)
    }
  }
}

enum Workload: String {
  case writers
  case readers
  case streams
  case requests
  case load

  var clients: Int { self == .writers ? 8 : 16 }
}

struct Run {
  let workload: Workload
  let directory: String

  func measure(for time: Duration) async throws {
    let files = SlowFileSystem()
    let server = HubServer(
      storage: EmbeddedHubStorage(directory: directory, fileSystem: files), transport: SocketTransport(),
      configuration: HubConfiguration(requestsPerMinute: nil))
    let greedy = try token("greedy", server)
    let other = try token("other", server)
    let port = try await server.start()
    try prepare(port: port, token: greedy, events: 1000)
    try prepare(port: port, token: other, events: 50)
    if workload == .writers { files.slowDown() }
    let before = files.syncs(below: "\(directory)/people")
    let end = ContinuousClock.now + time
    var threads: [Client] = []
    for number in 0..<workload.clients {
      threads.append(
        Client(port: port, token: greedy, until: end) { [workload] turn in
          workload == .writers
            ? ("POST", "/events", Self.event("w\(number)-\(turn)")) : ("GET", "/events?limit=1000", nil)
        })
    }
    let health = Client(port: port, token: nil, until: end, pause: 0.005) { _ in ("GET", "/health", nil) }
    let reader = Client(port: port, token: other, until: end, pause: 0.005) { _ in ("GET", "/events?limit=50", nil) }
    for client in threads + [health, reader] { await client.finished() }
    let syncs = files.syncs(below: "\(directory)/people") - before
    let asked = threads.reduce(0) { $0 + $1.times.count }
    print(
      #"{"suite":"hub","workload":"\#(workload.rawValue)","health_p50_ms":\#(health.percentile(50)),"health_p99_ms":\#(health.percentile(99)),"#
        + #""other_p50_ms":\#(reader.percentile(50)),"other_p99_ms":\#(reader.percentile(99)),"#
        + #""greedy_per_s":\#(asked / Int(time.components.seconds)),"syncs_per_write":\#(workload == .writers ? Double(syncs) / Double(max(asked, 1)) : 0)}"#
    )
    await server.stop()
  }

  private func token(_ name: String, _ server: HubServer) throws -> String {
    let user = try server.accounts.createPerson(name: name)
    return try server.accounts.createToken(user: user.id, deviceName: name).token
  }

  private func prepare(port: UInt16, token: String, events: Int) throws {
    let connection = try HubConnection(port: port, token: token)
    try connection.ask("POST", "/event-types", #"{"id":"t","name":"x","color":"c","icon":"i"}"#)
    for start in stride(from: 0, to: events, by: 250) {
      let batch = (start..<min(start + 250, events)).map { Self.event("e\($0)") }.joined(separator: ",")
      try connection.ask("POST", "/events/batch", #"{"events":[\#(batch)]}"#)
    }
  }

  private static func event(_ id: String) -> String {
    #"{"id":"\#(id)","event_type_id":"t","timestamp":"2024-01-01T08:00:00Z","notes":"what happened, in some words"}"#
  }
}

/// A thread that sends requests one after another on one connection.
///
/// @unchecked: only the thread uses `times` until ``finished()`` has returned.
final class Client: @unchecked Sendable {
  private(set) var times: [Duration] = []
  private let done = AsyncStream<Void>.makeStream()

  init(
    port: UInt16, token: String?, until end: ContinuousClock.Instant, pause: Double = 0,
    _ next: @escaping @Sendable (Int) -> (method: String, path: String, body: String?)
  ) {
    Thread { [self] in
      do {
        let connection = try HubConnection(port: port, token: token)
        while ContinuousClock.now < end {
          let (method, path, body) = next(times.count)
          let begin = ContinuousClock.now
          try connection.ask(method, path, body)
          times.append(ContinuousClock.now - begin)
          if pause > 0 { Thread.sleep(forTimeInterval: pause) }
        }
      } catch {
        FileHandle.standardError.write(Data("\(error)\n".utf8))
        exit(1)
      }
      done.continuation.finish()
    }.start()
  }

  func finished() async { for await _ in done.stream {} }

  func percentile(_ percent: Int) -> Double {
    TrendyBenchHub.percentile(percent, of: times)
  }
}

extension TrendyBenchHub {
  /// Returns a percentile in milliseconds, rounded to two decimal places, or -1 if `times` is empty.
  static func percentile(_ percent: Int, of times: [Duration]) -> Double {
    let sorted = times.sorted()
    return sorted.isEmpty ? -1 : rounded(sorted[min(sorted.count * percent / 100, sorted.count - 1)] / .milliseconds(1))
  }
}
