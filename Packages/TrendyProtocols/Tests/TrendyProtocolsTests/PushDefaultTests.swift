import Foundation
import Synchronization
import Testing
import TrendyModels
import TrendyProtocols

@Suite("Default push", .timeLimit(.minutes(10)))
struct PushDefaultTests {
  private static let date = Date(timeIntervalSince1970: 1_704_067_200)

  private func mutation(
    _ entityType: MutationEntityType, _ operation: MutationOperation, _ id: String, payload: Data? = nil
  ) throws -> PendingMutation {
    PendingMutation(
      id: "m-\(id)", entityType: entityType, entityId: id, operation: operation,
      payload: try payload ?? Self.payload(entityType, operation, id), createdAt: Self.date, idempotencyKey: "key-\(id)"
    )
  }

  private static func payload(_ entityType: MutationEntityType, _ operation: MutationOperation, _ id: String) throws
    -> Data
  {
    // A restore has the payload of a create.
    switch (entityType, operation == .restore ? .create : operation) {
    case (_, .delete): Data()
    case (.event, .create): try WireJSON.encode(CreateEventRequest(id: id, eventTypeId: "t1", timestamp: date))
    case (.event, .update): try WireJSON.encode(UpdateEventRequest(notes: .null))
    case (.eventType, .create): try WireJSON.encode(CreateEventTypeRequest(id: id, name: "n", color: "c", icon: "i"))
    case (.eventType, .update): try WireJSON.encode(UpdateEventTypeRequest(name: "new"))
    case (.geofence, .create):
      try WireJSON.encode(CreateGeofenceRequest(id: id, name: "n", latitude: 0, longitude: 0, radius: 50))
    case (.geofence, .update): try WireJSON.encode(UpdateGeofenceRequest(radius: 60))
    case (.propertyDefinition, .create):
      try WireJSON.encode(
        CreatePropertyDefinitionRequest(id: id, eventTypeId: "t1", key: "k", label: "l", propertyType: "text"))
    case (.propertyDefinition, .update): try WireJSON.encode(UpdatePropertyDefinitionRequest(label: "L"))
    default: Data("{}".utf8)
    }
  }

  private func creates(_ count: Int) throws -> [PendingMutation] {
    try (1...count).map { try mutation(.event, .create, "e\($0)") }
  }

  private func problem(_ status: Int, type: String = "about:blank", retryAfter: Duration? = nil) -> APIError {
    .problem(ProblemDetails(type: type, title: "T", status: status), retryAfter: retryAfter)
  }

  /// Returns a client that throws `error` for calls whose names begin with `name`.
  private func client(failing name: String, with error: any Error & Sendable) -> ScriptedClient {
    ScriptedClient(failing: { $0.hasPrefix(name) ? error : nil })
  }

  private let accepted = MutationOutcome.accepted(version: nil)
  private let later = MutationOutcome.tryLater(retryAfter: nil)

  // MARK: Calls

  @Test func `an empty push makes no call`() async throws {
    let client = ScriptedClient()
    #expect(try await client.push([]).isEmpty)
    #expect(client.calls.isEmpty)
  }

  @Test(
    "creates of events are sent in batches of at most 50, even a single one",
    arguments: [(1, [1]), (49, [49]), (50, [50]), (51, [50, 1]), (120, [50, 50, 20])])
  func batches(count: Int, sizes: [Int]) async throws {
    let client = ScriptedClient()
    #expect(try await client.push(creates(count)) == Array(repeating: accepted, count: count))
    #expect(client.calls.allSatisfy { $0.hasPrefix("createEventsBatch") })
    #expect(client.calls.map { $0.split(separator: " ").count - 1 } == sizes)
    #expect(client.calls.flatMap { $0.split(separator: " ").dropFirst() } == (1...count).map { "e\($0)" })
  }

  @Test func `every kind and operation has its call, in order, and creates send their key`() async throws {
    var mutations: [PendingMutation] = []
    for entityType in [MutationEntityType.eventType, .propertyDefinition, .geofence, .event] {
      for operation in MutationOperation.allCases { mutations.append(try mutation(entityType, operation, "x")) }
    }
    let client = ScriptedClient()
    #expect(try await client.push(mutations) == Array(repeating: accepted, count: 16))
    #expect(
      client.calls == [
        "createEventTypeWithIdempotency x key-x", "updateEventType x new", "deleteEventType x",
        "createEventTypeWithIdempotency x key-x",
        "createPropertyDefinitionWithIdempotency x key-x", "updatePropertyDefinition x", "deletePropertyDefinition x",
        "createPropertyDefinitionWithIdempotency x key-x",
        "createGeofenceWithIdempotency x key-x", "updateGeofence x", "deleteGeofence x",
        "createGeofenceWithIdempotency x key-x",
        "createEventsBatch x", "updateEvent x null", "deleteEvent x", "createEventWithIdempotency x key-x",
      ])
  }

  @Test func `only consecutive creates of events share a batch`() async throws {
    let client = ScriptedClient()
    let mutations = [
      try mutation(.event, .create, "e1"), try mutation(.event, .create, "e2"), try mutation(.event, .update, "e1"),
      try mutation(.event, .create, "e3"), try mutation(.eventType, .create, "t9"), try mutation(.event, .create, "e4"),
    ]
    #expect(try await client.push(mutations) == Array(repeating: accepted, count: 6))
    #expect(
      client.calls == [
        "createEventsBatch e1 e2", "updateEvent e1 null", "createEventsBatch e3",
        "createEventTypeWithIdempotency t9 key-t9", "createEventsBatch e4",
      ])
  }

  @Test func `a kind without plain calls is refused and does not affect later mutations`() async throws {
    for kind in [MutationEntityType.vehicle, .tripRule, .setting, .skip, .conflict] {
      let client = ScriptedClient()
      let outcomes = try await client.push([
        mutation(kind, .create, "x", payload: Data("{}".utf8)), mutation(.event, .delete, "e"),
      ])
      guard case .refused(let problem) = outcomes.first else {
        Issue.record("\(outcomes)")
        continue
      }
      #expect(problem.type == "urn:trendy:error:invalid" && problem.detail?.contains(kind.rawValue) == true)
      #expect(outcomes.count == 2 && outcomes[1] == accepted && client.calls == ["deleteEvent e"])
    }
  }

  // MARK: Failures of one mutation

  @Test func `a bare 409 or a duplicate problem accepts a create`() async throws {
    for error in [APIError.httpError(409), problem(409), problem(409, type: ProblemDetails.duplicateType)] {
      for kind in [MutationEntityType.eventType, .geofence, .propertyDefinition, .event] {
        let client = client(failing: "create", with: error)
        #expect(try await client.push([mutation(kind, .create, "x")]) == [accepted], "\(kind) \(error)")
      }
    }
  }

  @Test func `a 409 of another type refuses a create with its problem`() async throws {
    let error = problem(409, type: "urn:trendy:error:parent_deleted")
    let client = client(failing: "createGeofence", with: error)
    let refusal = ProblemDetails(type: "urn:trendy:error:parent_deleted", title: "T", status: 409)
    #expect(try await client.push([mutation(.geofence, .create, "g")]) == [.refused(refusal)])
  }

  @Test func `a bare 409 refuses an update or a delete`() async throws {
    for operation in [MutationOperation.update, .delete] {
      let client = client(failing: operation.rawValue, with: APIError.httpError(409))
      #expect(
        try await client.push([mutation(.event, operation, "e")])
          == [.refused(ProblemDetails(title: "Rejected by the hub", status: 409))])
    }
  }

  @Test func `a delete of a missing entity is accepted, an update of one is refused`() async throws {
    for kind in MutationEntityType.typed {
      #expect(
        try await client(failing: "delete", with: problem(404)).push([mutation(kind, .delete, "x")]) == [accepted])
      #expect(
        try await client(failing: "update", with: problem(404)).push([mutation(kind, .update, "x")])
          == [.refused(ProblemDetails(title: "T", status: 404))])
    }
  }

  @Test func `a refusal does not affect later mutations`() async throws {
    let client = client(failing: "updateEvent e2", with: problem(422))
    let mutations = try (1...3).map { try mutation(.event, .update, "e\($0)") }
    #expect(
      try await client.push(mutations) == [accepted, .refused(ProblemDetails(title: "T", status: 422)), accepted])
    #expect(client.calls.count == 3)
  }

  @Test(
    "a transient failure postpones the remaining mutations and ends the calls",
    arguments: [408, 425, 429, 500, 503])
  func transient(status: Int) async throws {
    let error = APIError.problem(ProblemDetails(status: status), retryAfter: .seconds(7))
    let client = client(failing: "updateEvent e2", with: error)
    let mutations = try (1...4).map { try mutation(.event, .update, "e\($0)") }
    let wait = MutationOutcome.tryLater(retryAfter: .seconds(7))
    #expect(try await client.push(mutations) == [accepted, wait, wait, wait])
    #expect(client.calls.count == 2)
  }

  @Test func `an observer is notified of the failure that interrupted a push, and of no other`() async throws {
    let heard = Mutex<[APIError]>([])
    func push(_ error: APIError) async throws {
      let client = client(failing: "updateEvent e1", with: error)
      let mutations = [try mutation(.eventType, .update, "t"), try mutation(.event, .update, "e1")]
      try await PushObservation.$current.withValue(PushObservation { error in heard.withLock { $0.append(error) } }) {
        _ = try await client.push(mutations)
      }
    }
    try await push(.httpError(429))
    try await push(.httpError(422))
    try await push(.networkError("off"))
    #expect(heard.withLock { $0 } == [.httpError(429), .networkError("off")])
  }

  @Test func `a network error postpones all mutations`() async throws {
    let client = client(failing: "", with: APIError.networkError("off"))
    #expect(try await client.push(creates(51)) == Array(repeating: later, count: 51))
    #expect(client.calls.count == 1)
  }

  @Test func `a transient failure of the second batch keeps the outcomes of the first`() async throws {
    let client = client(failing: "createEventsBatch e51", with: APIError.httpError(503))
    #expect(
      try await client.push(creates(60)) == Array(repeating: accepted, count: 50) + Array(repeating: later, count: 10))
  }

  // MARK: Failures that concern no single mutation

  private static let telling: [APIError] = [.httpError(401), .httpError(413), .decodingError("answer")]

  @Test(
    "an expired token, a too large request or an unreadable response is thrown if nothing has an outcome",
    arguments: telling)
  func thrownFirst(error: APIError) async throws {
    for mutations in [try creates(2), [try mutation(.event, .update, "e1")]] {
      let client = client(failing: "", with: error)
      await #expect(throws: error) { try await client.push(mutations) }
    }
  }

  @Test("such an error postpones the rest once a mutation has an outcome", arguments: telling)
  func laterAfterSettled(error: APIError) async throws {
    let client = client(failing: "updateEvent e2", with: error)
    let mutations = try (1...3).map { try mutation(.event, .update, "e\($0)") }
    #expect(try await client.push(mutations) == [accepted, later, later])
    #expect(client.calls.count == 2)
  }

  @Test func `a cancellation is rethrown`() async throws {
    let client = client(failing: "", with: CancellationError())
    await #expect(throws: CancellationError.self) { try await client.push(creates(1)) }
  }

  // MARK: Batches

  @Test func `each event of a batch has its outcome`() async throws {
    let client = ScriptedClient(batch: { requests in
      BatchCreateEventsResponse(
        created: [ScriptedClient.event(requests[0]), ScriptedClient.event(requests[3])],
        errors: [
          BatchError(index: 1, message: "Duplicate event"), BatchError(index: 2, message: "unknown event type"),
        ], total: 4, success: 2, failed: 2)
    })
    let refusal = ProblemDetails(
      type: "urn:trendy:error:invalid", title: "The hub rejected the event", status: 422, detail: "unknown event type")
    #expect(try await client.push(creates(4)) == [accepted, accepted, .refused(refusal), accepted])
  }

  @Test func `a duplicate reported as text is accepted only if the event alone is a duplicate`() async throws {
    func client(_ words: String, alone error: APIError?) -> ScriptedClient {
      ScriptedClient(
        failing: { $0.hasPrefix("createEventWithIdempotency") ? error : nil },
        batch: { requests in
          BatchCreateEventsResponse(
            created: [ScriptedClient.event(requests[0])], errors: [BatchError(index: 1, message: words)], total: 2,
            success: 1, failed: 1)
        })
    }
    let invalid = ProblemDetails(type: "urn:trendy:error:invalid", title: "No", status: 422, detail: "size: twice")
    let refusing = client("duplicate property key: size", alone: .problem(invalid, retryAfter: nil))
    #expect(try await refusing.push(creates(2)) == [accepted, .refused(invalid)])
    let known = client(
      "duplicate id", alone: .problem(ProblemDetails(type: ProblemDetails.duplicateType, status: 409), retryAfter: nil))
    #expect(try await known.push(creates(2)) == [accepted, accepted])
    let silent = client("duplicate id", alone: .networkError("lost"))
    #expect(try await silent.push(creates(2)) == [accepted, later], "what the batch settled stands")
  }

  @Test func `an unreadable payload is refused alone and not sent`() async throws {
    let client = ScriptedClient()
    let mutations = [
      try mutation(.event, .create, "e1"), try mutation(.event, .create, "e2", payload: Data("{}".utf8)),
      try mutation(.event, .create, "e3"), try mutation(.event, .update, "e4", payload: Data("[]".utf8)),
      try mutation(.event, .update, "e5"),
    ]
    let outcomes = try await client.push(mutations)
    func unreadable(_ detail: String) -> MutationOutcome {
      .refused(
        ProblemDetails(
          type: "urn:trendy:error:invalid", title: "Invalid change", status: 400,
          detail: "Invalid document: \(detail)"))
    }
    #expect(
      outcomes == [
        accepted, unreadable("id: expected a string, found nothing"), accepted,
        unreadable("the document: expected an object, found an array, at byte 0"), accepted,
      ])
    #expect(client.calls == ["createEventsBatch e1 e3", "updateEvent e5 null"])
  }

  @Test func `an error of a batch is assigned to its event, even after one that was not sent`() async throws {
    let client = ScriptedClient(batch: { requests in
      BatchCreateEventsResponse(
        created: [ScriptedClient.event(requests[0])], errors: [BatchError(index: 1, message: "no")], total: 2,
        success: 1, failed: 1)
    })
    let outcomes = try await client.push([
      mutation(.event, .create, "e1", payload: Data()), mutation(.event, .create, "e2"),
      mutation(.event, .create, "e3"),
    ])
    #expect(outcomes.count == 3)
    guard case .refused(let first) = outcomes[0], case .refused(let third) = outcomes[2] else {
      Issue.record("\(outcomes)")
      return
    }
    #expect(first.status == 400 && outcomes[1] == accepted && third.detail == "no")
  }

  @Test func `a push with only unreadable payloads makes no call`() async throws {
    let client = ScriptedClient()
    let outcomes = try await client.push([mutation(.event, .create, "e1", payload: Data())])
    #expect(client.calls.isEmpty)
    guard case .refused = outcomes.first else {
      Issue.record("\(outcomes)")
      return
    }
  }

  @Test func `an event that the response omits is postponed with everything after its batch`() async throws {
    let client = ScriptedClient(batch: { requests in
      BatchCreateEventsResponse(
        created: [ScriptedClient.event(requests[0]), ScriptedClient.event(requests[2])], total: 3, success: 2, failed: 1
      )
    })
    let mutations = try creates(3) + [mutation(.event, .update, "e2")]
    #expect(try await client.push(mutations) == [accepted, later, accepted, later])
    #expect(client.calls == ["createEventsBatch e1 e2 e3"])
  }

  @Test func `a response with counts only is trusted if no event is missing`() async throws {
    let client = ScriptedClient(batch: { requests in
      BatchCreateEventsResponse(
        created: [], errors: [BatchError(index: 0, message: "no")], total: requests.count,
        success: requests.count - 1, failed: 1)
    })
    let outcomes = try await client.push(creates(3))
    #expect(outcomes.dropFirst() == [accepted, accepted])
    guard case .refused = outcomes[0] else {
      Issue.record("\(outcomes)")
      return
    }
  }

  @Test("only the event that is refused alone is refused from a refused batch", arguments: [400, 404, 422])
  func narrowedBatch(status: Int) async throws {
    let refusal = problem(status, type: "urn:trendy:error:invalid")
    let client = ScriptedClient(failing: { call in
      call.hasPrefix("createEventsBatch") && call.split(separator: " ").contains("e3") ? refusal : nil
    })
    let outcomes = try await client.push(creates(5))
    #expect(outcomes.map { if case .refused = $0 { true } else { false } } == [false, false, true, false, false])
    #expect(
      client.calls.filter { $0.hasPrefix("createEventsBatch") } == [
        "createEventsBatch e1 e2 e3 e4 e5", "createEventsBatch e1 e2", "createEventsBatch e3 e4 e5",
        "createEventsBatch e3", "createEventsBatch e4 e5",
      ])
  }
}
