/// Position in a store's sequence of saves.
///
/// If two reads return equal positions, no process has saved anything in between. The reverse is not true: maintenance
/// changes the position but no rows.
public struct StorePosition: Hashable, Sendable {
  let storeID: UInt64
  let generation: UInt64
  let sequence: UInt64
}

extension LogState {
  var position: StorePosition {
    StorePosition(
      storeID: generation.manifest.storeID, generation: generation.manifest.generation, sequence: tail.sequence)
  }
}

extension LocalStore {
  /// Applies saves from other processes and returns the position of the last save.
  public func position() throws -> StorePosition {
    try refresh()
    return try enginePosition()
  }
}
