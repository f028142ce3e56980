import TrendyModels
import TrendyProtocols

extension SyncEngine {
  private var unit: any DataStoreProtocol {
    if let dataStore { return dataStore }
    let made = dataStoreFactory.makeDataStore()
    dataStore = made
    return made
  }

  /// Reads from the store. After an error the store is closed, because its disk may have failed or its files may have
  /// been replaced.
  func read<Result>(_ body: (any DataStoreProtocol) throws -> Result) throws -> Result {
    do {
      return try body(unit)
    } catch {
      letGo(after: error)
      throw error
    }
  }

  /// Closes the store, unless the error concerns only an edit or a response.
  private func letGo(after error: any Error) {
    switch error {
    case is APIError, is RecorderError, is SnapshotObstacle, is SyncFailure: break
    default: dataStore = nil
    }
  }

  /// Runs `body` and saves. An error leaves the store unchanged and closes it, as in ``read(_:)``.
  func write<Result>(_ body: (any DataStoreProtocol) throws -> Result) throws -> Result {
    let store = unit
    let result: Result
    do {
      result = try body(store)
    } catch {
      store.rollback()
      letGo(after: error)
      throw error
    }
    do {
      try store.save()
    } catch {
      store.rollback()
      dataStore = nil
      throw error
    }
    return result
  }

  /// Number of consecutive large saves after which maintenance runs. Until then, their data stays in memory.
  private static let savesToTidyUp = 32

  func performMaintenance(after saves: Int) {
    guard saves.isMultiple(of: Self.savesToTidyUp) else { return }
    // If maintenance fails, the next save reports the cause.
    try? dataStoreFactory.performMaintenance()
  }

  func inStore<Result>(_ body: (any DataStoreProtocol) throws -> Result) throws(SyncFailure) -> Result {
    do { return try read(body) } catch { throw .store("\(error)") }
  }

  func saving<Result>(_ body: (any DataStoreProtocol) throws -> Result) throws(SyncFailure) -> Result {
    do { return try write(body) } catch let failure as SyncFailure { throw failure } catch { throw .store("\(error)") }
  }

  func counting() throws(SyncFailure) {
    do { _ = try countPending() } catch { throw .store("\(error)") }
  }

  func countPending() throws -> Int {
    pendingCount = try read { try $0.syncCounts().pending }
    return pendingCount
  }
}
