/// What can happen to one transaction on a database that several hubs share.
public enum DatabaseFault: Hashable, Sendable {
  /// The connection is lost before the server has heard of anything.
  case lostAtBegin
  /// The connection is lost while it commits, which happened, or did not.
  case lostAtCommit(isCommitted: Bool)
  /// The server refuses to commit, so many times, and says that the transaction is to be made anew.
  case refused(times: Int)
  /// The lock is not to be had in time.
  case locked
  /// The server dies while it commits; what it had confirmed is on the standby that takes its place, and this commit may be.
  case failover(isCommitted: Bool)
  /// The hub dies while it commits.
  case hubKilled(isCommitted: Bool)
  /// The hub stands still before it, for so long, and then goes on as if nothing had been.
  case hubStopped(seconds: Int)
}

extension DatabaseFault: CustomStringConvertible {
  public var description: String {
    switch self {
    case .lostAtBegin: "the connection is lost"
    case .lostAtCommit(let isCommitted): "the connection is lost \(isCommitted ? "after" : "before") the commit"
    case .refused(let times): "it is refused \(times) times"
    case .locked: "the row is locked for too long"
    case .failover(let isCommitted): "the server dies \(isCommitted ? "after" : "before") the commit"
    case .hubKilled(let isCommitted): "the hub is killed \(isCommitted ? "after" : "before") the commit"
    case .hubStopped(let seconds): "the hub stands still for \(seconds) s before it"
    }
  }

  /// What it counts as among the faults.
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

  /// Whether it happens to what only reads, too.
  var isOfEveryTransaction: Bool {
    switch self {
    case .lostAtBegin, .hubStopped: true
    default: false
    }
  }
}
