import HubTesting
import TrendyHub
import TrendyPersistence
import TrendyTesting

/// Storage of one hub process in the shared database.
///
/// @unchecked: used only by the jobs of one scenario, which run one at a time on one executor.
final class SimulatedDatabaseStorage: HubStorage, DatabaseConnections, @unchecked Sendable {
  /// Connection to one run of the server. Unusable once it is lost.
  final class Connection {
    let generation: Int
    var isLost = false

    init(generation: Int) { self.generation = generation }
  }

  private let database: SimulatedDatabase
  /// Name under which the process connects to the database.
  private let hub: String
  private var memory = DatabaseEpochDetector()
  private var idle: [Connection] = []
  private var generator: SeededGenerator
  private var isDead = false
  private let onKill: (SimulatedDatabaseStorage) -> Void

  /// Creates the storage. `onKill` is called when the process is killed within a transaction.
  init(
    _ database: SimulatedDatabase, hub: String, seed: UInt64,
    onKill: @escaping (SimulatedDatabaseStorage) -> Void
  ) {
    self.database = database
    self.hub = hub
    self.onKill = onKill
    generator = SeededGenerator(seed: seed)
  }

  /// Prevents remaining tasks of the process from accessing the database.
  func end() { isDead = true }

  // MARK: Connections

  func take() throws -> Connection {
    if isDead { throw DatabaseFailure.lost("the hub was killed") }
    if let connection = idle.popLast() { return connection }
    try database.connect(hub: hub, &memory)
    return Connection(generation: database.generation)
  }

  func give(_ connection: Connection) {
    if connection.isLost { idle = [] } else { idle.append(connection) }
  }

  // MARK: Transactions

  private func session(_ row: String, isWriting: Bool, token: UInt64 = 0) -> (Connection) -> Session {
    { [database] in
      Session(database, $0, row: row, isWriting: isWriting, token: token) { [self] in onKill(self) }
    }
  }

  func read<Result>(user: String, _ body: (any HubReadTransaction) throws -> Result) throws -> Result {
    try perform(session: session(user, isWriting: false)) { session in
      let rows = try session.begin()
      return try rows.users.read(user, epoch: rows.epoch.id, body)
    } finish: { _ in
    }
  }

  func write<Result>(user: String, _ body: (any HubTransaction) throws -> Result) throws -> Result {
    try writing(user) { rows, now in
      let before = rows
      return try rows.users.write(
        user, epoch: rows.epoch.id,
        renewing: { reader in
          var claimed = before
          try claimed.renew(reader, of: user, at: now)
        }, body)
    }
  }

  /// Reads rows in a transaction on a user's row.
  func reading<Result>(_ row: String, _ body: (SimulatedDatabase.Rows) throws -> Result) throws -> Result {
    try perform(session: session(row, isWriting: false)) {
      try body($0.begin())
    } finish: { _ in
    }
  }

  /// Writes rows atomically in a transaction that locks one row. `body` receives the rows and the server's uptime.
  func writing<Result>(
    _ row: String, _ body: (inout SimulatedDatabase.Rows, Duration) throws -> Result
  ) throws -> Result {
    let token = generator.next()
    defer { database.settle(token) }
    return try perform(token: token, session: session(row, isWriting: true, token: token)) { session in
      var rows = try session.begin()
      let result = try body(&rows, database.uptime)
      session.rows = rows
      return result
    } finish: {
      try $0.commit()
    }
  }

  func erase(user: String) throws {
    try perform(session: session(user, isWriting: true)) { session in
      var rows = try session.begin()
      rows.users.erase(user)
      rows.tracks[user] = nil
      rows.readers[user] = nil
      session.rows = rows
    } finish: {
      try $0.commit()
    }
  }

  private static let directory = ""

  func readDirectory<Result>(_ body: (any HubDirectoryReading) throws -> Result) throws -> Result {
    try perform(session: session(Self.directory, isWriting: false)) {
      try $0.begin().directory.read(body)
    } finish: { _ in
    }
  }

  func writeDirectory<Result>(_ body: (any HubDirectoryTransaction) throws -> Result) throws -> Result {
    try writing(Self.directory) { rows, _ in try rows.directory.write(body) }
  }

  func tracks(of user: String) throws -> any TrackRows {
    // An erased user has no track log, so this must throw.
    try read(user: user) { _ in }
    return SimulatedTrackRows(storage: self, user: user)
  }

  func hasTracks(of user: String) throws -> Bool { try reading(user) { $0.tracks[user] != nil } }

  /// Unique name for a claim on a track log.
  func makeName() -> String { "\(hub) \(generator.next())" }

  func listen(_ hear: @escaping @Sendable (HubHint) -> Void) throws -> (any HintSubscription)? {
    database.hints.listen(hub: hub, hear)
  }

  func checkReady() throws { try readDirectory { _ in } }

  /// Reconnects, like a hub whose readiness is checked. Returns whether the server accepted the connection.
  func reconnect() -> Bool {
    idle = []
    // After a rejection, the next request tries again.
    guard let connection = try? take() else { return false }
    give(connection)
    return true
  }
}

extension SimulatedDatabaseStorage {
  /// Transaction on the rows as they were when the transaction locked its row.
  final class Session: DatabaseSession {
    private let database: SimulatedDatabase
    private let connection: Connection
    private let row: String
    private let isWriting: Bool
    private let token: UInt64
    private let kill: () -> Void
    var rows: SimulatedDatabase.Rows?
    private var fate: DatabaseFault?
    private(set) var failure: DatabaseFailure?

    init(
      _ database: SimulatedDatabase, _ connection: Connection, row: String, isWriting: Bool, token: UInt64,
      kill: @escaping () -> Void
    ) {
      self.database = database
      self.connection = connection
      self.row = row
      self.isWriting = isWriting
      self.token = token
      self.kill = kill
    }

    var recentWrites: RecentWrites? { rows.map { $0.recent[row] ?? RecentWrites() } }

    func lockRecentWrites() throws -> RecentWrites { try begin().recent[row] ?? RecentWrites() }

    func begin() throws -> SimulatedDatabase.Rows {
      if let rows { return rows }
      do {
        fate = try database.begin(generation: connection.generation, isWriting: isWriting)
      } catch {
        throw note(error)
      }
      rows = database.rows
      return database.rows
    }

    func commit() throws {
      var new = try begin()
      new.recent[row] = (new.recent[row] ?? RecentWrites()).adding(token)
      do {
        try database.commit(
          new, token: token, generation: connection.generation, fate: fate, kill: kill)
      } catch {
        throw note(error)
      }
    }

    private func note(_ failure: DatabaseFailure) -> DatabaseFailure {
      self.failure = self.failure ?? failure
      if failure.endsConnection { connection.isLost = true }
      return failure
    }

    /// Does nothing: the writes exist only in this session.
    func end() {}
  }
}
