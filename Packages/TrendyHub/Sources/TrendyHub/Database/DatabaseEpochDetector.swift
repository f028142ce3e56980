/// Detects that a shared database has lost commits, and begins a new epoch then.
///
/// Each new connection compares two facts with earlier ones: the identity of the database, which changes with a
/// restored backup or a failover; and, if that is the same because a disk was restored, the number of this hub's
/// connections, which is stored in the database and must not have decreased.
public struct DatabaseEpochDetector: Hashable, Sendable {
  /// Values that a new connection reads.
  public struct Observation: Hashable, Sendable {
    /// Number of the last epoch; 0 if none has begun.
    public var epoch: Int64
    /// Identity of the database when that epoch began.
    public var identity: String
    /// Number of this hub's connections; `nil` if there is no row for this hub.
    public var count: Int64?

    public init(epoch: Int64 = 0, identity: String = "", count: Int64? = nil) {
      self.epoch = epoch
      self.identity = identity
      self.count = count
    }
  }

  /// Values to write in one transaction, under a lock that all hubs use.
  public struct Settlement: Hashable, Sendable {
    /// Epoch that this hub uses from now on.
    public var epoch: Int64
    public var beginsEpoch: Bool
    /// Number of this hub's connections before this one.
    public var count: Int64
  }

  /// Number of connections that this hub knows to be durably counted.
  private var count: Int64 = 0
  private var epoch: Int64 = 0

  public init() {}

  /// Returns whether the database contains everything that this hub knows to be committed.
  ///
  /// If so, only the connection needs to be counted.
  ///
  /// - Parameters:
  ///   - sight: Values read with or without the lock.
  ///   - identity: Current identity of the database.
  public func knows(_ sight: Observation, identity: String) -> Bool {
    sight.epoch > 0 && sight.epoch >= epoch && sight.identity == identity && sight.count ?? 0 >= count
  }

  /// Called when a connection has been counted.
  public mutating func onCounted() { count += 1 }

  /// Returns the values to write, given those read under the lock.
  public func settlement(of sight: Observation, identity: String) -> Settlement {
    let beginsEpoch = !knows(sight, identity: identity)
    return Settlement(
      epoch: beginsEpoch ? max(sight.epoch, epoch) + 1 : sight.epoch, beginsEpoch: beginsEpoch,
      count: max(sight.count ?? 0, count))
  }

  /// Called when the values have been committed.
  public mutating func onSettled(_ settlement: Settlement) {
    count = settlement.count + 1
    epoch = settlement.epoch
  }
}
