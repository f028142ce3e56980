import AgentLink
import Foundation
import Testing
import TrendyModels

#if canImport(Glibc)
  import Glibc
#endif

/// Tests the daemon under systemd: `sd_notify`, the watchdog and socket activation.
@Suite("Under a service manager", .waitsForPrograms, .timeLimit(.minutes(10)))
struct ServiceManagerTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  private func hub(_ name: String = "hub") throws -> String {
    let data = bench.store(name)
    let made = try bench.run("trendyd", ["hub", "init", "--data", data, "--listen", "127.0.0.1:0"])
    try #require(made.status == 0, "\(made.talk)")
    return data
  }

  @Test("the hub notifies readiness when it answers, then a reload and its end", arguments: [false, true])
  func lifeOfHub(isAbstract: Bool) throws {
    let manager = try ManagerSocket(bench, isAbstract: isAbstract)
    let hub = try Running(
      bench, "trendyd", ["run", "--role", "hub", "--data", try hub(), "--json"],
      environment: ["NOTIFY_SOCKET": manager.name])
    defer { hub.kill() }
    let ready = try manager.wait(for: "READY=1")
    let url = try #require(hub.text.split(separator: "\"").first { $0.hasPrefix("http://127.0.0.1:") })
    #expect(try bench.shell("curl -sf \(url)/api/v1/health").status == 0, "it is ready, and does not answer")
    #expect(ready.contains("STATUS=Hub at http://127.0.0.1:"), "\(ready)")
    kill(hub.process.processIdentifier, SIGHUP)
    let reload = try manager.wait(for: "RELOADING=1")
    let moment = try #require(reload.split(separator: "\n").last?.split(separator: "=").last.flatMap { Int64($0) })
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    #expect((1...Int64(now.tv_sec + 1) * 1_000_000).contains(moment))
    #expect(try manager.wait(for: "READY=1") == "READY=1")
    hub.stop()
    #expect(hub.process.terminationStatus == 0)
    #expect(try manager.wait(for: "STOPPING=1").contains("STOPPING=1"))
  }

  @Test func `an agent is ready when trackers can post to it, and its status contains the sync state`() throws {
    try bench.trendy("init")
    let manager = try ManagerSocket(bench)
    let agent = try Running(
      bench, "trendyd", ["run", "--store", bench.store(), "--ingest", "127.0.0.1:0"],
      environment: ["NOTIFY_SOCKET": manager.name])
    defer { agent.stop() }
    _ = try manager.wait(for: "READY=1")
    // The log line was written before the notification, but may become visible in the file later.
    #expect(try eventually { agent.text.contains("trackers can post to http://127.0.0.1:") ? true : nil } == true)
    if !manager.heard.contains(where: { $0.contains("STATUS=Agent: ") }) { _ = try manager.wait(for: "STATUS=Agent: ") }
    #expect(manager.heard.contains { $0.contains("STATUS=Agent: not connected to a hub") }, "\(manager.heard)")
  }

  @Test func `the watchdog is no longer notified once the agent's disk hangs`() throws {
    try bench.trendy("init")
    let manager = try ManagerSocket(bench)
    let agent = try Running(
      bench, "trendyd", ["run", "--store", bench.store()],
      environment: ["NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "200000"])
    defer { agent.kill() }
    for _ in 0..<3 { _ = try manager.wait(for: "WATCHDOG=1") }
    // Use a FIFO to simulate a disk that hangs: opening the FIFO blocks until another process opens it for writing.
    let tracks = bench.store() + "/tracks"
    try FileManager.default.createDirectory(atPath: tracks, withIntermediateDirectories: true)
    try #require(mkfifo(tracks + "/manifest", 0o600) == 0)
    #expect(manager.isSilent(afterAtMost: 100), "the watchdog is told that an agent turns which does not")
  }

  @Test func `a watchdog for another process is not notified`() throws {
    try bench.trendy("init")
    let manager = try ManagerSocket(bench)
    let agent = try Running(
      bench, "trendyd", ["run", "--store", bench.store()],
      environment: ["NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "1000", "WATCHDOG_PID": "1"])
    defer { agent.stop() }
    _ = try manager.wait(for: "READY=1")
    agent.stop()
    _ = try manager.wait(for: "STOPPING=1")
    #expect(!manager.heard.contains { $0.contains("WATCHDOG") }, "\(manager.heard)")
  }

  @Test(
    "an invalid environment variable of the service manager is reported",
    arguments: [
      (["NOTIFY_SOCKET": "run/notify"], "NOTIFY_SOCKET is not a socket address: 'run/notify'"),
      (["WATCHDOG_USEC": "soon"], "WATCHDOG_USEC is not a number of microseconds: 'soon'"),
    ])
  func strangeEnvironment(environment: [String: String], words: String) throws {
    try bench.trendy("init")
    let result = try bench.run("trendyd", ["run", "--store", bench.store()], environment: environment)
    #expect(result.status == 78 && result.talk.contains(words) && result.talk.contains("Hint:"), "\(result.talk)")
  }

  // MARK: Socket activation

  /// Starts `trendyd` with a listening socket as descriptor 3, which the shell duplicates from standard input.
  private func activated(
    _ socket: Int32, name: String, _ words: String, environment: [String: String] = [:]
  ) throws -> Running {
    try Running(
      bench, "/bin/bash",
      [
        "-c",
        "LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES='\(name)' exec \(Workbench.path("trendyd")) \(words) 3<&0 </dev/null",
      ],
      environment: environment, input: FileHandle(fileDescriptor: socket, closeOnDealloc: false))
  }

  @Test func `a hub serves the socket it inherits, including connections made before it started`() throws {
    let data = try hub()
    let (socket, port) = try listener()
    defer { close(socket) }
    let early = try Running(
      bench, "/usr/bin/curl", ["-s", "-m", "120", "http://127.0.0.1:\(port)/api/v1/health"])
    defer { early.kill() }
    let running = try activated(socket, name: "trendy-hub.socket", "run --role hub --data '\(data)' --json")
    defer { running.kill() }
    early.process.waitUntilExit()
    #expect(early.text.contains(#""status":"ok""#), "\(early.text) \(running.text)")
    #expect(running.text.contains("http://127.0.0.1:\(port)"), "\(running.text)")
    running.stop()
    #expect(running.process.terminationStatus == 0)
    // The service manager's socket stays open while the hub is stopped, so connections made in between are served
    // after the next start.
    let between = try Running(
      bench, "/usr/bin/curl", ["-s", "-m", "120", "http://127.0.0.1:\(port)/api/v1/health"])
    defer { between.kill() }
    let again = try activated(socket, name: "hub", "run --role hub --data '\(data)' --json")
    defer { again.stop() }
    between.process.waitUntilExit()
    #expect(between.text.contains(#""status":"ok""#), "\(between.text) \(again.text)")
  }

  @Test func `a hub serves an inherited Unix socket and does not remove its file`() throws {
    let data = try hub()
    let path = bench.store("hub.sock")
    let socket = try unixListener(at: path)
    defer { close(socket) }
    let running = try activated(socket, name: "hub", "run --role hub --data '\(data)' --json")
    defer { running.kill() }
    let answer = try bench.shell("curl -s -m 120 --unix-socket '\(path)' http://localhost/api/v1/health")
    #expect(answer.output.contains(#""status":"ok""#), "\(answer.output) \(running.text)")
    #expect(running.text.contains("unix:\(path)"), "\(running.text)")
    running.stop()
    #expect(running.process.terminationStatus == 0 && FileManager.default.fileExists(atPath: path))
  }

  @Test func `the agent serves trackers on a socket named ingest`() throws {
    try bench.trendy("init")
    let (socket, port) = try listener()
    defer { close(socket) }
    let agent = try activated(socket, name: "ingest", "run --store '\(bench.store())'")
    defer { agent.stop() }
    let answer = try bench.shell("curl -s -m 120 http://127.0.0.1:\(port)/health")
    #expect(answer.output.contains(#""status":"ok""#), "\(answer.output) \(agent.text)")
  }

  @Test(
    "a socket that no running role can serve is rejected",
    arguments: [
      ("hub", "run --role agent", "is for the hub, which this process does not run"),
      ("ingest", "run --role hub", "is for the agent, which this process does not run"),
      ("closed", "run --role hub", "is not a listening TCP or Unix socket"),
    ])
  func refused(name: String, words: String, reason: String) throws {
    try bench.trendy("init")
    let data = try hub()
    let (socket, _) = try listener(isListening: name != "closed")
    defer { close(socket) }
    let running = try activated(socket, name: name, "\(words) --store '\(bench.store())' --data '\(data)'")
    running.process.waitUntilExit()
    #expect(running.process.terminationStatus == 78)
    #expect(running.text.contains(reason) && running.text.contains("Hint:"), "\(running.text)")
  }

  private func unixListener(at path: String) throws -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(status == 0 && listen(descriptor, 8) == 0, "\(path): \(errno)")
    return descriptor
  }

  private func listener(isListening: Bool = true) throws -> (socket: Int32, port: UInt16) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
          && (!isListening || listen(descriptor, 16) == 0)
      }
    }
    try #require(status)
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }
}

/// Notification socket of a simulated service manager, which records all notifications.
private final class ManagerSocket {
  let name: String
  private(set) var heard: [String] = []
  private let descriptor: Int32

  init(_ bench: Workbench, isAbstract: Bool = false) throws {
    let path = bench.folder.appending(path: "notify-\(UUID().uuidString.prefix(8))").path
    name = isAbstract ? "@\(path)" : path
    let address = try #require(isAbstract ? UnixAddress(abstractName: path) : UnixAddress(path: path))
    descriptor = socket(AF_UNIX, UnixAddress.datagram, 0)
    // Child processes must not inherit the descriptor.
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    try #require(address.withSockaddr { bind(descriptor, $0, $1) } == 0)
  }

  deinit { close(descriptor) }

  /// Waits for the next notification that contains the given text and records all notifications before it.
  func wait(for words: String) throws -> String {
    while true {
      let text = try #require(next(atMost: 120_000), "never heard '\(words)', but \(heard)")
      if text.contains(words) { return text }
    }
  }

  /// Whether no notification arrives for two seconds, which is ten times the watchdog interval in the test.
  func isSilent(afterAtMost count: Int) -> Bool {
    for _ in 0..<count where next(atMost: 2000) == nil { return true }
    return false
  }

  private func next(atMost milliseconds: Int32) -> String? {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&waiting, 1, milliseconds) > 0 else { return nil }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    let text = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    heard.append(text)
    return text
  }
}
