import TrendyFoundation
public import TrendyModels

extension APIClient {
  /// How long a stream of signals may be silent, comments counted, before it is taken for dead.
  private static let signalPatience: Duration = .seconds(90)

  /// Everything at the hub as of one moment, from its `/snapshot`. The deadline is from one piece to the next, so that a long
  /// history takes the time it needs; one that ends early is a `networkError`.
  public func snapshot() async throws -> Snapshot {
    try await readSnapshot(query: []).result
  }

  /// As ``snapshot()``, with everything that the hub says of each entity.
  public func snapshot(for position: DevicePosition?) async throws -> SnapshotAnswer {
    try await readSnapshot(query: position?.query ?? []).result
  }

  /// About 1 MiB of the above; all of it from a hub that gives no parts.
  public func snapshotPart(_ request: SnapshotRequest) async throws -> SnapshotPart {
    let (header, answer): (SnapshotHeader, SnapshotAnswer) = try await readSnapshot(
      query: [("part", request.part ?? SnapshotRequest.firstPart)] + (request.position?.query ?? []))
    return SnapshotPart(answer: answer, spans: header.spans, next: header.next)
  }

  private func readSnapshot<Result: SnapshotResult>(
    query: [(name: String, value: String)]
  ) async throws -> (header: SnapshotHeader, result: Result) {
    let request = HTTPRequest(
      method: .get, path: "/snapshot", query: query, headers: ["Accept": "application/x-ndjson"])
    return try await hub.stream(
      request, mediaTypes: ["application/x-ndjson", "application/ndjson", "application/jsonl"], named: "a snapshot"
    ) { [hub] pieces in
      var lines = LineReader(limit: APIClient.bodyLimit)
      var reader = SnapshotReader<Result>(hub: hub.address.name)
      try await pieces.forEach { data in
        for line in try lines.read(data) { try reader.read(line) }
      }
      if let last = lines.rest { try reader.read(last) }
      return try reader.snapshot()
    }
  }

  /// The head of the feed, each time the hub says that it moved, until the reader stops, the stream breaks or a minute and a
  /// half passes without a sign. A hub without such a stream ends it at once. Who reads slowly gets the newest head alone.
  public func changeSignals() -> AsyncThrowingStream<Int64, any Error> {
    AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      // Owned by the stream: whoever stops reading cancels it.
      let task = Task {
        do {
          try await readSignals { name, data in
            guard name == "head" else { return }
            continuation.yield(try WireJSON.decode(LatestCursorResponse.self, from: Data(data.utf8)).cursor)
          }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// Hands over each event of the hub's stream, by its name, until it ends. A hub without such a stream ends it at once.
  func readSignals(_ body: @escaping @Sendable (_ name: String, _ data: String) throws -> Void) async throws {
    try await signals.useConnection()
    let request = HTTPRequest(method: .get, path: "/changes/stream", headers: ["Accept": "text/event-stream"])
    try await signals.stream(
      request, mediaTypes: ["text/event-stream"], named: "a stream of events", patience: APIClient.signalPatience,
      onFailure: { $0.status == 404 ? () : nil }
    ) { pieces in
      var reader = ServerSentEventReader()
      try await pieces.forEach { data in
        for event in try reader.read(data) { try body(event.name, event.data) }
      }
    }
  }
}
