import Foundation
import Testing
import TrendyArchive
import TrendyModels
import TrendyProtocols
import TrendyTesting

@testable import TrendyHub

#if canImport(Glibc)
  import Glibc
#endif

@Suite("Compression and entity tags", .timeLimit(.minutes(10)))
struct HubEncodingTests {
  private func ask(
    _ hub: TestHub, _ target: String, _ headers: [(String, String)] = [], method: String = "GET",
    address: String = "192.0.2.7"
  ) async throws -> (response: HTTPResponse, body: Data) {
    let response = await hub.server.handle(
      HTTPRequest(
        id: "r", method: method, target: "/api/v1\(target)",
        headers: HTTPHeaders([("Authorization", "Bearer \(hub.token)")] + headers), body: Data(),
        remoteAddress: address))
    return (response, try await response.collectedBody())
  }

  private func inflated(_ data: Data) throws -> Data {
    Data(try Inflater.decompress(Array(data), as: .gzip, limit: 1 << 20))
  }

  private func filled() async throws -> TestHub {
    let hub = try TestHub()
    try await hub.makeType()
    for number in 0..<30 { try await hub.makeEvent("event-\(number)") }
    return hub
  }

  @Test(
    "a long response is compressed with equal content", arguments: ["/changes?since=0", "/snapshot"])
  func gzip(target: String) async throws {
    let hub = try await filled()
    let plain = try await ask(hub, target)
    #expect(plain.response.headers["Content-Encoding"] == nil)
    #expect(plain.response.headers["Vary"] == "Accept-Encoding")
    let small = try await ask(hub, target, [("Accept-Encoding", "deflate, gzip;q=0.8")])
    #expect(small.response.headers["Content-Encoding"] == "gzip")
    #expect(small.response.headers["Content-Type"] == plain.response.headers["Content-Type"])
    #expect(small.body.count < plain.body.count / 3)
    #expect(try inflated(small.body) == plain.body)
  }

  @Test(
    "a response is not compressed for a client that does not accept gzip",
    arguments: ["", "identity", "br", "gzip;q=0", "gzip; q=0.0, *", "*;q=0"])
  func refused(encodings: String) async throws {
    let hub = try await filled()
    let answer = try await ask(hub, "/changes?since=0", [("Accept-Encoding", encodings)])
    #expect(answer.response.headers["Content-Encoding"] == nil)
  }

  @Test func `local, short and secret responses are not compressed`() async throws {
    let hub = try await filled()
    let gzip = [("Accept-Encoding", "gzip")]
    let local = try await ask(hub, "/changes?since=0", gzip, address: "127.0.0.1")
    #expect(local.response.headers["Content-Encoding"] == nil)
    // The client of a proxy on this machine may be remote.
    let forwarded = try await ask(
      hub, "/changes?since=0", gzip + [("X-Forwarded-For", "192.0.2.7")], address: "127.0.0.1")
    #expect(forwarded.response.headers["Content-Encoding"] == "gzip")
    #expect(try await ask(hub, "/health", gzip).response.headers["Content-Encoding"] == nil)
    #expect(try await ask(hub, "/session", gzip).response.headers["Vary"] == nil)
    let head = try await ask(hub, "/changes?since=0", gzip, method: "HEAD")
    #expect(head.response.headers["Content-Encoding"] == nil)
  }

  @Test(
    "a client with the tag of an entity gets 304 until the record changes", arguments: ["/events", "/events/a"])
  func tags(target: String) async throws {
    let hub = try TestHub()
    try await hub.makeType()
    try await hub.makeEvent("a")
    let first = try await ask(hub, target)
    let tag = try #require(first.response.headers["ETag"])
    for known in [tag, "\"x\", \(tag)", String(tag.dropFirst(2))] {
      let again = try await ask(hub, target, [("If-None-Match", known)])
      #expect(again.response.status == 304 && again.body.isEmpty, "\(known)")
      #expect(again.response.headers["ETag"] == tag)
    }
    try await hub.makeEvent("b")
    let changed = try await ask(hub, target, [("If-None-Match", tag)])
    #expect(changed.response.status == 200)
    #expect(changed.response.headers["ETag"] != tag)
  }

  @Test(
    "polled paths have a tag, and a client that has it gets 304 until a write",
    arguments: ["/changes?since=1", "/changes?since=0&limit=1", "/changes/latest-cursor", "/me/sync?device=d"])
  func polledTags(target: String) async throws {
    let hub = try TestHub()
    try await hub.makeType()
    let tag = try #require(try await ask(hub, target).response.headers["ETag"])
    // The hub time in the response does not affect the tag.
    await hub.clock.advance(by: .seconds(90))
    let again = try await ask(hub, target, [("If-None-Match", tag)])
    #expect(again.response.status == 304 && again.body.isEmpty)
    #expect(again.response.headers["ETag"] == tag)
    try await hub.makeEvent("a")
    let changed = try await ask(hub, target, [("If-None-Match", tag)])
    #expect(changed.response.status == 200 && !changed.body.isEmpty)
    #expect(changed.response.headers["ETag"] != tag)
  }

  @Test func `a problem is reported even to a client with a matching tag`() async throws {
    let hub = try TestHub()
    try await hub.makeType()
    let tag = try #require(try await ask(hub, "/changes?since=1").response.headers["ETag"])
    let ahead = try await ask(hub, "/changes?since=2", [("If-None-Match", tag)])
    #expect(ahead.response.status == 409 && ahead.response.headers["ETag"] == nil)
  }

  @Test func `a poll that is answered with 304 stores the device's cursor`() async throws {
    let hub = try TestHub()
    try await hub.makeType()
    let target = "/changes?since=1&device=store&seen=1"
    let tag = try #require(try await ask(hub, "/changes?since=1").response.headers["ETag"])
    #expect(try await ask(hub, target, [("If-None-Match", tag)]).response.status == 304)
    let contact = try hub.storage.read(user: hub.user.id) { try $0.contact(device: "store") }
    #expect(contact?.cursor == 1)
  }

  @Test func `paths outside the record have a tag that depends on their content`() async throws {
    let hub = try TestHub()
    let phone = hub.token
    for target in ["/me/devices", "/companions", "/me/live"] {
      let tag = try #require(try await ask(hub, target).response.headers["ETag"])
      await hub.clock.advance(by: .seconds(90))
      #expect(try await ask(hub, target, [("If-None-Match", tag)]).response.status == 304)
    }
    let (tag, companions) = (
      try #require(try await ask(hub, "/me/devices").response.headers["ETag"]),
      try #require(try await ask(hub, "/companions").response.headers["ETag"])
    )
    let (_, laptop) = try hub.server.accounts.createToken(user: hub.user.id, deviceName: "laptop")
    #expect(try await ask(hub, "/me/devices", [("If-None-Match", tag)]).response.status == 200)
    let made = try await hub.send("POST", "/companions", ["companion_id": .string(laptop.id)], token: phone)
    #expect(made.status == 201)
    #expect(try await ask(hub, "/companions", [("If-None-Match", companions)]).response.status == 200)
  }

  @Test func `responses that depend on the time and problems have no tag`() async throws {
    let hub = try TestHub()
    #expect(try await ask(hub, "/insights").response.headers["ETag"] == nil)
    let missing = try await ask(hub, "/events/nothing")
    #expect(missing.response.status == 404 && missing.response.headers["ETag"] == nil)
  }
}

@Suite("Unix sockets", .timeLimit(.minutes(10)))
struct UnixSocketTests {
  private let path = FileManager.default.temporaryDirectory.appending(path: "hub-\(UUID().uuidString).sock").path

  /// Blocks a separate thread, because the handlers share the thread pool of the tests.
  private func ask(_ path: String) async -> String {
    await withCheckedContinuation { continuation in
      Thread { continuation.resume(returning: answer(at: path)) }.start()
    }
  }

  private func answer(at path: String) -> String {
    let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let status = withUnsafeBytes(of: &address) {
      connect(socket, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
    }
    guard status == 0 else { return "" }
    let request = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    _ = send(socket, request, request.utf8.count, Int32(MSG_NOSIGNAL))
    var (answer, buffer): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 4096))
    while true {
      let count = recv(socket, &buffer, buffer.count, 0)
      guard count > 0 else { return String(decoding: answer, as: UTF8.self) }
      answer += buffer[..<count]
    }
  }

  private func transport() -> SocketTransport { SocketTransport(address: "unix:\(path)") }

  private let handler: HTTPHandler = { request in
    HTTPResponse(status: 200, body: .data(Data("from \(request.remoteAddress)".utf8)))
  }

  @Test func `a hub serves a socket file closed to other users and deletes it when it stops`() async throws {
    let server = transport()
    #expect(try await server.start(handler: handler) == 0)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o660)
    let file = path
    let answer = await ask(file)
    #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.hasSuffix("from unix"), "\(answer)")
    await server.stop()
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func `the socket file of a killed hub is taken over, but not one in use`() async throws {
    // State after a kill: the socket file exists, but no process accepts connections.
    let left = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let status = withUnsafeBytes(of: &address) {
      bind(left, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
    }
    try #require(status == 0)
    close(left)
    let server = transport()
    _ = try await server.start(handler: handler)
    await #expect(throws: HTTPTransportError.portInUse(address: "unix:\(path)", port: 0)) {
      try await transport().start(handler: handler)
    }
    let file = path
    #expect(await ask(file).hasPrefix("HTTP/1.1 200"))
    await server.stop()
  }

  @Test func `an invalid socket path is rejected`() async throws {
    for bad in ["/nowhere/at/all.sock", "/" + String(repeating: "x", count: 120)] {
      await #expect(throws: HTTPTransportError.badAddress("unix:\(bad)")) {
        try await SocketTransport(address: "unix:\(bad)").start(handler: handler)
      }
    }
  }
}
