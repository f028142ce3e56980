import StorageTesting
import TrendyPersistence
public import TrendyProtocols

extension MockDataStore {
  /// An empty store in memory.
  /// - Parameters:
  ///   - clock: dates the call records and the seeded rows.
  ///   - seed: of the ids of seeded rows that are given none. Two stores that stand for two devices take two seeds.
  public convenience init(clock: any TimeSource = ManualClock(), seed: UInt64 = 0) {
    var generator = SeededGenerator(seed: seed)
    self.init(clock: clock, seed: generator.next()) {
      do {
        // Little work for a little store: the first chunk of a log is made whole before anything is written.
        var options = StorageEngine.Options()
        options.firstChunkBytes = 1 << 12
        return try DefaultDataStoreFactory(
          directory: "/store", fileSystem: SimulatedFileSystem(), options: options,
          generator: SeededGenerator(seed: seed))
      } catch {
        preconditionFailure("an empty store in memory did not open: \(error)")
      }
    }
  }
}
