import Foundation
import StorageTesting
import Synchronization
import Testing
import TrendyHub
import TrendyModels
import TrendyPersistence
import TrendyTesting

#if canImport(Glibc)
  import Glibc
#endif

@Suite("Resource limits of a hub", .timeLimit(.minutes(10)))
struct ResourceTests {
  @Test func `the most recently used stay open, and one that could not be closed is returned again`() {
    var recent = RecentlyUsed(limit: 2)
    #expect(recent.onUse("a").isEmpty && recent.onUse("b").isEmpty && recent.onUse("a").isEmpty)
    #expect(recent.onUse("c") == ["b"])
    // "b" is in use and therefore still open.
    #expect(recent.onUse("d") == ["b", "a"])
    recent.onClosed("a")
    #expect(recent.onUse("c") == ["b"])
    recent.onClosed("b")
    #expect(recent.onUse("c").isEmpty && recent.count == 2)
    #expect(recent.leastRecent(5, but: "c") == ["d"])
  }

  @Test func `with many users a limited number of stores stays open and all are served`() async throws {
    let hub = try BoundedHub(openStores: 4)
    let users = try hub.users(20)
    for round in 0..<3 {
      for (number, user) in users.enumerated() {
        let made = try await hub.send("POST", "/event-types", type("t\(round)"), user)
        #expect(made == 201, "\(round) \(number)")
        #expect(hub.storage.openStoreCount <= 4)
      }
    }
    for user in users { #expect(try await hub.send("GET", "/event-types/t0", nil, user) == 200) }
    // Stores that were written and then closed still receive maintenance.
    while try hub.storage.maintain() {}
    #expect(hub.storage.openStoreCount <= 4)
  }

  @Test func `a store in use is not closed`() async throws {
    let hub = try BoundedHub(openStores: 1)
    let users = try hub.users(3)
    let first = users[0].user
    _ = try await hub.send("POST", "/event-types", type("t"), users[0])
    try hub.storage.read(user: first) { reading in
      // The writes are nested in a read on the same thread, so its store is in use and must stay open.
      for other in users.dropFirst() { try hub.storage.write(user: other.user) { _ in } }
      #expect(hub.storage.openStoreCount == 2)
      #expect(try reading.entry(kind: "event_type", id: "t") != nil)
    }
    try hub.storage.read(user: first) { _ in }
    #expect(hub.storage.openStoreCount == 1)
  }

  @Test func `a store with a write that waits for its sync is not closed`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "trendy-idle-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }  // a directory left behind in /tmp is harmless
    let files = GatedFileSystem()
    let storage = EmbeddedHubStorage(directory: folder, fileSystem: files, openStores: 1)
    for user in ["anna", "ben"] { try storage.write(user: user) { try $0.setState(HubState(head: 1)) } }
    files.hold("\(folder)/people/anna")
    let (written, continuation) = AsyncStream.makeStream(of: Bool.self)
    Thread.detachNewThread {
      let isWritten = (try? storage.write(user: "anna") { try $0.setState(HubState(head: 2)) }) != nil
      continuation.yield(isWritten)
      continuation.finish()
    }
    while files.heldCount == 0 { await Task.yield() }
    #expect(try storage.read(user: "ben") { try $0.state().head } == 1)
    #expect(storage.openStoreCount == 2)
    files.release()
    for await isWritten in written { #expect(isWritten) }
    #expect(try storage.read(user: "ben") { try $0.state().head } == 1)
    #expect(storage.openStoreCount == 1)
    #expect(try storage.read(user: "anna") { try $0.state().head } == 2)
  }

  @Test func `a shortage of descriptors closes idle stores and is logged once a minute if it lasts`()
    async throws
  {
    let disk = ShortFileSystem()
    let hub = try BoundedHub(openStores: 100, fileSystem: disk)
    let users = try hub.users(8)
    for user in users { #expect(try await hub.send("POST", "/event-types", type("t"), user) == 201) }
    // Opening one file fails until another store has been closed.
    disk.failures.withLock { $0 = 1 }
    let late = try hub.users(1, from: 8)[0]
    #expect(try await hub.send("POST", "/event-types", type("t"), late) == 201)
    #expect(hub.storage.openStoreCount < 9)
    // If every open fails, closing stores does not help.
    disk.failures.withLock { $0 = .max }
    let more = try hub.users(3, from: 9)
    for user in more { #expect(try await hub.send("POST", "/event-types", type("t"), user) == 503) }
    #expect(
      hub.log.withLock {
        $0.filter { $0.status == 503 && $0.failure?.contains("out of file descriptors") == true }.count
      } == 1)
    await hub.clock.advance(by: .seconds(60))
    #expect(try await hub.send("POST", "/event-types", type("t"), more[0]) == 503)
    #expect(
      hub.log.withLock {
        $0.filter { $0.status == 503 && $0.failure?.contains("out of file descriptors") == true }.count
      } == 2)
    disk.failures.withLock { $0 = 0 }
    for user in users + [late] + more {
      #expect([200, 404].contains(try await hub.send("GET", "/event-types/t", nil, user)))
    }
  }

  @Test func `readiness detects a full disk and checks it once in five seconds`() async throws {
    let disk = ShortFileSystem()
    let hub = try BoundedHub(openStores: 4, fileSystem: disk)
    _ = try hub.users(1)
    let nobody = (user: "", token: "")
    #expect(try await hub.send("GET", "/ready", nil, nobody) == 200)
    disk.isFull.withLock { $0 = true }
    #expect(try await hub.send("GET", "/ready", nil, nobody) == 200)
    await hub.clock.advance(by: .seconds(5))
    #expect(try await hub.send("GET", "/ready", nil, nobody) == 507)
    #expect(try await hub.send("GET", "/health", nil, nobody) == 200)
    disk.isFull.withLock { $0 = false }
    await hub.clock.advance(by: .seconds(5))
    #expect(try await hub.send("GET", "/ready", nil, nobody) == 200)
    #expect(try await hub.send("POST", "/ready", nil, nobody) == 405)
  }

  private func type(_ id: String) -> JSONValue {
    ["id": .string(id), "name": .string(id), "color": "#112233", "icon": "x"]
  }
}

private struct BoundedHub {
  let clock = ManualClock()
  let storage: EmbeddedHubStorage
  let server: HubServer
  let log = Log()

  final class Log: Sendable {
    private let entries = Mutex<[AccessLogEntry]>([])
    func withLock<Result>(_ body: (inout sending [AccessLogEntry]) -> sending Result) -> Result {
      entries.withLock(body)
    }
  }

  init(openStores: Int, fileSystem: any FileSystem = SimulatedFileSystem()) throws {
    storage = EmbeddedHubStorage(
      directory: "/hub", fileSystem: fileSystem,
      options: StorageEngine.Options(firstChunkBytes: 16_384, largestChunkBytes: 262_144), openStores: openStores)
    let log = log
    server = HubServer(
      storage: storage, clock: clock, generator: SeededGenerator(seed: 1),
      log: { entry in log.withLock { $0.append(entry) } })
  }

  func users(_ count: Int, from first: Int = 0) throws -> [(user: String, token: String)] {
    try (first..<first + count).map { number in
      let user = try server.accounts.createPerson(name: "Person \(number)")
      return (user.id, try server.accounts.createToken(user: user.id, deviceName: "phone").token)
    }
  }

  func send(_ method: String, _ path: String, _ body: JSONValue?, _ sender: (user: String, token: String))
    async throws
    -> Int
  {
    let headers = HTTPHeaders(sender.token.isEmpty ? [] : [("Authorization", "Bearer \(sender.token)")])
    return await server.handle(
      HTTPRequest(
        id: "r", method: method, target: "/api/v1\(path)", headers: headers,
        body: try body.map { try WireJSON.encode($0) } ?? Data(), remoteAddress: "127.0.0.1")
    ).status
  }
}

/// Simulated disk on which opening a file fails for lack of descriptors or disk space.
private final class ShortFileSystem: ForwardingFileSystem {
  let base = SimulatedFileSystem()
  /// Number of opens in users' directories that have yet to fail.
  let failures = Mutex(0)
  let isFull = Mutex(false)

  func open(_ path: String, _ mode: FileMode) throws(FileSystemError) -> any OpenFile {
    if isFull.withLock({ $0 }) { throw FileSystemError(operation: .open, path: path, code: ENOSPC) }
    let fails =
      path.contains("/people/")
      && failures.withLock { left in
        guard left > 0 else { return false }
        if left < .max { left -= 1 }
        return true
      }
    if fails { throw FileSystemError(operation: .open, path: path, code: EMFILE) }
    return try base.open(path, mode)
  }
}
