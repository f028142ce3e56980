import TrendyModels

extension HubServer {
  /// Answers `GET /me/storage`.
  func showStorage(_ sender: HubDevice) async throws -> HTTPResponse {
    try await store.perform(.reading, for: sender.person) { [accounts, storage, configuration] in
      let (own, rows, bytes) = try accounts.quota(of: sender.person)
      let quota = own.otherwise(configuration.quota)
      func number(_ number: Int64?) -> JSONValue { number.map { .int($0) } ?? .null }
      return .json([
        "rows": .int(rows), "bytes": .int(bytes), "quota_rows": number(quota.rows), "quota_bytes": number(quota.bytes),
        "stored_bytes": number(try storage.size(of: sender.person)),
      ])
    }
  }
}
