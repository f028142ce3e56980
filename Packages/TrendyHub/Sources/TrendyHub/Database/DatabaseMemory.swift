/// What a hub remembers of a database that it shares with others, by which it notices that commits were lost.
///
/// A database that lost what it had confirmed begins a new life. It is noticed by its identity (a restored backup or a failover
/// has another), and where that is the same (the disk was put back) by the count of this hub's connections, which has to be
/// there still. It is asked with each new connection.
public struct DatabaseMemory: Hashable, Sendable {
  /// What a new connection finds.
  public struct Sight: Hashable, Sendable {
    /// The number of the last life; 0 where none has begun.
    public var life: Int64
    /// Of the database as it was when that life began.
    public var identity: String
    /// Of this hub's connections; `nil` where there is no row for it.
    public var count: Int64?

    public init(life: Int64 = 0, identity: String = "", count: Int64? = nil) {
      self.life = life
      self.identity = identity
      self.count = count
    }
  }

  /// What is written in one transaction, behind the lock that all hubs take for it.
  public struct Settlement: Hashable, Sendable {
    /// The life of which this hub is.
    public var life: Int64
    public var beginsLife: Bool
    /// Of this hub's connections, this one not counted.
    public var count: Int64
  }

  /// What this hub knows the database to have made durable.
  private var count: Int64 = 0
  private var life: Int64 = 0

  public init() {}

  /// Whether the database has all that this hub knows of; then the connection is counted, and nothing else done.
  /// - Parameters:
  ///   - sight: read without a lock, or behind it.
  ///   - identity: of the database now.
  public func knows(_ sight: Sight, identity: String) -> Bool {
    sight.life > 0 && sight.life >= life && sight.identity == identity && sight.count ?? 0 >= count
  }

  /// The connection was counted.
  public mutating func onCounted() { count += 1 }

  /// What to write, of what was read behind the lock.
  public func settlement(of sight: Sight, identity: String) -> Settlement {
    let beginsLife = !knows(sight, identity: identity)
    return Settlement(
      life: beginsLife ? max(sight.life, life) + 1 : sight.life, beginsLife: beginsLife,
      count: max(sight.count ?? 0, count))
  }

  /// It was written.
  public mutating func onSettled(_ settlement: Settlement) {
    count = settlement.count + 1
    life = settlement.life
  }
}
