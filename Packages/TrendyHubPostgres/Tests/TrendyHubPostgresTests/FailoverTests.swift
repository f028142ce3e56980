import Foundation
import PostgresTesting
import Synchronization
import Testing
import TrendyHub
import TrendyModels

@testable import TrendyHubPostgres

@Suite("A primary and its synchronous standby", .onPostgres, .timeLimit(.minutes(5)))
struct FailoverTests {
  private static let moment = Date(timeIntervalSince1970: 1_704_067_200)

  /// Records events for one user until it is stopped, and remembers the confirmed ones.
  private final class Writer: Sendable {
    let user: String
    private let state = Mutex((confirmed: [String: Int64](), refused: 0, isEnding: false))

    init(user: String) { self.user = user }

    var confirmed: [String: Int64] { state.withLock { $0.confirmed } }
    var refusedCount: Int { state.withLock { $0.refused } }
    func stop() { state.withLock { $0.isEnding = true } }

    func run(on storage: PostgresHubStorage) {
      var number = 0
      while !state.withLock({ $0.isEnding }) {
        number += 1
        let id = "e\(number)"
        do {
          let version = try storage.write(user: user) { transaction in
            // On a retry, an event that was already recorded keeps its version.
            if let entry = try transaction.entry(kind: "event", id: id) { return entry.version }
            var state = try transaction.state()
            state.head += 1
            try transaction.put(
              HubEntry(
                kind: "event", id: id, version: state.head, createdAt: FailoverTests.moment,
                updatedAt: FailoverTests.moment, createdVersion: state.head, fields: [:]))
            try transaction.setState(state)
            return state.head
          }
          state.withLock { $0.confirmed[id] = version }
        } catch {
          // Retry, as a device would.
          state.withLock { $0.refused += 1 }
          number -= 1
          usleep(20_000)
        }
      }
    }
  }

  @Test func `confirmed writes survive the loss of the primary, and hubs continue with the standby`() throws {
    let primary = try PostgresCluster()
    let standby = try PostgresCluster(copying: primary)
    defer {
      standby.end()
      primary.end()
    }
    // From here on, commits wait for the standby.
    try primary.setAndReload("synchronous_standby_names", "*")
    try primary.waitUntilSynchronous()
    let address =
      "host=\(primary.folder.path),\(standby.folder.path) port=5432,5432 user=postgres dbname=postgres "
      + "target_session_attrs=read-write"
    let storages = try (0..<2).map { _ in try PostgresHubStorage(address: address, program: "trendyd test") }
    try storages[0].checkReady()
    let epoch = try storages[0].write(user: "life") { try $0.epoch() }
    let writers = (0..<4).map { Writer(user: "p\($0)") }
    let threads = DispatchGroup()
    for (place, writer) in writers.enumerated() {
      let storage = storages[place % storages.count]
      threads.enter()
      Thread.detachNewThread {
        writer.run(on: storage)
        threads.leave()
      }
    }
    func count() -> Int { writers.reduce(0) { $0 + $1.confirmed.count } }
    // Wait until every writer has a confirmed event: on a busy machine, three may write many before the fourth has a
    // connection.
    func isThere(_ wanted: Int) -> Bool { count() >= wanted && writers.allSatisfy { !$0.confirmed.isEmpty } }
    func waitFor(_ wanted: Int) throws {
      for _ in 0..<3000 where !isThere(wanted) { usleep(10_000) }
      try #require(isThere(wanted))
    }
    try waitFor(40)
    try primary.kill()
    try standby.promote()
    try waitFor(count() + 40)
    writers.forEach { $0.stop() }
    threads.wait()
    #expect(writers.contains { $0.refusedCount > 0 })
    for writer in writers {
      let (entries, head) = try storages[0].read(user: writer.user) {
        (try $0.entries(after: 0, limit: 100_000), try $0.state().head)
      }
      // Each event exists once with its confirmed version, and the versions have no gaps.
      let versions = Dictionary(uniqueKeysWithValues: entries.map { ($0.id, $0.version) })
      for (id, version) in writer.confirmed { #expect(versions[id] == version, "\(writer.user) \(id)") }
      #expect(entries.map(\.version) == (0..<head).map { $0 + 1 })
    }
    // The new timeline is a new epoch of the database, shared by both hubs.
    let epochs = try storages.map { try $0.write(user: "life") { try $0.epoch() } }
    #expect(epochs[0] != epoch)
    #expect(epochs[0] == epochs[1])
  }
}
