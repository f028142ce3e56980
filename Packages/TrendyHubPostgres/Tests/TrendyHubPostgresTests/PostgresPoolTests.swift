import Foundation
import PostgresTesting
import Testing
import TrendyHub
import TrendyModels

@testable import TrendyHubPostgres

@Suite("PostgresPool", .onPostgres, .timeLimit(.minutes(5)))
struct PostgresPoolTests {
  private static let question = PostgresCall(PostgresStatement("one", "SELECT 1"))

  /// After a failover all idle connections are lost. A pool that reused them would fail once for each.
  @Test func `a lost connection closes the idle connections`() throws {
    let cluster = try PostgresCluster.shared.get()
    let schema = cluster.newSchema()
    let address = cluster.address()
    let pool = PostgresPool(limit: 4, wait: 1) {
      try PostgresConnection(settings: [("application_name", schema), ("dbname", address)])
    }
    let connections = try (0..<3).map { _ in try pool.take() }
    for connection in connections {
      _ = try connection.run(Self.question)
      pool.give(connection)
    }
    #expect(pool.counts.open == 3 && pool.counts.idle == 3)
    try cluster.endConnections(of: schema)
    let lost = try pool.take()
    #expect(throws: DatabaseFailure.self) { try lost.run(Self.question) }
    pool.give(lost)
    #expect(pool.counts.open == 0)
    let fresh = try pool.take()
    #expect(throws: Never.self) { try fresh.run(Self.question) }
    pool.give(fresh)
    #expect(pool.counts.open == 1 && pool.counts.idle == 1)
  }

  /// Before a user's first write, the row to lock does not exist.
  @Test func `first writes of one user by several hubs take turns`() throws {
    let cluster = try PostgresCluster.shared.get()
    let schema = cluster.newSchema()
    let hubs = try (0..<4).map { _ in try cluster.storage(schema: schema) }
    for hub in hubs { try hub.checkReady() }
    for user in 0..<10 {
      DispatchQueue.concurrentPerform(iterations: hubs.count) { number in
        #expect(throws: Never.self) {
          try hubs[number].write(user: "user-\(user)") { transaction in
            var state = try transaction.state()
            state.head += 1
            try transaction.setState(state)
          }
        }
      }
      #expect(try hubs[0].read(user: "user-\(user)") { try $0.state().head } == Int64(hubs.count))
    }
  }
}
