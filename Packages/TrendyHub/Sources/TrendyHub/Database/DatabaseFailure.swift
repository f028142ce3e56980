/// Failure of a database operation.
public enum DatabaseFailure: Error, Hashable, Sendable {
  /// The connection was lost or could not be opened. The result of a commit in progress is unknown.
  case lost(String)
  /// The server rejected a statement with an SQLSTATE code and a message. The transaction wrote nothing.
  case refused(code: String, String)
  /// The body needs a separate transaction: it reads rows that a shared transaction's buffered writes do not cover.
  case needsOwnTransaction

  /// Whether a retry of the same transaction may succeed.
  public var isSerialization: Bool {
    switch self {
    case .refused(let code, _): ["40001", "40P01", "40003"].contains(code)
    case .lost, .needsOwnTransaction: false
    }
  }

  /// Whether the connection is unusable, for example because the server is shutting down or has become a standby.
  public var endsConnection: Bool {
    switch self {
    case .lost: true
    case .refused(let code, _): code.hasPrefix("08") || code.hasPrefix("57P") || ["25006", "25P03"].contains(code)
    case .needsOwnTransaction: false
    }
  }
}

extension HubStorageError {
  init(_ failure: DatabaseFailure) {
    self =
      switch failure {
      case .lost(let text): .unreachable("the database does not respond: \(text)")
      case .refused(let code, let text) where code.hasPrefix("53") && code != "53300":
        .full("the database has no free space: \(text)")
      case .refused(let code, let text) where ["53300", "55P03", "57014"].contains(code) || failure.isSerialization:
        .busy("the database is busy: \(text)")
      case .refused(_, let text) where failure.endsConnection: .unreachable("the database does not respond: \(text)")
      case .refused(let code, let text): .refused(code: code, text: text)
      case .needsOwnTransaction: preconditionFailure("needsOwnTransaction was thrown inside a separate transaction")
      }
  }
}
