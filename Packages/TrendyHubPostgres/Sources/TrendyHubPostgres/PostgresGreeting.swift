import Foundation
import Synchronization
import TrendyHub
import TrendyModels

/// Initializes a new connection: migrates the tables, and detects whether the database has lost commits.
final class PostgresGreeting: Sendable {
  private let schema: String
  /// Name and version of the program, reported to users of an older version.
  private let program: String
  private let hub: String
  private let random: RandomSource
  /// Serializes the initialization of connections. Callers run on threads that may block.
  private let turn = NSLock()
  private let remembered = Mutex(DatabaseEpochDetector())

  init(schema: String, program: String, random: RandomSource) {
    self.schema = schema
    self.program = program
    self.random = random
    hub = random.hexadecimalDigits()
  }

  func greet(_ connection: PostgresConnection) throws {
    turn.lock()
    defer { turn.unlock() }
    try setUp(connection)
    do {
      try checkVersion(connection)
    } catch DatabaseFailure.refused(let code, _) where ["42P01", "3F000"].contains(code) {
      try migrate(connection)
    }
    try look(connection)
  }

  private func setUp(_ connection: PostgresConnection) throws(DatabaseFailure) {
    var settings = [
      "SET search_path = \(schema)", "SET lock_timeout = '5s'", "SET statement_timeout = '15s'",
      "SET idle_in_transaction_session_timeout = '15s'",
    ]
    // Confirmed writes must be durable, whatever the database's default is.
    let isAsynchronous = try connection.run(
      PostgresCall(
        PostgresStatement("is_asynchronous", "SELECT current_setting('synchronous_commit') = 'off'")))
    if isAsynchronous.bool(0, 0) { settings.append("SET synchronous_commit = on") }
    for setting in settings { _ = try connection.run(PostgresCall(PostgresStatement(setting, setting))) }
    // Use generic plans that suit tables of any size, because every statement finds its rows through an index.
    // Compatible databases may not support these settings.
    for setting in ["SET plan_cache_mode = force_generic_plan", "SET enable_seqscan = off", "SET jit = off"] {
      do throws(DatabaseFailure) {
        _ = try connection.run(PostgresCall(PostgresStatement(setting, setting)))
      } catch {
        guard case .refused = error else { throw error }
      }
    }
  }
}

// MARK: Schema version

extension PostgresGreeting {
  private static let readVersion = PostgresStatement(
    "read_version", "SELECT number, made_by FROM schema_version WHERE one = 1")

  private func checkVersion(_ connection: PostgresConnection) throws {
    let rows = try connection.run(PostgresCall(Self.readVersion))
    guard rows.count > 0, rows.int(0, 0) >= PostgresSchema.version else { return try migrate(connection) }
    try refuseNewer(rows)
  }

  private func refuseNewer(_ rows: PostgresRows) throws {
    let number = rows.int(0, 0)
    guard number > PostgresSchema.version else { return }
    throw HubStorageError.newerSchema(
      found: number, madeBy: rows.text(0, 1), supported: PostgresSchema.version, program: program)
  }

  /// Migrates the tables in one transaction, which locks the row with the schema version.
  private func migrate(_ connection: PostgresConnection) throws {
    for sql in PostgresSchema.prepare(schema) {
      do throws(DatabaseFailure) {
        _ = try connection.run(PostgresCall(PostgresStatement(sql, sql)))
      } catch {
        // "IF NOT EXISTS" is not atomic. If two hubs start at once, the second may find that the object already exists.
        guard case .refused(let code, _) = error, ["23505", "42P07", "42P06"].contains(code) else { throw error }
      }
    }
    _ = try connection.run(PostgresCall(.beginWrite))
    do {
      let rows = try connection.run(
        PostgresCall(PostgresStatement("lock_version", Self.readVersion.sql + " FOR UPDATE")))
      try refuseNewer(rows)
      for statements in PostgresSchema.migrations.dropFirst(Int(rows.int(0, 0))) {
        for sql in statements { _ = try connection.run(PostgresCall(PostgresStatement(sql, sql))) }
      }
      _ = try connection.run([
        PostgresCall(
          PostgresStatement(
            "write_version", "UPDATE schema_version SET number = $1, made_by = $2 WHERE one = 1 AND number < $1"),
          .int(PostgresSchema.version), .text(program)),
        PostgresCall(.commit),
      ])
    } catch {
      connection.runLater(PostgresCall(.rollback))
      throw error
    }
  }
}

// MARK: Epoch of the database

extension PostgresGreeting {
  private func look(_ connection: PostgresConnection) throws {
    let identity = try identity(connection)
    let sight = try look(connection, isLocking: false)
    if remembered.withLock({ $0.knows(sight, identity: identity) }) {
      _ = try connection.run(witness())
      return remembered.withLock { $0.onCounted() }
    }
    _ = try connection.run(PostgresCall(.beginWrite))
    do {
      let sight = try look(connection, isLocking: true)
      let settlement = remembered.withLock { $0.settlement(of: sight, identity: identity) }
      var calls: [PostgresCall] = []
      if settlement.beginsEpoch {
        calls.append(
          PostgresCall(
            PostgresStatement("begin_life", "INSERT INTO life (number, id, identity) VALUES ($1, $2, $3)"),
            .int(settlement.epoch), .text(random.hexadecimalDigits()), .text(identity)))
      }
      // A hub that has not connected for that long interprets its missing row as lost commits, which costs devices
      // nothing.
      calls.append(
        PostgresCall(
          PostgresStatement(
            "forget_witnesses", "DELETE FROM witness WHERE seen_at < now() - interval '30 days'")))
      calls += [witness(atLeast: settlement.count), PostgresCall(.commit)]
      _ = try connection.run(calls)
      remembered.withLock { $0.onSettled(settlement) }
    } catch {
      connection.runLater(PostgresCall(.rollback))
      throw error
    }
  }

  private func witness(atLeast count: Int64 = 0) -> PostgresCall {
    PostgresCall(
      PostgresStatement(
        "put_witness",
        """
        INSERT INTO witness (hub, count) VALUES ($1, $2 + 1)
        ON CONFLICT (hub) DO UPDATE SET count = greatest(witness.count, $2) + 1, seen_at = now()
        """), .text(hub), .int(count))
  }

  private func look(_ connection: PostgresConnection, isLocking: Bool) throws(DatabaseFailure)
    -> DatabaseEpochDetector.Observation
  {
    let name = PostgresValue.text(PostgresDirectory.counter)
    let calls = [
      PostgresCall(
        PostgresStatement("read_life", "SELECT number, identity FROM life ORDER BY number DESC LIMIT 1")),
      PostgresCall(PostgresStatement("read_witness", "SELECT count FROM witness WHERE hub = $1"), .text(hub)),
    ]
    let locks = [PostgresCall(.insertCounter, name), PostgresCall(.lockCounter, name)]
    let rows = try connection.run(isLocking ? locks + calls : calls).suffix(2)
    guard let epoch = rows.first, let witness = rows.last else { return DatabaseEpochDetector.Observation() }
    return DatabaseEpochDetector.Observation(
      epoch: epoch.count > 0 ? epoch.int(0, 0) : 0, identity: epoch.count > 0 ? epoch.text(0, 1) : "",
      count: witness.count > 0 ? witness.int(0, 0) : nil)
  }

  /// Returns the identity of server, database and tables, the timeline, and the server's start time.
  ///
  /// The identity of a compatible database is constant, because it may have several servers and its failover loses no
  /// data.
  private func identity(_ connection: PostgresConnection) throws(DatabaseFailure) -> String {
    let version = try connection.run(PostgresCall(PostgresStatement("server", "SELECT version()"))).text(0, 0)
    guard version.hasPrefix("PostgreSQL "), !version.contains("-YB-") else { return "cluster" }
    return try connection.run(
      PostgresCall(
        PostgresStatement(
          "identity",
          """
          SELECT concat_ws('/', (SELECT system_identifier FROM pg_control_system()),
            (SELECT oid FROM pg_database WHERE datname = current_database()),
            'life'::regclass::oid::bigint, substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8),
            extract(epoch FROM pg_postmaster_start_time()))
          """))
    ).text(0, 0)
  }
}
