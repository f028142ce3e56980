import Foundation
import HubConnection

/// Measures the cost of open streams on a hub: memory, CPU time while idle, and CPU time during writes.
struct StreamsRun {
  let directory: String
  let streams: Int
  static let perUser = 4
  private static let writes = 500

  func measure(for seconds: Int) throws {
    let crowd = try Crowd(directory: directory, users: max(1, streams / Self.perUser))
    let hub = try HubProcess(directory: directory, connections: streams + 64)
    defer { hub.end() }
    try HubConnection(port: hub.port, token: crowd.tokens[0]).ask(
      "POST", "/event-types", #"{"id":"t","name":"x","color":"c","icon":"i"}"#)
    let before = hub.memory.own
    let start = ContinuousClock.now
    var readers: [HubConnection] = []
    for number in 0..<streams {
      let reader = try HubConnection(
        port: hub.port, token: crowd.tokens[number / Self.perUser],
        from: "127.1.\(number / 100 / 250).\(number / 100 % 250 + 1)")
      try reader.open("/changes/stream", until: "event: head")
      readers.append(reader)
    }
    let opening = (ContinuousClock.now - start) / .milliseconds(1) / Double(max(streams, 1))
    Thread.sleep(forTimeInterval: 2)
    let memory = hub.memory.own
    let idle = hub.processorTime()
    Thread.sleep(forTimeInterval: Double(seconds))
    let idlePart = (hub.processorTime() - idle) / Double(seconds)
    let writer = try HubConnection(port: hub.port, token: crowd.tokens[0])
    var delays: [Double] = []
    let busy = hub.processorTime()
    let writing = ContinuousClock.now
    for turn in 0..<Self.writes {
      let asked = ContinuousClock.now
      try writer.ask("PUT", "/event-types/t", #"{"name":"\#(turn)"}"#)
      for reader in readers.prefix(Self.perUser) { try reader.read(until: "\"cursor\":\(turn + 2)}") }
      delays.append((ContinuousClock.now - asked) / .milliseconds(1))
    }
    let wall = (ContinuousClock.now - writing) / .seconds(1)
    // Exclude the CPU time that the idle streams use in the same period.
    let write = (hub.processorTime() - busy - idlePart * wall) * 1e6 / Double(Self.writes)
    delays.sort()
    print(
      #"{"suite":"hub","workload":"streams","streams":\#(streams),"memory_mb":\#(rounded(memory)),"memory_before_mb":\#(rounded(before)),"#
        + #""open_ms":\#(rounded(opening)),"idle_core_percent":\#(rounded(idlePart * 100)),"write_cpu_us":\#(Int(write)),"#
        + #""told_p50_ms":\#(rounded(delays[delays.count / 2])),"told_p99_ms":\#(rounded(delays[delays.count * 99 / 100]))}"#
    )
  }
}

func rounded(_ number: Double) -> Double { (number * 100).rounded() / 100 }
