import TrendyModels
import TrendyProtocols

// The store that an engine syncs, and when it is let go of.

extension SyncEngine {
  private var unit: any DataStoreProtocol {
    if let dataStore { return dataStore }
    let made = dataStoreFactory.makeDataStore()
    dataStore = made
    return made
  }

  /// A unit that fails is let go of: a store whose disk failed, or that was replaced beneath it, may claim nothing until it is
  /// opened and read anew.
  func read<Result>(_ body: (any DataStoreProtocol) throws -> Result) throws -> Result {
    do {
      return try body(unit)
    } catch {
      letGo(after: error)
      throw error
    }
  }

  /// An edit or an answer that cannot be taken says nothing of the store.
  private func letGo(after error: any Error) {
    switch error {
    case is APIError, is RecorderError, is SnapshotObstacle, is SyncFailure: break
    default: dataStore = nil
    }
  }

  /// Runs and saves; what throws leaves nothing behind. A unit that fails is let go of, as in ``read(_:)``.
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

  /// After so many large saves in a row the store is put in order: until somebody does, it holds what they saved in memory.
  private static let savesToTidyUp = 32

  func tidyUp(after saves: Int) {
    guard saves.isMultiple(of: Self.savesToTidyUp) else { return }
    // What stands in its way, the next save says.
    try? dataStoreFactory.tidyUp()
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
