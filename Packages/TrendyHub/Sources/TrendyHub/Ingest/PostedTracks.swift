import TrendyModels

/// Access to the readings that devices posted to this hub.
struct PostedTracks: Sendable {
  let records: HubRecords
  let ingest: (any Ingest)?

  /// Runs `body` on a storage worker, queued with the user's other calls. Returns `nil` if the hub accepts no readings.
  func ask<Result: Sendable>(
    of user: String, _ body: @escaping @Sendable (any Ingest, UserRecordService) async throws -> Result?
  ) async throws -> Result? {
    guard let ingest else { return nil }
    return try await records.store.run(user: user) { [records] in
      try await body(ingest, records.ingestDesk(user: user))
    }
  }

  /// Returns how an event was detected, or `nil` if this hub did not detect it.
  func explanation(ofEvent id: String, of user: String) async throws -> APIExplanation? {
    try await ask(of: user) { try await $0.explanation(ofEvent: id, for: $1) }
  }
}
