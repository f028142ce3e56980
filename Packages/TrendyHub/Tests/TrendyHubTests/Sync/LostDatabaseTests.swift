import Foundation
import HubTesting
import Synchronization
import Testing
import TrendyHub
import TrendyModels

/// A running hub's shared database is replaced by an older state.
@Suite("A database that lost the record of a user", .timeLimit(.minutes(10)))
struct LostDatabaseTests {
  /// Storage whose records come from one of two databases, as selected by the test.
  private final class Storage: HubStorage {
    private let users = Mutex(MemoryHubStorage(epoch: "before"))
    private let directory = MemoryHubStorage()

    /// Switches to a standby database without any records.
    func loseAll() { users.withLock { $0 = MemoryHubStorage(epoch: "after") } }

    private var current: MemoryHubStorage { users.withLock { $0 } }

    func read<Result>(user: String, _ body: (any HubReadTransaction) throws -> Result) throws -> Result {
      try current.read(user: user, body)
    }
    func write<Result>(user: String, _ body: (any HubTransaction) throws -> Result) throws -> Result {
      try current.write(user: user, body)
    }
    func erase(user: String) throws { try current.erase(user: user) }
    func readDirectory<Result>(_ body: (any HubDirectoryReading) throws -> Result) throws -> Result {
      try directory.readDirectory(body)
    }
    func writeDirectory<Result>(_ body: (any HubDirectoryTransaction) throws -> Result) throws -> Result {
      try directory.writeDirectory(body)
    }
  }

  @Test(
    "the first request after a loss is answered in the new epoch",
    arguments: ["/changes?since=0", "/changes/latest-cursor", "/me/sync", "/snapshot", "/snapshot?part=first"])
  func begins(target: String) async throws {
    let storage = Storage()
    let server = HubServer(storage: storage)
    let user = try server.accounts.createPerson(name: "Anna")
    let token = try server.accounts.createToken(user: user.id, deviceName: "phone").token
    func ask(_ method: String, _ target: String, _ body: String = "") async throws -> (status: Int, text: String) {
      let response = await server.handle(
        HTTPRequest(
          id: "r", method: method, target: "/api/v1\(target)",
          headers: HTTPHeaders([("Authorization", "Bearer \(token)"), ("Host", "localhost")]), body: Data(body.utf8)))
      return (response.status, String(decoding: try await response.collectedBody(), as: UTF8.self))
    }
    #expect(
      try await ask("POST", "/event-types", ##"{"id":"t","name":"t","color":"#000000","icon":"cup"}"##).status == 201)
    func epoch(_ epoch: String) -> String { HubState.epoch(of: user.id, in: epoch) }
    #expect(try await ask("GET", target).text.contains(#""id":"\#(epoch("before"))""#))
    storage.loseAll()
    let answer = try await ask("GET", target)
    #expect(answer.status == 200)
    // Without epochs, a device would take the hub for an unversioned one and adopt its empty lists.
    #expect(answer.text.contains(#""epochs":[{"first":1,"id":"\#(epoch("after"))"}]"#), "\(answer.text)")
  }
}
