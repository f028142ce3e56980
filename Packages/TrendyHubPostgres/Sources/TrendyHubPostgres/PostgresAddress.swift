import CPostgres
import TrendyHub

/// Database addresses in the syntax of libpq.
enum PostgresAddress {
  /// Validates an address.
  ///
  /// - Throws: ``HubStorageError/invalidAddress(_:)`` if it is malformed or contains a password, which the error does
  ///   not repeat.
  static func check(_ address: String) throws(HubStorageError) {
    var words: UnsafeMutablePointer<CChar>?
    guard let options = PQconninfoParse(address, &words) else {
      PQfreemem(words)
      // Error messages from libpq repeat parts of the address, so do not include them.
      throw .invalidAddress("invalid database address: expected postgres://user@host:5432/name")
    }
    defer { PQconninfoFree(options) }
    var option = options
    while let keyword = option.pointee.keyword {
      let name = String(cString: keyword)
      if let value = option.pointee.val, value.pointee != 0, ["password", "sslpassword"].contains(name) {
        throw .invalidAddress(
          "a password in the database address is visible to all users of this machine: "
            + "put it in a password file (~/.pgpass, or PGPASSFILE)")
      }
      option += 1
    }
  }
}
