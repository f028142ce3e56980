import Foundation
import PostgresTesting
import Synchronization
import Testing
import TrendyHub
import TrendyModels

@testable import TrendyHubPostgres

@Suite("PostgresHubStorage", .onPostgres, .timeLimit(.minutes(5)))
struct PostgresHubStorageTests {
  private let cluster: PostgresCluster
  private let schema: String

  init() throws {
    cluster = try PostgresCluster.shared.get()
    schema = cluster.newSchema()
  }

  private static let moment = Date(timeIntervalSince1970: 1_704_067_200)

  /// Writes one event with the next version, as a hub does.
  private static func record(_ id: String, in transaction: any HubTransaction) throws -> Int64 {
    var state = try transaction.state()
    state.head += 1
    let entry = HubEntry(
      kind: "event", id: id, version: state.head, createdAt: moment, updatedAt: moment, createdVersion: state.head,
      fields: ["event_type_id": HubField(value: "t", version: state.head, stamp: 1, author: "d")])
    try transaction.put(entry)
    try transaction.setMark(device: "d", state.head)
    try transaction.setState(state)
    return state.head
  }

  @Test func `a server that requires a password is reported with the place for it`() throws {
    let guarded = try PostgresCluster()
    defer { guarded.end() }
    try guarded.run("CREATE ROLE guarded LOGIN PASSWORD 'secret'")
    let access = guarded.folder.appending(path: "data/pg_hba.conf")
    let rules = try String(contentsOf: access, encoding: .utf8)
    try Data(("local all guarded scram-sha-256\n" + rules).utf8).write(to: access)
    try guarded.run("SELECT pg_reload_conf()")
    var words = ""
    // The server reloads its configuration asynchronously.
    for _ in 0..<100 where words.isEmpty {
      do {
        _ = try PostgresConnection(settings: [("dbname", guarded.address(role: "guarded"))])
        usleep(50_000)
      } catch {
        words = "\(error)"
      }
    }
    #expect(words.contains("PGPASSFILE"), "\(words)")
  }

  // MARK: Lost connections

  @Test("a connection cut at any message loses no write and repeats none", arguments: CuttingRelay.Cut.allCases)
  func cut(kind: CuttingRelay.Cut) throws {
    let relay = try CuttingRelay(to: cluster)
    defer { relay.end() }
    let storage = try PostgresHubStorage(
      address: "postgres:///postgres?host=\(relay.folder.path)&user=postgres", schema: schema)
    _ = try storage.write(user: "p") { try Self.record("0", in: $0) }
    var number = 0
    repeat {
      number += 1
      relay.cut(at: number, kind)
      let version = try storage.write(user: "p") { transaction in
        _ = try transaction.entries(after: 0, limit: 1)
        return try Self.record("\(number)", in: transaction)
      }
      #expect(version == Int64(number + 1))
      let (head, versions) = try storage.read(user: "p") { reading in
        (try reading.state().head, try reading.lines(after: 0, limit: 500).map(\.version))
      }
      #expect(head == version)
      #expect(versions == Array(1...version))
    } while relay.hasCut
    // The read in each round is one more message at which the connection may be cut.
    #expect(number > 3)
  }

  @Test("a cut connection loses and repeats no write of the directory", arguments: CuttingRelay.Cut.allCases)
  func cutDirectory(kind: CuttingRelay.Cut) throws {
    let relay = try CuttingRelay(to: cluster)
    defer { relay.end() }
    let storage = try PostgresHubStorage(
      address: "postgres:///postgres?host=\(relay.folder.path)&user=postgres", schema: schema)
    try storage.checkReady()
    var number = 0
    repeat {
      number += 1
      let code = HubPairingCode(hash: "\(number)", user: "1", expiresAt: Self.moment)
      try storage.writeDirectory { try $0.put(code) }
      relay.cut(at: number, kind)
      // If a write were repeated, the code would be missing the second time.
      let user = try storage.writeDirectory { directory in
        let found = try directory.pairingCode(hash: "\(number)")
        try directory.deletePairingCode(hash: "\(number)")
        return found?.user
      }
      #expect(user == "1")
    } while relay.hasCut
    #expect(number > 2)
  }

  @Test func `two hubs on one database together allow as many pairing attempts as one`() throws {
    let hubs = try (1...2).map { _ in HubAccounts(storage: try cluster.storage(schema: schema)) }
    _ = try hubs[0].createPerson(name: "Anna")
    let kinds = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 20) { number in
      do {
        _ = try hubs[number % 2].pair(code: "0000-\(1000 + number)", deviceName: "d", address: "192.0.2.1")
      } catch {
        kinds.withLock { $0.append((error as? Problem)?.kind ?? "\(error)") }
      }
    }
    let found = kinds.withLock { $0 }.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    #expect(found == ["pairing_code_invalid": PairingGuard.attempts, "rate_limited": 20 - PairingGuard.attempts])
  }

  @Test func `an unreachable database throws unreachable`() throws {
    let storage = try PostgresHubStorage(address: "postgres://x@127.0.0.1:1/trendy?connect_timeout=2")
    #expect {
      try storage.read(user: "p") { _ = try $0.state() }
    } throws: { error in
      if case HubStorageError.unreachable = error { true } else { false }
    }
  }

  @Test func `a connection that is not available in time throws busy`() throws {
    let storage = try cluster.storage(schema: schema, connections: 1)
    try storage.checkReady()
    #expect {
      try storage.read(user: "p") { reading in
        _ = try reading.state()
        try storage.read(user: "q") { _ = try $0.state() }
      }
    } throws: { error in
      if case HubStorageError.busy = error { true } else { false }
    }
    // The connection has been returned to the pool.
    try storage.checkReady()
  }

  // MARK: Several hubs

  @Test func `several hubs assign each version of a user once, and a reader misses none`()
    async throws
  {
    let storages = try (0..<3).map { _ in try cluster.storage(schema: schema) }
    let rounds = 60
    let writers = Countdown(from: storages.count)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (hub, storage) in storages.enumerated() {
        group.addTask {
          defer { writers.countDown() }
          for round in 0..<rounds { _ = try storage.write(user: "p") { try Self.record("\(hub)-\(round)", in: $0) } }
        }
      }
      group.addTask {
        // If versions came from a sequence outside the transaction, lower versions could become visible later.
        var cursor: Int64 = 0
        var seen: [Int64] = []
        var isLast = false
        while !isLast {
          isLast = writers.isOver
          let (head, versions) = try storages[0].read(user: "p") { [cursor] reading in
            (try reading.state().head, try reading.lines(after: cursor, limit: 500).map(\.version))
          }
          #expect(versions.last ?? cursor == head)
          seen += versions
          cursor = head
          await Task.yield()
        }
        #expect(seen == Array(1...Int64(rounds * storages.count)))
      }
      try await group.waitForAll()
    }
  }

  @Test func `bodies that share a transaction and read ranges are all executed`() throws {
    let storage = try cluster.storage(schema: schema)
    struct Refused: Error {}
    let errors = try storage.write(
      user: "p",
      together: [
        { _ = try Self.record("a", in: $0) },
        { transaction in
          _ = try Self.record("b", in: transaction)
          #expect(try transaction.entries(after: 0, limit: 9).map(\.id) == ["a", "b"])
          throw Refused()
        },
        { transaction in
          _ = try Self.record("c", in: transaction)
          #expect(try transaction.referring(toKind: "event_type", id: "t").map(\.id) == ["a", "c"])
        },
      ])
    #expect(errors.map { $0 is Refused } == [false, true, false])
    #expect(try storage.read(user: "p") { try $0.entries(after: 0, limit: 9).map(\.id) } == ["a", "c"])
  }

  @Test func `tables are created once by concurrent hubs, and an older hub is rejected`() async throws {
    let storages = try (0..<6).map { _ in try cluster.storage(schema: schema) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for storage in storages { group.addTask { try storage.checkReady() } }
      try await group.waitForAll()
    }
    try cluster.run("UPDATE \(schema).schema_version SET number = 9, made_by = 'trendyd 9.9'")
    let refusal = HubStorageError.newerSchema(found: 9, madeBy: "trendyd 9.9", supported: 1, program: "trendyd test")
    #expect(throws: refusal) { try cluster.storage(schema: schema).checkReady() }
  }

  // MARK: Epochs of the database

  private func epoch(_ storage: PostgresHubStorage) throws -> String {
    try #require(try storage.write(user: "p") { try $0.epoch() })
  }

  @Test func `hubs share one epoch, and a new hub begins none`() throws {
    let first = try epoch(cluster.storage(schema: schema))
    #expect(try epoch(cluster.storage(schema: schema)) == first)
    #expect(try epoch(cluster.storage(schema: schema)) == first)
  }

  @Test func `tables restored from a backup begin an epoch, even for a running hub`() throws {
    let storage = try cluster.storage(schema: schema)
    let first = try epoch(storage)
    // State after pg_restore: the same rows in a new table.
    try cluster.run("CREATE TABLE \(schema).copy (LIKE \(schema).life INCLUDING ALL)")
    try cluster.run("INSERT INTO \(schema).copy SELECT * FROM \(schema).life")
    try cluster.run("DROP TABLE \(schema).life")
    try cluster.run("ALTER TABLE \(schema).copy RENAME TO life")
    try cluster.endConnections(of: schema)
    let second = try epoch(storage)
    #expect(second != first)
    #expect(try epoch(cluster.storage(schema: schema)) == second)
  }

  @Test func `a restored disk begins an epoch, as connections of the hub are missing`() throws {
    let storage = try cluster.storage(schema: schema)
    let first = try epoch(storage)
    try cluster.run("UPDATE \(schema).witness SET count = count - 1")
    try cluster.endConnections(of: schema)
    #expect(try epoch(storage) != first)
  }

  // MARK: Statements

  @Test("every statement about a record selects by user first", arguments: PostgresStatement.ofPersons)
  func namesPerson(statement: PostgresStatement) {
    let sql = statement.sql
    if sql.hasPrefix("INSERT") {
      #expect(sql.contains("(person, "))
      #expect(sql.contains("VALUES ($1") || sql.contains("SELECT $1::text"))
      #expect(sql.contains("ON CONFLICT (person"))
    } else {
      let tables = PostgresStatement.tables + PostgresStatement.trackTables + ["counter"]
      let words = sql.split { !($0.isLetter || $0.isNumber || $0 == "_") }
      let places = words.indices.filter { place in
        place > 0 && ["FROM", "JOIN", "UPDATE"].contains(words[place - 1]) && tables.contains(String(words[place]))
      }
      #expect(!places.isEmpty)
      #expect(sql.ranges(of: "person = $1").count == places.count, "one for each table in \(sql)")
    }
    for word in ["nextval", "pg_advisory", "TRUNCATE", "LOCK TABLE"] { #expect(!sql.contains(word)) }
  }

  @Test func `a batch needs one statement for each table`() throws {
    // Statements are counted per role.
    try cluster.run("CREATE ROLE batch SUPERUSER LOGIN")
    try cluster.run("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
    let storage = try PostgresHubStorage(address: cluster.address(role: "batch"), schema: schema)
    // A user's first write also creates the counter, so make one before the batch.
    try storage.write(user: "p") { try $0.setState(HubState()) }
    try storage.write(user: "p") { transaction in
      try transaction.prefetch((1...50).map { HubEntryKey(kind: "event", id: "\($0)") }, device: "d")
      for number in 1...50 {
        let version = try Self.record("\(number)", in: transaction)
        try transaction.putOutcome(
          device: "d", sequence: version, StoredOutcome(digest: "x", verdict: .accepted(version: version)))
      }
    }
    let rows = try cluster.run(
      """
      SELECT s.query, s.calls, s.rows FROM pg_stat_statements s JOIN pg_roles r ON r.oid = s.userid
      WHERE r.rolname = 'batch' AND (s.query LIKE 'INSERT INTO%unnest%' OR s.query LIKE 'SELECT wanted.kind%')
      """)
    let counts = (0..<rows.count).map { "\(rows.int($0, 1)) \(rows.int($0, 2))" }.sorted()
    // The lookup of the missing entries, then entries, references, outcomes and the device.
    #expect(counts == ["1 0", "1 1", "1 50", "1 50", "1 50"])
  }

  @Test func `a lookup reads only the rows it names, even without statistics`() throws {
    let storage = try cluster.storage(schema: schema)
    try storage.write(user: "p") { try $0.setState(HubState()) }
    let connection = try cluster.connect()
    var calls = 0
    func run(_ sql: String) throws -> [String] {
      calls += 1
      let rows = try connection.run(PostgresCall(PostgresStatement("call\(calls)", sql)))
      return (0..<rows.count).map { rows.text($0, 0) }
    }
    func array(_ prefix: String) -> String { "ARRAY[\((1...50).map { "'\(prefix)\($0)'" }.joined(separator: ","))]" }
    _ = try run("SET search_path TO \(schema)")
    _ = try run("INSERT INTO purged SELECT 'p', 'h' || n FROM generate_series(1, 20000) n")
    _ = try run(
      "INSERT INTO entry SELECT 'p', 'event', 'e' || n, n, n, 0, '', '' FROM generate_series(1, 20000) n")
    for isKnown in [false, true] {
      if isKnown { for table in ["purged", "entry"] { _ = try run("ANALYZE \(table)") } }
      let name = "looked\(calls)"
      _ = try run("PREPARE \(name)(text, text[], text[], text[]) AS \(PostgresStatement.readEntries.sql)")
      let plan = try run(
        """
        EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) EXECUTE \(name)(
        'p', array_fill('event'::text, ARRAY[50]), \(array("e")), \(array("g")))
        """)
      let rows = plan.flatMap { $0.matches(of: /rows=(\d+)/).compactMap { Int($0.1) } }
      #expect(rows.max() == 50, "\(plan.joined(separator: "\n"))")
    }
  }

  @Test func `one statement reads the entities that a REST batch refers to`() async throws {
    try cluster.run("CREATE ROLE rest SUPERUSER LOGIN")
    try cluster.run("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
    let server = HubServer(storage: try PostgresHubStorage(address: cluster.address(role: "rest"), schema: schema))
    let user = try server.accounts.createPerson(name: "Anna")
    let token = try server.accounts.createToken(user: user.id, deviceName: "phone").token
    func post(_ target: String, _ body: String) async -> Int {
      await server.handle(
        HTTPRequest(
          id: "r", method: "POST", target: "/api/v1\(target)",
          headers: HTTPHeaders([("Authorization", "Bearer \(token)"), ("Host", "localhost")]), body: Data(body.utf8))
      ).status
    }
    func looks() throws -> Int64 {
      try cluster.run(
        """
        SELECT coalesce(sum(s.calls), 0)::bigint FROM pg_stat_statements s JOIN pg_roles r ON r.oid = s.userid
        WHERE r.rolname = 'rest' AND s.query LIKE 'SELECT wanted.kind%'
        """
      ).int(0, 0)
    }
    #expect(await post("/event-types", ##"{"id":"t","name":"t","color":"#000000","icon":"cup"}"##) == 201)
    let before = try looks()
    let events = (1...50).map { ##"{"id":"\##($0)","event_type_id":"t","timestamp":"2026-05-20T10:00:00Z"}"## }
    #expect(await post("/events/batch", "{\"events\":[\(events.joined(separator: ","))]}") == 200)
    #expect(try looks() - before == 1)
  }

  // MARK: Addresses

  @Test(
    "a password in the address is rejected and not repeated in the error",
    arguments: ["postgres://u:secret@h/d", "postgres://u@h/d?password=secret", "host=h password=secret"])
  func password(address: String) {
    #expect {
      try PostgresHubStorage(address: address)
    } throws: { error in
      "\(error)".contains("PGPASSFILE") && !"\(error)".contains("secret")
    }
  }

  @Test func `an invalid address is rejected and not repeated in the error`() {
    #expect {
      try PostgresHubStorage(address: "postgres://u:secret@h/d?nonsense=1")
    } throws: { error in
      !"\(error)".contains("secret")
    }
  }
}

private final class Countdown: Sendable {
  private let left: Atomic<Int>

  init(from count: Int) { left = Atomic(count) }

  func countDown() { left.subtract(1, ordering: .sequentiallyConsistent) }
  var isOver: Bool { left.load(ordering: .sequentiallyConsistent) == 0 }
}
