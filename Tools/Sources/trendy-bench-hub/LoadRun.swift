import Foundation
import HubConnection
import StoreBenchmark
import TrendyModels

/// Measures the daemon's memory while eight users write, edit, delete, list, stream and request insights, with twelve
/// requests per second from each user. Thirty streams open and close each minute.
struct LoadRun {
  let directory: String
  /// Path of the release build of the daemon.
  let daemon: String
  private static let users = 8
  private static let streams = 30
  /// Seconds between two requests of a user.
  private static let pause = 0.08

  /// Prints a line for each minute, and a summary.
  func measure(for seconds: Int) async throws {
    let crowd = try Crowd(directory: directory, users: Self.users)
    let hub = try HubProcess(daemon: daemon, directory: directory)
    defer { hub.end() }
    for token in crowd.tokens {
      let connection = try HubConnection(port: hub.port, token: token)
      for type in 0..<LoadUser.types {
        try connection.ask(
          "POST", "/event-types", #"{"id":"t\#(type)","name":"type \#(type)","color":"green","icon":"o"}"#)
      }
    }
    let start = ContinuousClock.now
    let end = start + .seconds(seconds)
    let clients = crowd.tokens.enumerated().map { number, token in
      let user = LoadUser(number)
      return Client(port: hub.port, token: token, until: end, pause: Self.pause) { user.request($0) }
    }
    var minute = 0
    while ContinuousClock.now < end {
      minute += 1
      let readers = try (0..<Self.streams).map { number in
        let reader = try HubConnection(port: hub.port, token: crowd.tokens[number % Self.users])
        try reader.open("/changes/stream", until: "event: head")
        return reader
      }
      let left = min(start + .seconds(60 * minute), end) - ContinuousClock.now
      try await Task.sleep(for: max(.zero, left))
      let memory = withExtendedLifetime(readers) { hub.memory }
      print(
        #"{"suite":"hub","workload":"load","minute":\#(minute),"rss_mb":\#(rounded(memory.own + memory.mapped)),"own_mb":\#(rounded(memory.own))}"#
      )
      fflush(nil)  // shows each line at once, even in a file
    }
    for client in clients { await client.finished() }
    let times = clients.flatMap(\.times)
    print(
      #"{"suite":"hub","workload":"load","requests":\#(times.count),"p50_ms":\#(TrendyBenchHub.percentile(50, of: times)),"p99_ms":\#(TrendyBenchHub.percentile(99, of: times))}"#
    )
  }
}

/// Deterministic requests from one user.
///
/// @unchecked: used by one thread only.
private final class LoadUser: @unchecked Sendable {
  static let types = 10
  private static let batch = 20
  private static let notes = "Morning run along the river, felt good"

  private var generator: SeededGenerator
  private var events: [String] = []
  /// Approximate cursor of the user's change feed.
  private var writes = 0

  init(_ number: Int) { generator = SeededGenerator(seed: UInt64(number)) }

  /// Returns the next request.
  /// - Parameter turn: number of requests so far.
  func request(_ turn: Int) -> (method: String, path: String, body: String?) {
    switch Int.random(in: 0..<100, using: &generator) {
    case 0..<30: return ("POST", "/events", event("e\(turn)"))
    case 30..<35:
      let batch = (0..<Self.batch).map { event("b\(turn)-\($0)") }.joined(separator: ",")
      return ("POST", "/events/batch", #"{"events":[\#(batch)]}"#)
    case 35..<50:
      guard let id = events.randomElement(using: &generator) else { break }
      writes += 1
      return ("PUT", "/events/\(id)", #"{"notes":"edited \#(turn)"}"#)
    case 50..<60:
      guard let place = events.indices.randomElement(using: &generator) else { break }
      writes += 1
      events.swapAt(place, events.count - 1)
      return ("DELETE", "/events/\(events.removeLast())", nil)
    case 60..<80: return ("GET", "/changes?since=\(max(0, writes - 50))&limit=200", nil)
    case 80..<90: return ("GET", "/events?limit=50&offset=\(Int.random(in: 0..<100, using: &generator))", nil)
    case 90..<93: return ("GET", "/insights?days=90&zone=Europe/Amsterdam", nil)
    case 93..<97: return ("GET", "/events/days?from=2025-11-01&to=2026-11-01&zone=Europe/Amsterdam", nil)
    case 97..<98: return ("GET", "/events/search?text=river", nil)
    default: return ("GET", "/snapshot?part=first", nil)
    }
    return ("GET", "/event-types", nil)
  }

  private func event(_ id: String) -> String {
    events.append(id)
    writes += 1
    let age = Double.random(in: 0..<31_536_000, using: &generator).rounded()
    let type = Int.random(in: 0..<Self.types, using: &generator)
    let distance = rounded(Double.random(in: 0..<10, using: &generator))
    let moment = Date(timeIntervalSince1970: 1_793_491_200 - age).ISO8601Format()
    return #"{"id":"\#(id)","event_type_id":"t\#(type)","timestamp":"\#(moment)","notes":"\#(Self.notes)","#
      + #""properties":{"distance_km":{"type":"number","value":\#(distance)}}}"#
  }
}
