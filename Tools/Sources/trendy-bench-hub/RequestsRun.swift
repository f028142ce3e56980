import Foundation
import HubConnection

/// Measures the share of request handling that runs on the hub's socket thread.
struct RequestsRun {
  let directory: String
  static let clients = 32

  func measure(for seconds: Int) async throws {
    let crowd = try Crowd(directory: directory, users: Self.clients)
    let hub = try HubProcess(directory: directory, connections: 512)
    defer { hub.end() }
    for token in crowd.tokens {
      try HubConnection(port: hub.port, token: token).ask(
        "POST", "/event-types", #"{"id":"t","name":"x","color":"c","icon":"i"}"#)
    }
    for (path, name) in [("/health", "health"), ("/changes?since=1", "poll"), ("/event-types", "list")] {
      let (all, sockets) = (hub.processorTime(), hub.processorTime(ofThreads: "trendy-http"))
      let end = ContinuousClock.now + .seconds(seconds)
      let clients = crowd.tokens.map { token in
        Client(port: hub.port, token: token, until: end) { _ in ("GET", path, nil) }
      }
      for client in clients { await client.finished() }
      let count = Double(clients.reduce(0) { $0 + $1.times.count })
      print(
        #"{"suite":"hub","workload":"requests","what":"\#(name)","per_s":\#(Int(count) / seconds),"hub_cpu_us":\#(rounded((hub.processorTime() - all) * 1e6 / count)),"#
          + #""sockets_cpu_us":\#(rounded((hub.processorTime(ofThreads: "trendy-http") - sockets) * 1e6 / count))}"#)
    }
  }
}
