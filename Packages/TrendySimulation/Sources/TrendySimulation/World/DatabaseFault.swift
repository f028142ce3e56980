/// Fault in a transaction on the hubs' shared database.
public enum DatabaseFault: Hashable, Sendable {
  /// The connection is lost before the server receives anything.
  case lostAtBegin
  /// The connection is lost during the commit, which may have succeeded.
  case lostAtCommit(isCommitted: Bool)
  /// The server rejects the commit this many times and asks to repeat the transaction.
  case refused(times: Int)
  /// The lock cannot be acquired in time.
  case locked
  /// The server fails during the commit. The standby that takes over has all confirmed commits, and possibly this
  /// commit.
  case failover(isCommitted: Bool)
  /// The hub is killed during the commit.
  case hubKilled(isCommitted: Bool)
  /// The hub stalls for this long before the transaction, then continues.
  case hubStopped(seconds: Int)
}

extension DatabaseFault: CustomStringConvertible {
  public var description: String {
    switch self {
    case .lostAtBegin: "the connection is lost"
    case .lostAtCommit(let isCommitted): "the connection is lost \(isCommitted ? "after" : "before") the commit"
    case .refused(let times): "it is rejected \(times) times"
    case .locked: "the row is locked for too long"
    case .failover(let isCommitted): "the server dies \(isCommitted ? "after" : "before") the commit"
    case .hubKilled(let isCommitted): "the hub is killed \(isCommitted ? "after" : "before") the commit"
    case .hubStopped(let seconds): "the hub stalls for \(seconds) s before it"
    }
  }

  var kind: String {
    switch self {
    case .lostAtBegin: "database_lost"
    case .lostAtCommit(let isCommitted): isCommitted ? "database_lost_after_commit" : "database_lost_before_commit"
    case .refused: "database_refused"
    case .locked: "database_locked"
    case .failover: "database_failover"
    case .hubKilled: "hub_killed"
    case .hubStopped: "hub_stopped"
    }
  }

  var isOfEveryTransaction: Bool {
    switch self {
    case .lostAtBegin, .hubStopped: true
    default: false
    }
  }
}
