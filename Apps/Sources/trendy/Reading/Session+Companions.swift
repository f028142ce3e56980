import TrendyAgent

extension Session {
  /// Opens the companion store. Returns `nil` if this device has never been linked with a companion.
  func openCompanionStore() throws -> CompanionStore? {
    _ = try openStore()
    guard CompanionStore.exists(storeDirectory: storeDirectory) else { return nil }
    return try CompanionStore(storeDirectory: storeDirectory)
  }
}
