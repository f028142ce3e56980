import TrendyAgent

extension Session {
  /// `nil` where this device never had a companion, nor was one.
  func openCompanionStore() throws -> CompanionStore? {
    _ = try openStore()
    guard CompanionStore.exists(storeDirectory: storeDirectory) else { return nil }
    return try CompanionStore(storeDirectory: storeDirectory)
  }
}
