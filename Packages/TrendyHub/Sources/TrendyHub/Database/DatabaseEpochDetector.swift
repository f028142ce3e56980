/// Detects that a shared database has lost commits, and then begins a new epoch.
///
/// Each new connection compares two values with earlier ones: the database's identity, which changes after a restored
/// backup or a failover, and the number of this hub's connections, which is stored in the database and must not
/// decrease. A restored disk image lowers the number without changing the identity.
public struct DatabaseEpochDetector: Hashable, Sendable {
  /// Values read by a new connection.
  public struct Observation: Hashable, Sendable {
    /// Number of the last epoch, or 0 if none has begun.
    public var epoch: Int64
    /// Identity of the database when that epoch began.
    public var identity: String
    /// Number of this hub's connections, or `nil` if the database has no row for this hub.
    public var count: Int64?

    public init(epoch: Int64 = 0, identity: String = "", count: Int64? = nil) {
      self.epoch = epoch
      self.identity = identity
      self.count = count
    }
  }

  /// Values to write in one transaction, under a lock shared by all hubs.
  public struct Settlement: Hashable, Sendable {
    /// Epoch that this hub uses, starting with this connection.
    public var epoch: Int64
    public var beginsEpoch: Bool
    /// Number of this hub's connections before this one.
    public var count: Int64
  }

  /// Number of this hub's connections known to be committed.
  private var count: Int64 = 0
  private var epoch: Int64 = 0

  public init() {}

  /// Returns whether the database contains every commit that this hub knows of.
  ///
  /// If so, the connection only has to be counted. `sight` may be read with or without the lock.
  public func knows(_ sight: Observation, identity: String) -> Bool {
    sight.epoch > 0 && sight.epoch >= epoch && sight.identity == identity && sight.count ?? 0 >= count
  }

  /// Records that a connection has been counted.
  public mutating func onCounted() { count += 1 }

  /// Returns the values to write, given those read under the lock.
  public func settlement(of sight: Observation, identity: String) -> Settlement {
    let beginsEpoch = !knows(sight, identity: identity)
    return Settlement(
      epoch: beginsEpoch ? max(sight.epoch, epoch) + 1 : sight.epoch, beginsEpoch: beginsEpoch,
      count: max(sight.count ?? 0, count))
  }

  /// Records that the values have been committed.
  public mutating func onSettled(_ settlement: Settlement) {
    count = settlement.count + 1
    epoch = settlement.epoch
  }
}
