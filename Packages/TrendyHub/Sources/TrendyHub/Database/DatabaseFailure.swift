/// Why a database did not do what it was asked.
public enum DatabaseFailure: Error, Hashable, Sendable {
  /// There is no connection any more, or none could be made. Of a commit that was under way nobody knows what became of it.
  case lost(String)
  /// The server refused a statement, with the code of the SQL standard and its words; the transaction wrote nothing.
  case refused(code: String, String)
  /// A body asks for what lies beyond what was written in memory, among others: each is carried out by itself.
  case needsOwnTransaction

  /// Whether the same transaction may succeed when it is made anew.
  public var isSerialization: Bool {
    switch self {
    case .refused(let code, _): ["40001", "40P01", "40003"].contains(code)
    case .lost, .needsOwnTransaction: false
    }
  }

  /// Whether the connection is of no use any more: the server shuts down, or is a standby by now.
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
      case .lost(let text): .unreachable("the database does not answer: \(text)")
      case .refused(let code, let text) where code.hasPrefix("53") && code != "53300":
        .full("the database has no room: \(text)")
      case .refused(let code, let text) where ["53300", "55P03", "57014"].contains(code) || failure.isSerialization:
        .busy("the database is busy: \(text)")
      case .refused(_, let text) where failure.endsConnection: .unreachable("the database does not answer: \(text)")
      case .refused(let code, let text): .refused(code: code, text: text)
      case .needsOwnTransaction: preconditionFailure("a transaction that had to stand alone did not")
      }
  }
}
