/// Position in the sequence of saves of a store.
///
/// If two reads return equal positions, no process has saved anything in between. The reverse does not hold:
/// maintenance changes the position without changing rows.
public struct StorePosition: Hashable, Sendable {
  let storeID: UInt64
  let generation: UInt64
  let sequence: UInt64
}

extension LocalStore {
  /// Applies saves made by other processes and returns the position of the last save.
  public func position() throws -> StorePosition {
    try refresh()
    return try enginePosition()
  }
}
