/// A pool of connections to a database that several hubs share.
public protocol DatabaseConnections: Sendable {
  associatedtype Connection

  /// Returns a connection for the caller's exclusive use until ``give(_:)``.
  ///
  /// - Throws: ``DatabaseFailure`` if no connection can be opened.
  func take() throws -> Connection

  /// Returns a connection to the pool.
  func give(_ connection: Connection)
}

/// A transaction on one connection, begun by the first statement.
public protocol DatabaseSession: AnyObject {
  /// First failure in the transaction, even if the transaction's body caught it.
  var failure: DatabaseFailure? { get }

  /// Recent writes listed in the locked row, or `nil` before the row is locked.
  var recentWrites: RecentWrites? { get }

  /// Locks the row that lists the recent writes, if it is not locked yet.
  ///
  /// Once this session holds the lock, a lost connection that held it before can no longer commit.
  func lockRecentWrites() throws -> RecentWrites

  /// Ends the transaction without committing.
  func end()
}

extension DatabaseConnections {
  /// Runs a transaction, retrying it if necessary, so that it takes effect exactly once.
  ///
  /// - Parameters:
  ///   - token: Random number that identifies the commit if its response is lost, or `nil` if repeating the transaction
  ///     is harmless.
  ///   - make: Creates a session for one attempt.
  ///   - body: Work to do in the transaction. Called again for each retry.
  ///   - finish: Commits.
  /// - Throws: Errors from `body`, ``HubStorageError``, or ``DatabaseFailure/needsOwnTransaction``.
  public func perform<Session: DatabaseSession, Result>(
    token: UInt64? = nil, session make: (Connection) -> Session, body: (Session) throws -> Result,
    finish: (Session) throws -> Void
  ) throws -> Result {
    var unsettled: (result: Result, recent: RecentWrites)?
    var tries = 0
    var refusals = 0
    while true {
      tries += 1
      let connection: Connection
      do {
        connection = try take()
      } catch let failure as DatabaseFailure {
        // Connect at most twice, because an unresponsive host takes seconds to fail.
        refusals += 1
        if failure.endsConnection, refusals == 1 { continue }
        throw HubStorageError(failure)
      }
      defer { give(connection) }
      let session = make(connection)
      do {
        if let token, let earlier = unsettled {
          if try isCommitted(token, since: earlier.recent, in: session) {
            session.end()
            return earlier.result
          }
          unsettled = nil
        }
        let result = try body(session)
        if let failure = session.failure { throw failure }
        do {
          try finish(session)
        } catch {
          if session.failure?.endsConnection == true { unsettled = session.recentWrites.map { (result, $0) } }
          throw error
        }
        return result
      } catch {
        guard let failure = session.failure else {
          session.end()
          throw error
        }
        session.end()
        if tries < failure.maxAttempts { continue }
        if failure == .needsOwnTransaction { throw failure }
        throw HubStorageError(failure)
      }
    }
  }

  /// Returns whether a commit whose response was lost took effect.
  private func isCommitted(
    _ token: UInt64, since before: RecentWrites, in session: some DatabaseSession
  ) throws -> Bool {
    guard let isCommitted = try session.lockRecentWrites().tells(of: token, since: before) else {
      throw HubStorageError.unreachable(
        "the database connection was lost during a commit, which may or may not have taken effect")
    }
    return isCommitted
  }
}

extension DatabaseFailure {
  /// Maximum number of attempts after this failure: more for serialization conflicts than for lost connections.
  fileprivate var maxAttempts: Int { isSerialization ? 10 : endsConnection ? 3 : 0 }
}
