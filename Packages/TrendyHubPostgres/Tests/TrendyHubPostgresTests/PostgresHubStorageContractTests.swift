import HubTesting
import PostgresTesting
import Synchronization
import Testing
import TrendyHub
import TrendyPersistence

@testable import TrendyHubPostgres

@Suite("Contract of PostgresHubStorage", .onPostgres, .timeLimit(.minutes(5)))
struct PostgresHubStorageContractTests {
  @Test("the storage satisfies the contract", arguments: HubStorageContract.all)
  func contract(check: HubStorageContract.Check) throws {
    let cluster = try PostgresCluster.shared.get()
    try check.run(on: cluster.storage(schema: cluster.newSchema()))
  }

  @Test("the storage satisfies the contract with another hub process for every call", arguments: HubStorageContract.all)
  func shared(check: HubStorageContract.Check) throws {
    let cluster = try PostgresCluster.shared.get()
    try check.run(on: ManyHubs(cluster: cluster, schema: cluster.newSchema()))
  }
}

/// Alternates between two storages on one database, like two hub processes.
private final class ManyHubs: HubStorage {
  private let storages: [PostgresHubStorage]
  private let turns = Atomic(0)

  init(cluster: PostgresCluster, schema: String) throws {
    storages = try (0..<2).map { _ in try cluster.storage(schema: schema) }
  }

  private var next: PostgresHubStorage { storages[turns.add(1, ordering: .relaxed).newValue % storages.count] }

  func read<Result>(user: String, _ body: (any HubReadTransaction) throws -> Result) throws -> Result {
    try next.read(user: user, body)
  }
  func write<Result>(user: String, _ body: (any HubTransaction) throws -> Result) throws -> Result {
    try next.write(user: user, body)
  }
  func write(user: String, together bodies: [(any HubTransaction) throws -> Void]) throws -> [(any Error)?] {
    try next.write(user: user, together: bodies)
  }
  func erase(user: String) throws { try next.erase(user: user) }
  func tracks(of user: String) throws -> any TrackRows { try next.tracks(of: user) }
  func size(of user: String) throws -> Int64? { try next.size(of: user) }
  func hasTracks(of user: String) throws -> Bool { try next.hasTracks(of: user) }
  func readDirectory<Result>(_ body: (any HubDirectoryReading) throws -> Result) throws -> Result {
    try next.readDirectory(body)
  }
  func writeDirectory<Result>(_ body: (any HubDirectoryTransaction) throws -> Result) throws -> Result {
    try next.writeDirectory(body)
  }
}
