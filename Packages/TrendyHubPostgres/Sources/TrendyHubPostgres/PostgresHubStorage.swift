import CPostgres
public import TrendyHub
import TrendyModels
public import TrendyPersistence

/// Hub storage in PostgreSQL, shared by any number of hubs.
///
/// A write is one transaction of a few milliseconds that locks the user's counter row. The transaction is repeated if
/// the database requests it or the connection is lost. After a lost connection, the row shows whether the transaction
/// was committed, so it takes effect exactly once. No statement reads the data of several users.
public final class PostgresHubStorage: HubStorage {
  private let pool: PostgresPool
  private let states = StateCache()
  let random: RandomSource
  private let schema: String
  private let connect: @Sendable (_ applicationName: String) throws -> PostgresConnection
  /// Application name of this storage's connections on the server.
  private let applicationName: String

  /// Creates a storage, which connects on first access and creates missing tables.
  ///
  /// - Parameters:
  ///   - address: Address in libpq syntax, such as `postgres://user@host:5432,standby:5432/trendy`. The password comes
  ///     from a password file (`PGPASSFILE`), a service (`PGSERVICE`) or the environment. Of several hosts, the storage
  ///     uses the one that accepts writes.
  ///   - schema: Schema of the tables: lowercase letters, digits and `_`. Created if missing.
  ///   - connections: Maximum number of connections.
  ///   - program: Name and version, reported to users of an older hub.
  ///   - generator: Source of the random numbers that identify commits.
  /// - Throws: `HubStorageError.invalidAddress` if the address is malformed or contains a password.
  public convenience init(
    address: String, schema: String = "trendy", connections: Int = 20, program: String = "trendyd",
    generator: some RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) throws(HubStorageError) {
    try self.init(
      address: address, schema: schema, connections: connections, program: program, random: RandomSource(generator))
  }

  private init(
    address: String, schema: String, connections: Int, program: String, random: RandomSource
  ) throws(HubStorageError) {
    try PostgresAddress.check(address)
    let letters = schema.utf8.allSatisfy {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        || $0 == UInt8(ascii: "_")
    }
    guard letters, (1...63).contains(schema.utf8.count), !(schema.utf8.first.map { $0 < 0x3A } ?? true) else {
      throw .invalidAddress(
        "invalid schema name \"\(schema)\": use lowercase letters, digits and _, starting with a letter")
    }
    let settings = [
      ("connect_timeout", "5"), ("tcp_user_timeout", "10000"), ("target_session_attrs", "read-write"),
    ]
    let greeting = PostgresGreeting(schema: schema, program: program, random: random)
    self.random = random
    self.schema = schema
    let applicationName = "trendyd \(random.hexadecimalDigits())"
    self.applicationName = applicationName
    let connect: @Sendable (String) throws -> PostgresConnection = { applicationName in
      try PostgresConnection(
        settings: settings + [
          ("fallback_application_name", applicationName), ("dbname", address), ("client_encoding", "UTF8"),
        ])
    }
    self.connect = connect
    pool = PostgresPool(limit: max(1, connections), wait: 5) {
      let connection = try connect(applicationName)
      try greeting.greet(connection)
      return connection
    }
  }

  /// Runs `body` in a repeatable-read transaction on one user's data. `body` may run several times.
  public func read<Result>(user: String, _ body: (any HubReadTransaction) throws -> Result) throws -> Result {
    try reading(user: user) { try body($0) }
  }

  func reading<Result>(user: String, _ body: (PostgresReading) throws -> Result) throws -> Result {
    try pool.perform { connection in
      PostgresReading(connection, user: user, isWriting: false, states: states)
    } body: {
      try body($0)
    } finish: {
      $0.end()
    }
  }

  /// Runs `body` in a transaction that locks the user's counter. `body` may run several times but takes effect once.
  public func write<Result>(user: String, _ body: (any HubTransaction) throws -> Result) throws -> Result {
    try write(user: user, isShared: false) { try body($0) }
  }

  func write<Result>(
    user: String, isShared: Bool, _ body: (PostgresTransaction) throws -> Result
  ) throws -> Result {
    let token = random.next()
    return try pool.perform(token: token) { connection in
      PostgresTransaction(connection, user: user, states: states, token: token, isShared: isShared)
    } body: {
      try body($0)
    } finish: {
      try $0.commit()
    }
  }

  /// Runs several bodies in one transaction or, if that is impossible, in separate transactions.
  ///
  /// - Returns: For each body, the error that it threw, or `nil`.
  public func write(
    user: String, together bodies: [(any HubTransaction) throws -> Void]
  ) throws -> [(any Error)?] {
    guard bodies.count > 1 else { return alone(user: user, bodies) }
    do {
      return try write(user: user, isShared: true) { transaction in
        try bodies.map { body in
          transaction.beginBody()
          do {
            try body(transaction)
            return nil
          } catch {
            // The transaction as a whole has failed.
            if transaction.failure != nil { throw error }
            transaction.takeBodyBack()
            return error
          }
        }
      }
    } catch DatabaseFailure.needsOwnTransaction {
      return alone(user: user, bodies)
    }
  }

  private func alone(user: String, _ bodies: [(any HubTransaction) throws -> Void]) -> [(any Error)?] {
    bodies.map { body in
      do {
        try write(user: user, body)
        return nil
      } catch {
        return error
      }
    }
  }

  /// Deletes all of a user's data and marks the counter as erased.
  public func erase(user: String) throws {
    do {
      try pool.perform { connection in
        PostgresReading(connection, user: user, isWriting: true, states: states)
      } body: { session in
        _ = try session.run(
          (PostgresStatement.erasures + PostgresStatement.trackErasures).map { PostgresCall($0, .text(user)) }
            + [PostgresCall(.eraseCounter, .text(user)), PostgresCall(.commit)])
      } finish: { _ in
      }
    } catch HubStorageError.erased {
    }
  }

  /// Runs `body` with the directory. Each read is a separate transaction.
  public func readDirectory<Result>(_ body: (any HubDirectoryReading) throws -> Result) throws -> Result {
    try pool.perform { connection in
      PostgresDirectory(connection, isWriting: false, states: states, token: 0)
    } body: {
      try body($0)
    } finish: {
      $0.end()
    }
  }

  /// Runs `body` in a transaction that locks the directory's counter.
  public func writeDirectory<Result>(_ body: (any HubDirectoryTransaction) throws -> Result) throws -> Result {
    let token = random.next()
    return try pool.perform(token: token) { connection in
      PostgresDirectory(connection, isWriting: true, states: states, token: token)
    } body: {
      try body($0)
    } finish: {
      try $0.commit()
    }
  }

  /// Returns the user's track log. Throws if the user was erased.
  public func tracks(of user: String) throws -> any TrackRows {
    try reading(user: user) { _ = try $0.counter() }
    return PostgresTracks(storage: self, user: user)
  }

  /// Returns whether a user has track rows. Returns `false` for an erased user.
  public func hasTracks(of user: String) throws -> Bool {
    do {
      return try reading(user: user) { try $0.run(PostgresCall(.hasTracks, .text(user))).count > 0 }
    } catch HubStorageError.erased {
      return false
    }
  }

  /// Returns the size of the user's entries and track rows in bytes.
  public func size(of user: String) throws -> Int64? {
    try reading(user: user) { try $0.run(PostgresCall(.size, .text(user))).int(0, 0) }
  }

  /// Connects, which verifies or creates the tables. Returns `nil`, because several hubs may share the storage.
  public func acquireExclusiveAccess() throws -> (any Sendable)? {
    try checkReady()
    return nil
  }

  /// Runs a query. Throws if the database cannot be reached.
  public func checkReady() throws {
    try pool.perform { connection in
      PostgresDirectory(connection, isWriting: false, states: states, token: 0)
    } body: {
      _ = try $0.run(PostgresCall(PostgresStatement("ready", "SELECT 1")))
    } finish: {
      $0.end()
    }
  }
}

// MARK: Hints

extension PostgresHubStorage {
  /// Receives hints from other hubs, on a connection in addition to the pool's.
  public func listen(_ hear: @escaping @Sendable (HubHint) -> Void) throws -> (any HintSubscription)? {
    let name = "trendyd serving \(random.hexadecimalDigits())"
    return Hearing(
      try PostgresHints(channel: "\(schema)_hints", connect: { [connect] in try connect(name) }, hear: hear))
  }

  /// Subscription that stops the thread when it is released.
  private final class Hearing: HintSubscription {
    private let hints: PostgresHints

    init(_ hints: PostgresHints) { self.hints = hints }

    deinit { hints.stop() }

    var isHearing: Bool { hints.isHearing }
    func tell(_ hint: HubHint) { hints.tell(hint) }
  }
}

// MARK: Moving a hub

extension PostgresHubStorage {
  /// Returns the number of other storages' connections to the database, which belong to hubs that are serving it.
  ///
  /// Only a superuser can see the connections of another role.
  public func otherConnectionCount() throws -> Int { try count("others", "count(*)") }

  private func count(_ name: String, _ what: String) throws -> Int {
    try pool.perform { connection in
      PostgresDirectory(connection, isWriting: false, states: states, token: 0)
    } body: { session in
      let rows = try session.run(
        PostgresCall(
          PostgresStatement(
            name,
            """
            SELECT \(what) FROM pg_stat_activity WHERE datname = current_database()
            AND application_name LIKE 'trendyd %' AND application_name <> $1
            """), .text(applicationName)))
      return Int(rows.int(0, 0))
    } finish: {
      $0.end()
    }
  }

  /// Returns the number of hubs that are serving the database, counted by their connections for hints.
  public func servingCount() throws -> Int {
    try count("serving", "count(*) FILTER (WHERE application_name LIKE 'trendyd serving %')")
  }

  /// Renames the schema, so no hub can find the tables, and returns the new name.
  ///
  /// `suffix`, which consists of letters, digits and `_`, is appended to the schema's name.
  public func setAside(suffix: String) throws -> String {
    let name = "\(schema)_\(suffix)"
    try pool.perform { connection in
      PostgresDirectory(connection, isWriting: false, states: states, token: 0)
    } body: {
      let sql = "ALTER SCHEMA \(schema) RENAME TO \(name)"
      _ = try $0.run(PostgresCall(PostgresStatement(sql, sql)))
    } finish: {
      $0.end()
    }
    return name
  }
}
