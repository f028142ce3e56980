public import TrendyModels

extension NetworkClientProtocol {
  public func checkHealth() async throws {
    _ = try await getEventTypes()
  }

  public func snapshot() async throws -> Snapshot {
    let cursor = try await getLatestCursor()
    let eventTypes = try await getEventTypes()
    var definitions: [APIPropertyDefinition] = []
    for type in eventTypes { definitions += try await getPropertyDefinitions(eventTypeId: type.id) }
    return Snapshot(
      cursor: cursor, eventTypes: eventTypes, events: try await getAllEvents(batchSize: 500),
      geofences: try await getGeofences(activeOnly: false), propertyDefinitions: definitions)
  }

  public func changeSignals() -> AsyncThrowingStream<Int64, any Error> {
    AsyncThrowingStream { $0.finish() }
  }

  public func push(_ batch: PushBatch) async throws -> PushBatchResult {
    PushBatchResult(outcomes: try await push(batch.mutations))
  }

  public func changes(_ request: FeedRequest) async throws -> ChangeFeedResponse {
    var page = try await getChanges(since: request.cursor, limit: request.limit)
    // The request did not include the device's position, so the hub's position in the response must not be used.
    page.position = nil
    return page
  }

  public func snapshot(for position: DevicePosition?) async throws -> SnapshotAnswer {
    .lists(try await snapshot())
  }

  public func snapshotPart(_ request: SnapshotRequest) async throws -> SnapshotPart {
    SnapshotPart(answer: try await snapshot(for: request.position))
  }

  public func push(_ mutations: [PendingMutation]) async throws -> [MutationOutcome] {
    var outcomes: [MutationOutcome] = []
    while outcomes.count < mutations.count {
      let next = mutations[outcomes.count]
      do {
        if next.entityType == .event, next.operation == .create {
          let batch = mutations[outcomes.count...].prefix(pushBatchLimit) {
            $0.entityType == .event && $0.operation == .create
          }
          outcomes += try await pushCreatedEvents(batch)
        } else {
          outcomes.append(try await pushAlone(next))
        }
      } catch  where !outcomes.isEmpty {
        // Return the outcomes so far. Pushing the remaining mutations again will repeat the error and throw it.
        outcomes.append(.tryLater(retryAfter: (error as? APIError)?.retryAfter))
      }
      // Later mutations may depend on the mutation without an outcome, so they have no outcome either.
      if let unjudged = outcomes.last(where: \.isTryLater) {
        outcomes += Array(repeating: unjudged, count: mutations.count - outcomes.count)
      }
    }
    return outcomes
  }
}

/// Maximum number of events in one request of the default push.
private let pushBatchLimit = 50

extension Collection {
  fileprivate func prefix(_ limit: Int, while belongs: (Element) -> Bool) -> [Element] {
    Array(prefix(limit).prefix(while: belongs))
  }
}

extension MutationOutcome {
  fileprivate var isTryLater: Bool { if case .tryLater = self { true } else { false } }
}

extension NetworkClientProtocol {
  /// Creates events in one batch and returns their outcomes.
  ///
  /// If the response leaves the outcome of an event open (its id is not among the created ids, and the counts do not
  /// cover all events), that outcome is `.tryLater`.
  private func pushCreatedEvents(_ mutations: [PendingMutation]) async throws -> [MutationOutcome] {
    var outcomes = [MutationOutcome?](repeating: nil, count: mutations.count)
    var requests: [CreateEventRequest] = []
    var places: [Int] = []
    for (place, mutation) in mutations.enumerated() {
      do {
        requests.append(try WireJSON.decode(CreateEventRequest.self, from: mutation.payload))
        places.append(place)
      } catch {
        outcomes[place] = .refused(unreadable(error))
      }
    }
    if !requests.isEmpty {
      do {
        let response = try await createEventsBatch(requests)
        var failures: [Int: String] = [:]
        for error in response.errors ?? [] { failures[error.index] = error.message }
        let created = Set(response.created.map(\.id))
        let allAreSettled = response.success + failures.count == requests.count
        for (index, place) in places.enumerated() {
          if let message = failures[index] {
            // The message does not show whether the event or a value inside it is a duplicate. A separate request does.
            outcomes[place] =
              message.lowercased().contains("duplicate")
              ? try await pushDoubted(mutations[mutations.startIndex + place]) : .refused(rejected(message))
          } else {
            let isSettled = allAreSettled || created.contains(requests[index].id)
            outcomes[place] = isSettled ? .accepted(version: nil) : .tryLater(retryAfter: nil)
          }
        }
      } catch {
        if mutations.count > 1, Self.isAboutContent(error) { return try await pushHalves(mutations) }
        let outcome = try outcome(of: error, isCreate: true)
        for place in places { outcomes[place] = outcome }
      }
    }
    return outcomes.map { $0 ?? .tryLater(retryAfter: nil) }
  }

  /// Sends both halves of a rejected batch separately to find the events that caused the rejection.
  private func pushHalves(_ mutations: [PendingMutation]) async throws -> [MutationOutcome] {
    let middle = mutations.count / 2
    var outcomes = try await pushCreatedEvents(Array(mutations[..<middle]))
    do {
      outcomes += try await pushCreatedEvents(Array(mutations[middle...]))
    } catch {
      // The outcomes of the first half reach the caller even if the second half fails.
      let retryAfter = (error as? APIError)?.retryAfter
      outcomes += Array(repeating: .tryLater(retryAfter: retryAfter), count: mutations.count - middle)
    }
    return outcomes
  }

  /// Returns whether the content of a mutation may have caused the rejection. A 413 (too large) is thrown instead, so
  /// that the caller sends smaller batches.
  private static func isAboutContent(_ error: any Error) -> Bool {
    guard let error = error as? APIError, let status = error.statusCode else { return false }
    return !error.isTransient && status != 401 && status != 413
  }

  /// Sends one mutation from a batch. An error becomes `.tryLater`, so that the outcomes of the other mutations are not
  /// lost.
  private func pushDoubted(_ mutation: PendingMutation) async throws -> MutationOutcome {
    do {
      return try await pushAlone(mutation)
    } catch {
      return .tryLater(retryAfter: (error as? APIError)?.retryAfter)
    }
  }

  private func pushAlone(_ mutation: PendingMutation) async throws -> MutationOutcome {
    do {
      try await send(mutation)
      return .accepted(version: nil)
    } catch {
      if mutation.operation == .delete, (error as? APIError)?.statusCode == 404 { return .accepted(version: nil) }
      return try outcome(of: error, isCreate: mutation.operation == .create)
    }
  }

  private func send(_ mutation: PendingMutation) async throws {
    let id = mutation.entityId
    let key = mutation.idempotencyKey
    func payload<Request: Decodable>(_ type: Request.Type) throws -> Request {
      do {
        return try WireJSON.decode(type, from: mutation.payload)
      } catch {
        throw APIError.problem(unreadable(error), retryAfter: nil)
      }
    }
    switch (mutation.entityType, mutation.operation) {
    // The REST API has no restore: create the entity again.
    case (.event, .create), (.event, .restore):
      _ = try await createEventWithIdempotency(payload(CreateEventRequest.self), idempotencyKey: key)
    case (.event, .update): _ = try await updateEvent(id: id, payload(UpdateEventRequest.self))
    case (.event, .delete): try await deleteEvent(id: id)
    case (.eventType, .create), (.eventType, .restore):
      _ = try await createEventTypeWithIdempotency(payload(CreateEventTypeRequest.self), idempotencyKey: key)
    case (.eventType, .update): _ = try await updateEventType(id: id, payload(UpdateEventTypeRequest.self))
    case (.eventType, .delete): try await deleteEventType(id: id)
    case (.geofence, .create), (.geofence, .restore):
      _ = try await createGeofenceWithIdempotency(payload(CreateGeofenceRequest.self), idempotencyKey: key)
    case (.geofence, .update): _ = try await updateGeofence(id: id, payload(UpdateGeofenceRequest.self))
    case (.geofence, .delete): try await deleteGeofence(id: id)
    case (.propertyDefinition, .create), (.propertyDefinition, .restore):
      _ = try await createPropertyDefinitionWithIdempotency(
        payload(CreatePropertyDefinitionRequest.self), idempotencyKey: key)
    case (.propertyDefinition, .update):
      _ = try await updatePropertyDefinition(id: id, payload(UpdatePropertyDefinitionRequest.self))
    case (.propertyDefinition, .delete): try await deletePropertyDefinition(id: id)
    default:
      throw APIError.problem(
        ProblemDetails(
          type: "urn:trendy:error:invalid", title: "Kind not supported by the hub", status: 422,
          detail: "a \(mutation.entityType.rawValue) can only be sent as a mutation, which this hub does not support"),
        retryAfter: nil)
    }
  }

  /// Converts an error to the mutation's outcome. Rethrows the error if it does not concern this mutation alone.
  private func outcome(of error: any Error, isCreate: Bool) throws -> MutationOutcome {
    guard let error = error as? APIError else { throw error }
    if isCreate, error.isDuplicateError { return .accepted(version: nil) }
    if error.isTransient {
      PushObservation.current?.onTransientFailure(error)
      return .tryLater(retryAfter: error.retryAfter)
    }
    guard let status = error.statusCode, status != 401, status != 413 else { throw error }
    if case .problem(let problem, _) = error { return .refused(problem) }
    return .refused(ProblemDetails(title: "Rejected by the hub", status: status))
  }

  private func unreadable(_ error: any Error) -> ProblemDetails {
    ProblemDetails(
      type: "urn:trendy:error:invalid", title: "Invalid change", status: 400, detail: "\(error)")
  }

  private func rejected(_ message: String) -> ProblemDetails {
    ProblemDetails(type: "urn:trendy:error:invalid", title: "The hub rejected the event", status: 422, detail: message)
  }
}
