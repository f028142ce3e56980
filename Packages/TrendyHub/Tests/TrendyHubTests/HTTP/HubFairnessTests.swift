import Foundation
import StorageTesting
import Synchronization
import Testing
import TrendyModels
import TrendyPersistence
import TrendyTesting

@testable import TrendyHub

@Suite("Fairness between users", .timeLimit(.minutes(10)))
struct HubFairnessTests {
  /// Hub on a socket and a real disk, with two users who have already written.
  private struct Served {
    let files: GatedFileSystem
    let server: HubServer
    let port: UInt16
    let folder: String
    let anna: (user: String, token: String)
    let ben: (user: String, token: String)

    func folder(of user: String) -> String { "\(folder)/people/\(user)" }

    func ask(_ method: String, _ path: String, as token: String? = nil, _ body: String? = nil) async throws
      -> RawClient.Answer
    {
      try await RawClient.request(
        method, "/api/v1\(path)", port: port, headers: token.map { [("Authorization", "Bearer \($0)")] } ?? [],
        body: body.map { Data($0.utf8) })
    }

    func makeType(_ id: String, as token: String) async throws -> RawClient.Answer {
      try await ask("POST", "/event-types", as: token, #"{"id":"\#(id)","name":"x","color":"c","icon":"i"}"#)
    }
  }

  private func serving(
    limits: HubStorageLimits = HubStorageLimits(), _ body: (Served) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "trendy-fair-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }  // a directory left behind in /tmp is harmless
    let files = GatedFileSystem()
    var patient = HTTPLimits()
    (patient.headDeadline, patient.bodyDeadline, patient.stopDeadline) = (.seconds(50), .seconds(50), .seconds(50))
    let server = HubServer(
      storage: EmbeddedHubStorage(directory: folder, fileSystem: files), transport: SocketTransport(limits: patient),
      configuration: HubConfiguration(requestsPerMinute: nil), limits: limits)
    func make(_ name: String) throws -> (user: String, token: String) {
      let user = try server.accounts.createPerson(name: name).id
      return (user, try server.accounts.createToken(user: user, deviceName: "phone").token)
    }
    let served = Served(
      files: files, server: server, port: try await server.start(), folder: folder, anna: try make("Anna"),
      ben: try make("Ben"))
    do {
      for token in [served.anna.token, served.ben.token] {
        #expect(try await served.makeType("t", as: token).status == 201)
        #expect(try await served.ask("GET", "/changes?since=1&device=d", as: token).status == 200)
      }
      try await body(served)
    } catch {
      files.release()
      await server.stop()
      throw error
    }
    files.release()
    await server.stop()
  }

  private func until(_ condition: () -> Bool) async { while !condition() { await Task.yield() } }

  @Test func `a disk that hangs for one user blocks no request that does not need it`() async throws {
    try await serving { hub in
      hub.files.hold(hub.folder(of: hub.anna.user))
      try await withThrowingTaskGroup(of: Int.self) { writes in
        for number in 1...8 {
          writes.addTask { try await hub.makeType("w\(number)", as: hub.anna.token).status }
        }
        await until { hub.files.heldCount == 1 }
        // Other users, and requests that need no storage, are not delayed.
        #expect(try await hub.ask("GET", "/health").status == 200)
        #expect(try await hub.makeType("b", as: hub.ben.token).status == 201)
        #expect(try await hub.ask("GET", "/event-types/b", as: hub.ben.token).status == 200)
        // Anna's own reads return only durable data.
        for path in [
          "/event-types/t", "/event-types", "/changes?since=0&device=d", "/changes/latest-cursor", "/me/sync",
          "/me/devices",
          "/snapshot", "/snapshot?part=first",
        ] {
          let answer = try await hub.ask("GET", path, as: hub.anna.token)
          #expect(answer.status == 200, "\(path)")
          #expect(!String(decoding: answer.body, as: UTF8.self).contains(#""w1""#), "\(path)")
        }
        #expect(hub.files.heldCount == 1)
        hub.files.release()
        for try await status in writes { #expect(status == 201) }
      }
      let all = try await hub.ask("GET", "/event-types", as: hub.anna.token)
      #expect(try WireJSON.decode(JSONValue.self, from: all.body).arrayValue?.count == 9)
    }
  }

  @Test func `concurrent writes of one user share a sync`() async throws {
    try await serving { hub in
      let folder = hub.folder(of: hub.anna.user)
      hub.files.hold(folder)
      try await withThrowingTaskGroup(of: Int.self) { writes in
        writes.addTask { try await hub.makeType("first", as: hub.anna.token).status }
        await until { hub.files.heldCount == 1 }
        let before = hub.files.syncs(below: folder)
        for number in 1...20 {
          writes.addTask { try await hub.makeType("w\(number)", as: hub.anna.token).status }
        }
        // One of the writes is rejected, which must not affect the others.
        writes.addTask { try await hub.makeType("t", as: hub.anna.token).status }
        await until { hub.server.waitingWrites(of: hub.anna.user) == 21 }
        hub.files.release()
        var statuses: [Int: Int] = [:]
        for try await status in writes { statuses[status, default: 0] += 1 }
        #expect(statuses == [201: 21, 409: 1])
        #expect(hub.files.syncs(below: folder) == before + 1)
      }
      let page = try await hub.ask("GET", "/changes?since=0&limit=500", as: hub.anna.token)
      let changes = try WireJSON.decode(ChangeFeedResponse.self, from: page.body).changes
      #expect(changes.map(\.id) == Array(1...22))
    }
  }

  @Test func `requests beyond the queue limit of a user are rejected, but not those of others`() async throws {
    try await serving(limits: HubStorageLimits(waitingPerPerson: 2)) { hub in
      hub.files.hold(hub.folder(of: hub.anna.user))
      try await withThrowingTaskGroup(of: Int.self) { writes in
        writes.addTask { try await hub.makeType("first", as: hub.anna.token).status }
        await until { hub.files.heldCount == 1 }
        for number in 1...2 {
          writes.addTask { try await hub.makeType("w\(number)", as: hub.anna.token).status }
        }
        await until { hub.server.waitingWrites(of: hub.anna.user) == 2 }
        let refused = try await hub.makeType("w3", as: hub.anna.token)
        #expect(refused.status == 503)
        #expect(refused.problemType == "urn:trendy:error:unavailable")
        #expect(refused.headers["retry-after"] == "1")
        #expect(try await hub.makeType("b", as: hub.ben.token).status == 201)
        hub.files.release()
        for try await status in writes { #expect(status == 201) }
      }
      #expect(try await hub.makeType("w3", as: hub.anna.token).status == 201)
    }
  }

  @Test func `a failed sync fails all writes that share it, and later writes succeed`() async throws {
    let disk = SimulatedFileSystem()
    let storage = EmbeddedHubStorage(directory: "/hub", fileSystem: disk)
    func put(_ version: Int64) -> (any HubTransaction) throws -> Void {
      { try $0.setState(HubState(head: version)) }
    }
    #expect(try storage.write(user: "p", together: [put(1)]).count == 1)
    disk.fail(.init(operation: .synchronize, call: 1, code: 5))
    #expect(throws: HubStorageError.self) { try storage.write(user: "p", together: [put(2), put(3)]) }
    disk.fail(nil)
    #expect(try storage.write(user: "p", together: [put(4)]).allSatisfy { $0 == nil })
    #expect(try storage.read(user: "p") { try $0.state().head } == 4)
  }
}

/// Returns the name of the current thread, which an asynchronous function cannot read directly.
private func threadName() -> String { Thread.current.name ?? "" }

@Suite("Execution on storage workers", .timeLimit(.minutes(10)))
struct RunningApartTests {
  /// Records the threads on which it and its inner actor run.
  private struct ThreadIngest: Ingest {
    actor Inner {
      func name() -> String { threadName() }
    }

    let inner = Inner()
    let names = Names()

    func take(_ request: IngestRequest, from sender: IngestSender) async throws -> IngestResponse {
      names.add(threadName())
      names.add(await inner.name())
      return IngestResponse()
    }
  }

  private final class Names: Sendable {
    private let all = Mutex<[String]>([])

    func add(_ name: String) { all.withLock { $0.append(name) } }
    var list: [String] { all.withLock { $0 } }
  }

  private func server(_ ingest: ThreadIngest, transport: SocketTransport?) -> HubServer {
    HubServer(
      storage: TestHub.openStorage(SimulatedFileSystem()), transport: transport, ingest: ingest,
      generator: SeededGenerator(seed: 1))
  }

  @Test func `posts of trackers and the actors they use run on a storage worker`() async throws {
    let ingest = ThreadIngest()
    let server = server(ingest, transport: SocketTransport())
    let user = try server.accounts.createPerson(name: "Anna")
    let token = try server.accounts.createToken(user: user.id, deviceName: "phone").token
    let request = HTTPRequest(
      id: "r", method: "POST", target: "/pub", headers: HTTPHeaders([("Authorization", "Bearer \(token)")]),
      body: Data("{}".utf8))
    #expect(await server.handle(request).status == 200)
    #expect(ingest.names.list == ["trendy-write", "trendy-write"])
  }

  @Test func `readiness is checked on a storage worker`() async throws {
    let disk = NamingFileSystem()
    let server = HubServer(
      storage: EmbeddedHubStorage(directory: "/hub", fileSystem: disk), transport: SocketTransport())
    _ = try server.accounts.createPerson(name: "Anna")
    let request = HTTPRequest(id: "r", method: "GET", target: "/api/v1/ready", headers: HTTPHeaders([]), body: Data())
    #expect(await server.handle(request).status == 200)
    #expect(disk.names.list == ["trendy-write"])
  }

  /// Records the thread on which the readiness check opens its file.
  private final class NamingFileSystem: ForwardingFileSystem {
    let base = SimulatedFileSystem()
    let names = Names()

    func open(_ path: String, _ mode: FileMode) throws(FileSystemError) -> any OpenFile {
      if path.hasSuffix("/ready") { names.add(threadName()) }
      return try base.open(path, mode)
    }
  }

  @Test func `maintenance runs on a storage worker, or on the caller's thread without a socket`() async throws {
    let served = server(ThreadIngest(), transport: SocketTransport())
    let apart = try await served.runApart { threadName() }
    #expect(apart == "trendy-write")
    let isMore = try await served.runApart { try served.compact() }
    #expect(!isMore)
    let inProcess = server(ThreadIngest(), transport: nil)
    let here = try await inProcess.runApart { threadName() }
    #expect(here != "trendy-write")
  }
}

@Suite("FairQueue", .timeLimit(.minutes(10)))
struct FairQueueTests {
  @Test func `owners take turns, each in its own order`() {
    var queue = FairQueue<Int>(capacity: 10)
    for number in 1...4 { _ = queue.add(number, of: "a") }
    _ = queue.add(11, of: "b")
    _ = queue.add(21, of: "c")
    var order: [Int] = []
    while let (owner, work) = queue.take(atMost: 1) {
      order += work
      queue.finish(owner)
    }
    #expect(order == [1, 11, 21, 2, 3, 4])
  }

  @Test func `an owner has one task in progress while others are served`() {
    var queue = FairQueue<Int>(capacity: 10)
    for number in 1...3 { _ = queue.add(number, of: "a") }
    var taken = queue.take(atMost: 1)
    #expect(taken?.work == [1])
    #expect(!queue.hasReady)
    taken = queue.take(atMost: 1)
    #expect(taken == nil)
    _ = queue.add(11, of: "b")
    taken = queue.take(atMost: 1)
    #expect(taken?.owner == "b")
    queue.finish("a")
    taken = queue.take(atMost: 9)
    #expect(taken?.work == [2, 3])
  }

  @Test func `each owner has its own limit`() {
    var queue = FairQueue<Int>(capacity: 2)
    let added = [
      queue.add(1, of: "a"), queue.add(2, of: "a"), queue.add(3, of: "a"), queue.add(1, of: "b"),
      queue.add(4, of: "a", isBounded: false),
    ]
    #expect(added == [true, true, false, true, true])
    #expect(queue.waitingCount(of: "a") == 3)
    _ = queue.take(atMost: 3)
    let isTaken = queue.add(5, of: "a")
    #expect(isTaken)
  }
}
