public import Foundation
import Synchronization
public import TrendyHubPostgres

/// A temporary PostgreSQL cluster, reachable only through a Unix socket.
///
/// A shell that waits for the end of a pipe stops the cluster and deletes its directory when this process ends for any
/// reason.
public final class PostgresCluster: Sendable {
  /// Reason why tests that need a real server cannot run, or `nil` if they can.
  public static let missing: String? = {
    guard binaries == nil else { return nil }
    return
      "PostgreSQL server not found (initdb): install the package postgresql, or set PG_BIN to the folder of its programs"
  }()

  /// Cluster shared by all suites.
  public static let shared = Result { try PostgresCluster() }

  /// Directory that contains the cluster and its socket.
  public let folder: URL
  private let process: Process
  private let input = Pipe()
  private let names = Atomic(0)

  /// Starts a cluster and waits until it accepts connections.
  ///
  /// - Parameters:
  ///   - settings: Server settings in addition to those that keep it fast and small.
  ///   - primary: If given, the new cluster is its standby.
  public init(settings: [String] = [], copying primary: PostgresCluster? = nil) throws {
    guard let binaries = Self.binaries else { throw ClusterFailure(description: Self.missing ?? "") }
    folder = FileManager.default.temporaryDirectory.appending(path: "pg-\(UInt32.random(in: 0 ... .max))")
    let isRoot = geteuid() == 0
    let asServer = isRoot ? "setpriv --reuid postgres --regid postgres --clear-groups" : ""
    // Data committed by tests need not survive a machine crash.
    let options =
      [
        "listen_addresses=", "unix_socket_directories=\(folder.path)", "max_connections=200", "shared_buffers=16MB",
        "fsync=off", "shared_preload_libraries=pg_stat_statements",
      ] + settings
    let making =
      primary.map {
        "\(asServer) \(binaries)/pg_basebackup -h \($0.folder.path) -U postgres -D data -R -X stream -c fast --no-sync"
      } ?? "\(asServer) \(binaries)/initdb -D data -A trust -U postgres -E UTF8 --locale=C --no-sync"
    let script = """
      mkdir -p '\(folder.path)' && cd '\(folder.path)' || exit 1
      \(isRoot ? "chown postgres ." : "")
      { \(making); } >log 2>&1 || exit 1
      \(asServer) \(binaries)/postgres -D data \(options.map { "-c \"\($0)\"" }.joined(separator: " ")) >>log 2>&1 &
      echo $! >pid
      cat >/dev/null
      kill -QUIT $(cat pid); wait
      cd / && rm -rf '\(folder.path)'
      """
    process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", script]
    process.standardInput = input
    try process.run()
    try waitUntilReady()
  }

  /// Blocks until the server accepts connections. Throws after 30 seconds.
  public func waitUntilReady() throws {
    for _ in 0..<600 {
      if (try? connect()) != nil { return }
      guard process.isRunning else { break }
      usleep(50_000)
    }
    let log = (try? String(contentsOf: folder.appending(path: "log"), encoding: .utf8)) ?? ""
    throw ClusterFailure(description: "the cluster in \(folder.path) did not start: \(log.suffix(2000))")
  }

  /// Shuts down the server and waits for it to exit.
  public func end() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  /// Kills all processes of the server, as a machine crash would.
  public func kill() throws {
    let text = try String(contentsOf: folder.appending(path: "pid"), encoding: .utf8)
    guard let pid = Int32(text.filter(\.isNumber)) else {
      throw ClusterFailure(description: "the cluster has no process")
    }
    let children = (try? String(contentsOf: URL(filePath: "/proc/\(pid)/task/\(pid)/children"), encoding: .utf8)) ?? ""
    Foundation.kill(pid, SIGKILL)
    for child in children.split(separator: " ").compactMap({ Int32($0) }) { Foundation.kill(child, SIGKILL) }
  }

  /// Promotes a standby, so that it accepts writes.
  public func promote() throws {
    let rows = try connect().run(PostgresCall(PostgresStatement("promote", "SELECT pg_promote(true, 60)")))
    guard rows.bool(0, 0) else { throw ClusterFailure(description: "the standby was not promoted") }
  }

  /// Changes a setting of the whole server.
  public func setAndReload(_ name: String, _ value: String) throws {
    try run("ALTER SYSTEM SET \(name) = '\(value)'")
    try run("SELECT pg_reload_conf()")
  }

  /// Blocks until a synchronous standby confirms commits. Throws after 30 seconds.
  public func waitUntilSynchronous() throws {
    for _ in 0..<600 {
      if try run("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'").int(0, 0) > 0 { return }
      usleep(50_000)
    }
    throw ClusterFailure(description: "no standby confirms commits")
  }

  /// Creates a database and returns its address.
  public func newDatabase() throws -> String {
    let name = "d\(names.add(1, ordering: .relaxed).newValue)"
    try run("CREATE DATABASE \(name)")
    return "postgres:///\(name)?host=\(folder.path)&user=postgres"
  }

  /// Returns the address of the default database for a role.
  public func address(role: String = "postgres") -> String {
    "postgres:///postgres?host=\(folder.path)&user=\(role)"
  }

  /// Returns an unused schema name.
  public func newSchema() -> String { "s\(names.add(1, ordering: .relaxed).newValue)" }

  /// Creates a storage in a schema. Its connections have the schema's name as their application name.
  public func storage(schema: String, connections: Int = 20) throws -> PostgresHubStorage {
    try PostgresHubStorage(
      address: "\(address())&application_name=\(schema)", schema: schema, connections: connections,
      program: "trendyd test")
  }

  /// Terminates the connections of all storages in a schema, as a server restart would.
  public func endConnections(of schema: String) throws {
    try run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '\(schema)'")
  }

  package func connect() throws -> PostgresConnection {
    try PostgresConnection(settings: [("dbname", address())])
  }

  @discardableResult
  package func run(_ sql: String) throws -> PostgresRows {
    try connect().run(PostgresCall(PostgresStatement(sql, sql)))
  }

  /// Directory of the server's programs, or `nil` if it was not found.
  private static let binaries: String? = {
    var folders: [String] = []
    if let chosen = ProcessInfo.processInfo.environment["PG_BIN"] { folders.append(chosen) }
    let root = "/usr/lib/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    folders += versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { "\(root)/\($0)/bin" }
    folders += (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
    return folders.first { folder in
      ["initdb", "postgres", "pg_basebackup"].allSatisfy {
        FileManager.default.isExecutableFile(atPath: "\(folder)/\($0)")
      }
    }
  }()
}

/// A failure to start or control the cluster.
public struct ClusterFailure: Error, Sendable, CustomStringConvertible {
  public let description: String

  package init(description: String) { self.description = description }
}
