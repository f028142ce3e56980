import TrendyAgent

extension Session {
  /// Returns `nil` if this device never had or was a companion.
  func openCompanionStore() throws -> CompanionStore? {
    _ = try openStore()
    guard CompanionStore.exists(storeDirectory: storeDirectory) else { return nil }
    return try CompanionStore(storeDirectory: storeDirectory)
  }
}
