import Foundation
import Testing
import TrendyModels
import TrendyNetworking
import TrendyTesting

@Suite("Unresponsive hubs", .timeLimit(.minutes(10)))
struct DeadlineTests {
  @Test func `a request times out after fifteen seconds`() async throws {
    let server = ScriptedServer()
    defer { server.stop() }
    let clock = ManualClock()
    let client = try APIClient(baseURL: server.baseURL, token: "secret", clock: clock)
    let task = Task { try await client.getEventTypes() }
    await server.received()
    await clock.waitForSleepers()
    #expect(clock.nextDeadline == .seconds(15))
    await clock.advance(by: .milliseconds(14_999))
    #expect(clock.nextDeadline == .milliseconds(1))
    await clock.advance(by: .milliseconds(1))
    await #expect(throws: APIError.timedOut("127.0.0.1:\(server.port) did not respond within 15 s")) {
      try await task.value
    }
    await server.departed()
  }

  @Test func `a slow response does not extend the deadline`() async throws {
    let server = ScriptedServer([
      .text("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n["), .pause, .text(" "),
      .hold,
    ])
    defer { server.stop() }
    let clock = ManualClock()
    let client = try APIClient(baseURL: server.baseURL, token: "secret", clock: clock, deadline: .milliseconds(2500))
    let task = Task { try await client.getEventTypes() }
    await server.received()
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(2))
    server.proceed()
    await clock.advance(by: .milliseconds(500))
    await #expect(throws: APIError.timedOut("127.0.0.1:\(server.port) did not respond within 2500 ms")) {
      try await task.value
    }
  }

  @Test func `cancelling the task disconnects immediately`() async throws {
    let server = ScriptedServer()
    defer { server.stop() }
    let client = try APIClient(baseURL: server.baseURL, token: "secret")
    let task = Task { try await client.getEventTypes() }
    await server.received()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await server.departed()
  }

  @Test func `cancelling the task in the middle of a response disconnects`() async throws {
    let server = ScriptedServer([
      .text("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n["), .hold,
    ])
    defer { server.stop() }
    let client = try APIClient(baseURL: server.baseURL, token: "secret")
    let task = Task { try await client.getEventTypes() }
    await server.received()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await server.departed()
  }

  @Test func `a cancelled task sends no request`() async throws {
    let server = ScriptedServer()
    defer { server.stop() }
    let client = try APIClient(baseURL: server.baseURL, token: "secret")
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await client.getEventTypes()
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `cancelled requests do not block the next one`() async throws {
    let server = ScriptedServer([.hold], [.hold], [.hold], [.answer(200, "[]")])
    defer { server.stop() }
    let client = try APIClient(baseURL: server.baseURL, token: "secret")
    for round in 1...3 {
      let task = Task { try await client.getEventTypes() }
      await server.received(round)
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    #expect(try await client.getEventTypes().isEmpty)
  }
}
