import Foundation
import Synchronization
import Testing
import TrendyModels
import TrendyNetworking
import TrendyProtocols

private let time = Date(timeIntervalSince1970: 1_704_067_200)

private func mutation(
  _ sequence: Int64?, device: String? = "phone", operation: MutationOperation = .create, payload: String? = nil
) -> PendingMutation {
  let id = "e\(sequence ?? 0)"
  return PendingMutation(
    id: "m\(sequence ?? 0)", entityType: .event, entityId: id, operation: operation,
    payload: Data(
      (payload
        ?? (operation == .delete ? "" : #"{"id":"\#(id)","event_type_id":"t","timestamp":"2024-01-01T00:00:00.000Z"}"#))
        .utf8), createdAt: time, sequence: sequence, device: sequence == nil ? nil : device)
}

private func pushed(_ mutations: [PendingMutation], _ answers: ScriptedServer.Step...) async throws -> (
  outcomes: [MutationOutcome], requests: [ScriptedServer.Request]
) {
  let server = ScriptedServer(answers.map { [$0] })
  defer { server.stop() }
  let outcomes = try await APIClient(baseURL: server.baseURL, token: "secret").push(mutations)
  return (outcomes, server.requests)
}

@Suite("Pushes", .timeLimit(.minutes(10)))
struct PushTests {
  @Test func `a push contains all that the hub needs to apply each mutation once`() async throws {
    let update = PendingMutation(
      id: "m8", entityType: .eventType, entityId: "t/1", operation: .update,
      payload: Data(#"{"name":"Tea","icon":null}"#.utf8), createdAt: time, idempotencyKey: "key-8", sequence: 8,
      device: "phone")
    let (outcomes, requests) = try await pushed(
      [mutation(7), update, mutation(9, operation: .delete)],
      .answer(
        200,
        #"{"outcomes":[{"seq":7,"status":"accepted","version":41},{"seq":8,"status":"merged","version":42},"#
          + #"{"seq":9,"status":"accepted"}],"head":42,"epoch":"a"}"#))
    #expect(outcomes == [.accepted(version: 41), .merged(version: 42), .accepted(version: nil)])
    #expect(requests.count == 1)
    let request = try #require(requests.first)
    #expect(request.method == "POST")
    #expect(request.target == "/api/v1/mutations")
    let sent: JSONValue = [
      "device": "phone", "acked_through": 6,
      "mutations": [
        [
          "id": "m7", "seq": 7, "entity_type": "event", "entity_id": "e7", "operation": "create",
          "payload": ["id": "e7", "event_type_id": "t", "timestamp": "2024-01-01T00:00:00.000Z"],
        ],
        [
          "id": "key-8", "seq": 8, "entity_type": "event_type", "entity_id": "t/1", "operation": "update",
          "payload": ["name": "Tea", "icon": nil],
        ],
        ["id": "m9", "seq": 9, "entity_type": "event", "entity_id": "e9", "operation": "delete", "payload": [:]],
      ],
    ]
    #expect(try WireJSON.decode(JSONValue.self, from: request.body) == sent)
  }

  @Test func `a rejected mutation has the hub's problem`() async throws {
    let (outcomes, _) = try await pushed(
      [mutation(1), mutation(2)],
      .answer(
        200,
        #"{"outcomes":[{"seq":1,"status":"refused","problem":{"type":"urn:trendy:error:parent_deleted","title":"Gone","#
          + #""status":409}},{"seq":2,"status":"refused"}],"head":3}"#))
    #expect(
      outcomes == [
        .refused(ProblemDetails(type: "urn:trendy:error:parent_deleted", title: "Gone", status: 409)),
        .refused(ProblemDetails(title: "Rejected by the hub", status: 422)),
      ])
  }

  @Test func `outcomes are matched by sequence number and mutations without one are retried`() async throws {
    let (outcomes, _) = try await pushed(
      [mutation(1), mutation(2), mutation(3)],
      .answer(
        200,
        #"{"outcomes":[{"seq":2,"status":"accepted","version":5},{"seq":1,"status":"accepted","version":4}],"head":5}"#
      ))
    #expect(outcomes == [.accepted(version: 4), .accepted(version: 5), .tryLater(retryAfter: nil)])
  }

  @Test func `all mutations after the first try-later outcome are retried later`() async throws {
    let (outcomes, _) = try await pushed(
      [mutation(1), mutation(2), mutation(3)],
      .answer(
        200,
        #"{"outcomes":[{"seq":1,"status":"accepted","version":4},{"seq":2,"status":"try_later","retry_after_s":9},"#
          + #"{"seq":3,"status":"accepted","version":5}],"head":4}"#))
    #expect(
      outcomes == [.accepted(version: 4), .tryLater(retryAfter: .seconds(9)), .tryLater(retryAfter: .seconds(9))])
  }

  @Test func `the outcomes before an unknown one are returned`() async throws {
    let answer =
      #"{"outcomes":[{"seq":1,"status":"accepted","version":4},{"seq":2,"status":"postponed"}],"head":4}"#
    let (outcomes, _) = try await pushed([mutation(1), mutation(2)], .answer(200, answer))
    #expect(outcomes == [.accepted(version: 4), .tryLater(retryAfter: nil)])
    let error = await #expect(throws: APIError.self) { try await pushed([mutation(2)], .answer(200, answer)) }
    #expect(error?.description.contains("postponed") == true)
  }

  @Test func `a push is split into parts of 500 that do not acknowledge each other`() async throws {
    func outcomes(_ range: ClosedRange<Int>) -> String {
      let each = range.map { #"{"seq":\#($0),"status":"accepted","version":\#($0)}"# }.joined(separator: ",")
      return #"{"outcomes":[\#(each)],"head":1}"#
    }
    let (result, requests) = try await pushed(
      (11...611).map { mutation($0) }, .answer(200, outcomes(11...510)), .answer(503, "", type: nil))
    #expect(result.count == 601)
    #expect(result[499] == .accepted(version: 510))
    #expect(result[500...].allSatisfy { $0 == .tryLater(retryAfter: nil) })
    let sent = try requests.map { try WireJSON.decode(PushRequest.self, from: $0.body) }
    #expect(sent.map(\.mutations.count) == [500, 101])
    #expect(sent.map(\.position.acknowledgedThrough) == [10, 10])
  }

  @Test func `an error that concerns no single mutation is thrown`() async throws {
    await #expect(throws: APIError.httpError(503)) { try await pushed([mutation(1)], .answer(503, "", type: nil)) }
    await #expect(throws: APIError.httpError(401)) { try await pushed([mutation(1)], .answer(401, "", type: nil)) }
    await #expect(throws: APIError.self) { try await pushed([mutation(1)], .answer(200, "<p>", type: "text/html")) }
  }

  @Test func `invalid payloads are sent so that the hub rejects them and applies the rest`() async throws {
    let answer = #"{"outcomes":[],"head":4}"#
    let (_, requests) = try await pushed(
      [mutation(1, payload: "{"), mutation(2, operation: .delete, payload: "["), mutation(3)], .answer(200, answer))
    let sent = try WireJSON.decode(PushRequest.self, from: try #require(requests.first).body).mutations
    #expect(sent.map(\.sequence) == [1, 2, 3])
    #expect(sent[0].payload == ["id": nil])
    #expect(sent[1].payload == [:])
    #expect(sent[2].payload["id"] == "e3")
  }

  @Test func `a push reports the failure that interrupted it`() async throws {
    let failures = Mutex<[APIError]>([])
    let observation = PushObservation { failure in failures.withLock { $0.append(failure) } }
    _ = try await PushObservation.$current.withValue(observation) {
      try await pushed(
        [mutation(4, operation: .delete), mutation(5, device: "copy")],
        .answer(200, #"{"outcomes":[{"seq":4,"status":"accepted","version":9}],"head":9}"#),
        .answer(429, "", type: nil, headers: ["Retry-After: 7"]))
    }
    #expect(failures.withLock { $0.map(\.retryAfter) } == [.seconds(7)])
    #expect(failures.withLock { $0.map(\.statusCode) } == [429])
  }

  @Test func `mutations without sequence numbers are sent in separate calls`() async throws {
    let (outcomes, requests) = try await pushed(
      [mutation(nil), mutation(nil, operation: .delete)],
      .answer(
        201,
        #"{"created":[{"id":"e0","event_type_id":"t","timestamp":"2024-01-01T00:00:00.000Z"}],"total":1,"success":1,"#
          + #""failed":0}"#),
      .answer(204, type: nil))
    #expect(outcomes == [.accepted(version: nil), .accepted(version: nil)])
    #expect(requests.map(\.method) == ["POST", "DELETE"])
    #expect(requests.map(\.target) == ["/api/v1/events/batch", "/api/v1/events/e0"])
  }

  @Test func `the order is kept if only some mutations have a sequence number`() async throws {
    let (outcomes, requests) = try await pushed(
      [mutation(4, operation: .delete), mutation(nil, operation: .delete), mutation(5)],
      .answer(200, #"{"outcomes":[{"seq":4,"status":"accepted","version":9}],"head":9}"#),
      .answer(503, "", type: nil))
    #expect(outcomes == [.accepted(version: 9), .tryLater(retryAfter: nil), .tryLater(retryAfter: nil)])
    #expect(requests.map(\.target) == ["/api/v1/mutations", "/api/v1/events/e0"])
  }

  @Test func `a push without mutations sends no request`() async throws {
    let (outcomes, requests) = try await pushed([])
    #expect(outcomes.isEmpty)
    #expect(requests.isEmpty)
  }

  @Test func `a retry sends identical bytes`() async throws {
    let server = ScriptedServer(
      [.answer(503, "", type: nil)], [.answer(200, #"{"outcomes":[],"head":0}"#)])
    defer { server.stop() }
    let client = try APIClient(baseURL: server.baseURL, token: "secret")
    let mutations = [mutation(1, payload: #"{"b":1,"a":{"y":2.5,"x":null},"c":9007199254740993}"#)]
    await #expect(throws: APIError.self) { try await client.push(mutations) }
    _ = try await client.push(mutations)
    #expect(server.requests[0].body == server.requests[1].body)
    #expect(String(decoding: server.requests[0].body, as: UTF8.self).contains("9007199254740993"))
  }
}
