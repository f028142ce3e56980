import StorageTesting
import TrendyPersistence
public import TrendyProtocols

extension MockDataStore {
  /// Creates an empty in-memory store.
  ///
  /// - Parameters:
  ///   - clock: provides the timestamps of recorded calls and of seeded rows.
  ///   - seed: determines the ids of seeded rows without an id. Stores that represent two devices need two seeds.
  public convenience init(clock: any TimeSource = ManualClock(), seed: UInt64 = 0) {
    var generator = SeededGenerator(seed: seed)
    self.init(clock: clock, seed: generator.next()) {
      do {
        // A small first chunk, because the log preallocates it before the first write.
        var options = StorageEngine.Options()
        options.firstChunkBytes = 1 << 12
        return try DefaultDataStoreFactory(
          directory: "/store", fileSystem: SimulatedFileSystem(), options: options,
          generator: SeededGenerator(seed: seed))
      } catch {
        preconditionFailure("cannot open an empty in-memory store: \(error)")
      }
    }
  }
}
