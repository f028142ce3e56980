import TrendyFoundation
public import TrendyModels

extension APIClient {
  /// Time without any data, including comments, after which a signal stream counts as dead.
  private static let signalPatience: Duration = .seconds(90)

  /// Loads all entities from `/snapshot`, as of one version.
  ///
  /// The deadline applies to the time between two chunks, so a long history may take longer. A truncated snapshot
  /// throws `networkError`.
  public func snapshot() async throws -> Snapshot {
    try await readSnapshot(query: []).result
  }

  /// Loads a snapshot, with versions if the hub sends them.
  public func snapshot(for position: DevicePosition?) async throws -> SnapshotAnswer {
    try await readSnapshot(query: position?.query ?? []).result
  }

  /// Loads one snapshot part of about 1 MiB, or the complete snapshot if the hub sends no parts.
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
    ) { [hub] chunks in
      var lines = LineReader(limit: APIClient.bodyLimit)
      var reader = SnapshotReader<Result>(hub: hub.address.name)
      try await chunks.forEach { data in
        for line in try lines.read(data) { try reader.read(line) }
      }
      if let last = lines.rest { try reader.read(last) }
      return try reader.snapshot()
    }
  }

  /// Returns a stream of feed heads, one per change signal from the hub.
  ///
  /// Ends when the reader stops, and throws if the connection breaks or no data arrives for 90 seconds. Ends
  /// immediately if the hub has no signal stream. A slow reader receives only the newest head.
  public func changeSignals() -> AsyncThrowingStream<Int64, any Error> {
    AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      // The stream owns the task and cancels it when the reader stops.
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

  /// Calls `body` with the name and data of each server-sent event. Returns immediately if the hub has no event stream.
  func readSignals(_ body: @escaping @Sendable (_ name: String, _ data: String) throws -> Void) async throws {
    try await signals.useConnection()
    let request = HTTPRequest(method: .get, path: "/changes/stream", headers: ["Accept": "text/event-stream"])
    try await signals.stream(
      request, mediaTypes: ["text/event-stream"], named: "a stream of events", patience: APIClient.signalPatience,
      onFailure: { $0.status == 404 ? () : nil }
    ) { chunks in
      var reader = ServerSentEventReader()
      try await chunks.forEach { data in
        for event in try reader.read(data) { try body(event.name, event.data) }
      }
    }
  }
}
