import Foundation
import Synchronization
import TrendyHub
import TrendyModels

/// The hub in a child process, started as `trendy-bench-sync hub DIR`.
///
/// The child prints its port and four tokens, then reads commands from standard input until end of file and prints one
/// line for each command:
/// - `create FROM TO` and `edit FROM TO` write events, as from a fifth device.
/// - `count` prints the number of requests so far.
/// - `memory` prints the peak memory in KiB.
package enum HubChild {
  package static func run(directory: String) async throws {
    let requests = Mutex(0)
    let storage = EmbeddedHubStorage(directory: directory)
    let server = HubServer(
      storage: storage, transport: SocketTransport(),
      configuration: HubConfiguration(requestsPerMinute: nil),
      log: { entry in if !entry.remoteAddress.isEmpty { requests.withLock { $0 += 1 } } })
    let user = try server.accounts.createPerson(name: "bench")
    let tokens = try (1...5).map {
      try server.accounts.createToken(user: user.id, deviceName: "device \($0)").token
    }
    let inner = InnerClient(server: server, token: tokens[4])
    try await inner.send("POST", "/event-types", BenchmarkEvents.eventType.createRequest)
    let port = try await server.start()
    printLine("\(port) \(tokens[..<4].joined(separator: " "))")
    while let line = readLine() {
      let words = line.split(separator: " ").map(String.init)
      switch words.first {
      case "create": try await inner.create(try numbers(words))
      case "edit": try await inner.edit(try numbers(words))
      case "count":
        printLine("\(requests.withLock { $0 })")
        continue
      case "memory":
        printLine("\(Usage.peakMemory())")
        continue
      default: throw UsageError(text: "unknown command \"\(line)\"")
      }
      printLine("done")
    }
    await server.stop()
  }

  private static func numbers(_ words: [String]) throws -> Range<Int> {
    guard words.count == 3, let from = Int(words[1]), let to = Int(words[2]), from < to else {
      throw UsageError(text: "invalid arguments in \(words)")
    }
    return from..<to
  }

  private static func printLine(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }
}

/// Sends requests within the hub's process, without the network.
private struct InnerClient {
  let server: HubServer
  let token: String

  func create(_ numbers: Range<Int>) async throws {
    for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 500) {
      let events = (start..<min(start + 500, numbers.upperBound)).map { BenchmarkEvents.event($0).createRequest }
      try await send("POST", "/events/batch", BatchCreateEventsRequest(events: events))
    }
  }

  func edit(_ numbers: Range<Int>) async throws {
    for number in numbers {
      try await send(
        "PATCH", "/events/\(BenchmarkEvents.identifier(number))",
        UpdateEventRequest(notes: .value("changed, number \(number)")))
    }
  }

  func send(_ method: String, _ path: String, _ document: some WireValue) async throws {
    let answer = await server.handle(
      HTTPRequest(
        id: "inner", method: method, target: "/api/v1\(path)",
        headers: HTTPHeaders([("Authorization", "Bearer \(token)")]), body: try WireJSON.encode(document)))
    guard (200..<300).contains(answer.status) else {
      throw UsageError(text: "\(method) \(path): \(String(decoding: try await answer.collectedBody(), as: UTF8.self))")
    }
  }
}
