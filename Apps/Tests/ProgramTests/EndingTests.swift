import Foundation
import Testing
import TrendyModels
import TrendyPersistence

#if canImport(Glibc)
  import Glibc
#endif

/// Tests how programs handle SIGTERM while they work, and access control of the agent's socket.
///
/// Programs exit within a second and log all work that they had to abandon. The tests do not measure the time to exit,
/// because it may be longer while other tests use the CPU.
@Suite("Termination and access to the daemon", .waitsForPrograms, .timeLimit(.minutes(20)))
struct EndingTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  @Test func `a hub terminates while a request is still arriving`() throws {
    let hub = try TestHub(bench)
    let half = try Running(
      bench, "/bin/bash",
      [
        "-c",
        "exec 3<>/dev/tcp/127.0.0.1/\(hub.port); printf 'POST /api/v1/pair HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Length: 100\\r\\n\\r\\n{' >&3; "
          + "echo sent; cat <&3",
      ])
    defer { half.kill() }
    #expect(try eventually { half.text.contains("sent") ? true : nil } == true)
    // This request is sent after the incomplete request. When the hub answers it, the hub must also have received the
    // incomplete request.
    #expect(try bench.shell("curl -sf \(hub.url)/api/v1/health").status == 0)
    hub.stop()
    #expect(hub.process.terminationStatus == 0)
    guard !hub.log.contains("did not end in time") else { return }
    #expect(try eventually { half.text.contains(" 503 ") ? true : nil } == true, "\(half.text)")
  }

  @Test func `an agent that starts while a command syncs resumes after the command has finished`() throws {
    let hub = try TestHub(bench)
    try hub.connect("phone")
    let factory = try DefaultDataStoreFactory(directory: URL(filePath: bench.store("phone")))
    var command = try factory.lockForSync()
    #expect(command != nil)
    let agent = try Running(bench, "trendyd", ["run", "--store", bench.store("phone")])
    defer { agent.stop() }
    #expect(try eventually { agent.text.contains("waiting for another program that is syncing") ? true : nil } == true)
    command = nil
    #expect(try eventually { agent.text.contains("syncs with") ? true : nil } == true, "\(agent.text)")
  }

  @Test func `an agent terminates during a sync, and the next sync sends the pending changes`() throws {
    let hub = try TestHub(bench)
    try bench.trendy("init")
    try #require(try bench.trendy("connect", hub.url, try hub.code()).status == 0)
    hub.stop()
    // Accepts connections on the hub's port but never responds.
    let (silent, heard) = try silentListener(port: try #require(UInt16(hub.port)))
    defer { close(silent) }
    let agent = try Running(bench, "trendyd", ["run", "--store", bench.store()])
    defer { agent.kill() }
    try #require(try bench.trendy("log", "coffee").status == 0)
    try #require(heard())
    agent.stop()
    #expect(agent.process.terminationStatus == 0)
    close(silent)
    let again = try TestHub(bench, port: hub.port)
    defer { again.stop() }
    let sync = try bench.trendy("sync", "--json")
    #expect(sync.status == 0, "\(sync.talk)")
    let standing = try bench.trendy("sync", "status", "--json").document.objectValue?["sync"]?.objectValue
    #expect(standing?["waiting"] == 0, "\(standing ?? [:])")
    let listed = try bench.trendy("list", "--type", "coffee", "--plain")
    #expect(listed.output.split(separator: "\n").count == 1, "\(listed.output)")
  }

  /// Returns a listening socket that accepts connections without responding, and a function that waits for the first
  /// received byte.
  private func silentListener(port: UInt16) throws -> (socket: Int32, heard: () -> Bool) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    var yes: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = port.bigEndian
    let status = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(status == 0 && listen(descriptor, 16) == 0)
    return (
      descriptor,
      {
        let client = accept(descriptor, nil, nil)
        var byte: UInt8 = 0
        return client >= 0 && recv(client, &byte, 1, 0) == 1
      }
    )
  }

  @Test(.enabled(if: getuid() == 0, "only root can be two other users"))
  func `an agent answers only its own user and root, whatever the mode of its socket`() throws {
    try bench.trendy("init")
    let store = bench.store()
    try #require(try bench.shell("chmod 711 '\(bench.folder.path)'; chown -R 65534:65534 '\(store)'").status == 0)
    func setpriv(_ user: Int) -> [String] { ["--reuid", "\(user)", "--regid", "\(user)", "--clear-groups"] }
    let agent = try Running(
      bench, "/usr/bin/setpriv", setpriv(65534) + [Workbench.path("trendyd"), "run", "--store", store])
    defer { agent.stop() }
    func ask(_ user: Int) throws -> Workbench.Result {
      try bench.run(
        "/usr/bin/setpriv", setpriv(user) + [Workbench.path("trendyd"), "status", "--json", "--store", store])
    }
    #expect(try eventually { try ask(65534).status == 0 ? true : nil } == true, "\(agent.text)")
    try #require(try bench.shell("chmod 711 '\(store)'; chmod 666 '\(store)/control.sock'").status == 0)
    let stranger = try ask(65533)
    #expect(
      stranger.status == 77 && stranger.talk.contains("only requests from the user that runs it"),
      "\(stranger.output)\(stranger.talk)")
    #expect(try ask(0).status == 0)
    #expect(try ask(65534).status == 0)
  }
}
