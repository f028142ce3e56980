/// Connections to a database that several hubs share, on which transactions are carried out.
public protocol DatabaseConnections: Sendable {
  associatedtype Connection

  /// One that nobody else uses, until it is given back.
  /// - Throws: ``DatabaseFailure`` where none can be made.
  func take() throws -> Connection

  func give(_ connection: Connection)
}

/// One transaction on one connection, begun with the first question.
public protocol DatabaseSession: AnyObject {
  /// The first thing that went wrong, also where a body did not pass it on.
  var failure: DatabaseFailure? { get }

  /// As they were when the row was locked; `nil` before that.
  var recentWrites: RecentWrites? { get }

  /// Locks the row where that was not done yet: nothing more can come of a connection that was lost while it held the lock.
  func lockRecentWrites() throws -> RecentWrites

  /// Ends what wrote nothing, or shall not have.
  func end()
}

extension DatabaseConnections {
  /// Runs one transaction, anew where it has to be, so that it takes effect once.
  /// - Parameters:
  ///   - token: by which a commit is found again whose answer did not come; `nil` for what may be done twice.
  ///   - make: begins an attempt on a connection.
  ///   - body: what is done in it; carried out anew where nothing of it was kept.
  ///   - finish: commits.
  /// - Throws: what `body` throws; ``HubStorageError``; ``DatabaseFailure/needsOwnTransaction``.
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
        // Made twice at most: a host that does not answer takes seconds to find out.
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
        if tries < failure.mostAttempts { continue }
        if failure == .needsOwnTransaction { throw failure }
        throw HubStorageError(failure)
      }
    }
  }

  /// Whether a commit whose answer was lost was made.
  private func isCommitted(
    _ token: UInt64, since before: RecentWrites, in session: some DatabaseSession
  ) throws -> Bool {
    guard let isCommitted = try session.lockRecentWrites().tells(of: token, since: before) else {
      throw HubStorageError.unreachable(
        "the connection to the database was lost while something was saved, and whether it was is not known")
    }
    return isCommitted
  }
}

extension DatabaseFailure {
  /// Attempts at one transaction that ends so: as often as the database asks for it, or each on another connection.
  fileprivate var mostAttempts: Int { isSerialization ? 10 : endsConnection ? 3 : 0 }
}
