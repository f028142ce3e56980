import Foundation
import HubTesting
import Synchronization
import Testing
import TrendyHub
import TrendyModels

/// A hub that goes on while the database that it shares goes back, or begins a life.
@Suite("A database that lost what a person had", .timeLimit(.minutes(10)))
struct LostDatabaseTests {
  /// A storage whose persons are in one of two databases, as somebody says.
  private final class Storage: HubStorage {
    private let people = Mutex(MemoryHubStorage(life: "before"))
    private let directory = MemoryHubStorage()

    /// The standby that takes over never heard of anybody.
    func loseAll() { people.withLock { $0 = MemoryHubStorage(life: "after") } }

    private var current: MemoryHubStorage { people.withLock { $0 } }

    func read<Result>(person: String, _ body: (any HubReading) throws -> Result) throws -> Result {
      try current.read(person: person, body)
    }
    func write<Result>(person: String, _ body: (any HubTransaction) throws -> Result) throws -> Result {
      try current.write(person: person, body)
    }
    func erase(person: String) throws { try current.erase(person: person) }
    func readDirectory<Result>(_ body: (any HubDirectoryReading) throws -> Result) throws -> Result {
      try directory.readDirectory(body)
    }
    func writeDirectory<Result>(_ body: (any HubDirectoryTransaction) throws -> Result) throws -> Result {
      try directory.writeDirectory(body)
    }
  }

  @Test(
    "whatever a device asks first, it is answered in the life that began",
    arguments: ["/changes?since=0", "/changes/latest-cursor", "/me/sync", "/snapshot", "/snapshot?part=first"])
  func begins(target: String) async throws {
    let storage = Storage()
    let server = HubServer(storage: storage)
    let person = try server.accounts.createPerson(name: "Anna")
    let token = try server.accounts.createToken(person: person.id, deviceName: "phone").token
    func ask(_ method: String, _ target: String, _ body: String = "") async throws -> (status: Int, text: String) {
      let response = await server.handle(
        HTTPRequest(
          id: "r", method: method, target: "/api/v1\(target)",
          headers: HTTPHeaders([("Authorization", "Bearer \(token)"), ("Host", "localhost")]), body: Data(body.utf8)))
      return (response.status, String(decoding: try await response.collectedBody(), as: UTF8.self))
    }
    #expect(
      try await ask("POST", "/event-types", ##"{"id":"t","name":"t","color":"#000000","icon":"cup"}"##).status == 201)
    func epoch(_ life: String) -> String { HubState.epoch(of: person.id, in: life) }
    #expect(try await ask("GET", target).text.contains(#""id":"\#(epoch("before"))""#))
    storage.loseAll()
    let answer = try await ask("GET", target)
    #expect(answer.status == 200)
    // An answer without a life is that of a server that knows no versions: a device would believe its empty lists.
    #expect(answer.text.contains(#""epochs":[{"first":1,"id":"\#(epoch("after"))"}]"#), "\(answer.text)")
  }
}
