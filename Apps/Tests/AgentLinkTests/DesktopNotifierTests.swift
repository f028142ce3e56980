import AgentLink
import Foundation
#if canImport(Glibc)
  import Glibc
#endif
import Synchronization
import Testing

@Suite("What a desktop is told", .timeLimit(.minutes(10)))
struct DesktopNotifierTests {
  @Test(
    arguments: [
      ("unix:path=/run/user/1000/bus,guid=abc", "/run/user/1000/bus"),
      ("unix:abstract=/tmp/dbus-x", "\u{0}/tmp/dbus-x"), ("tcp:host=a;unix:path=/tmp/a%20b", "/tmp/a b"),
      ("unix:guid=1", nil), ("tcp:host=localhost,port=1", nil), ("", nil), ("unix:path=%zz", "%zz"),
    ] as [(String, String?)])
  func `a bus's address names a socket, or none of this machine's`(address: String, path: String?) {
    #expect(DesktopNotifier.path(ofAddress: address) == path.map { Array($0.utf8) })
  }

  @Test func `a session without a bus has nobody to tell`() {
    #expect(DesktopNotifier(environment: [:]) == nil)
    let gone = DesktopNotifier(environment: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/no/such/bus"])
    #expect(gone?.notify(summary: "a", body: "b") == false)
  }

  @Test func `a call is laid out as the specification says`() {
    // Byte order, kind, flags, version; lengths of body and fields; serial: D-Bus specification, "Message Format".
    let hello = DBusMessage.hello(serial: 1)
    #expect(Array(hello.prefix(12)) == [0x6C, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0])
    #expect(hello.count % 8 == 0 && Array(hello[16..<24]) == [1, 1, 0x6F, 0, 21, 0, 0, 0])
    let notify = DBusMessage.notify(serial: 2, summary: "Trip", body: "a<b")
    let body = Int(notify[4]) | Int(notify[5]) << 8
    let fields = Int(notify[12])
    #expect(notify.count == 16 + (fields + 7) / 8 * 8 + body)
    #expect(DBusMessage.restCount(ofHead: Array(notify.prefix(16))) == notify.count - 16)
    #expect(String(decoding: notify, as: UTF8.self).contains("a&lt;b"))
    // As long as the server likes, which is the number minus one, at the end.
    #expect(Array(notify.suffix(4)) == [0xFF, 0xFF, 0xFF, 0xFF])
    #expect(DBusMessage.restCount(ofHead: [UInt8](repeating: 0, count: 16)) == nil)
  }

  @Test func `a notice takes the place of the last one of its topic, and of no other`() throws {
    let bus = try TestBus()
    defer { bus.end() }
    let notifier = try #require(DesktopNotifier(environment: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(bus.path)"]))
    #expect(notifier.notify(summary: "Trip started", body: "", topic: "a"))
    #expect(notifier.notify(summary: "Entered Home", body: ""))
    #expect(notifier.notify(summary: "Trip started", body: "", topic: "b"))
    #expect(notifier.notify(summary: "Trip ended", body: "7 km", topic: "a"))
    // What it replaced keeps its number.
    #expect(notifier.notify(summary: "Trip ended", body: "8 km", topic: "a"))
    #expect(bus.replaced == [0, 0, 0, 7, 7])
  }
}

/// A session bus with somebody on it who shows notices, the first as number 7, the next as 8; one caller at a time.
private final class TestBus: Sendable {
  let path: String
  private let listener: Int32
  private let calls = Mutex<[UInt32]>([])

  /// The numbers of the notices that were to be replaced, call by call.
  var replaced: [UInt32] { calls.withLock { $0 } }

  init() throws {
    path = FileManager.default.temporaryDirectory.appending(path: "bus-\(UUID().uuidString.prefix(8))").path
    let address = try #require(UnixAddress(path: path))
    let listener = socket(AF_UNIX, UnixAddress.stream, 0)
    let status = address.withSockaddr { bind(listener, $0, $1) == 0 && listen(listener, 4) == 0 }
    try #require(status)
    self.listener = listener
    Thread.detachNewThread { [self] in
      while case let client = accept(listener, nil, nil), client >= 0 {
        serve(client)
        close(client)
      }
    }
  }

  func end() {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
    try? FileManager.default.removeItem(atPath: path)  // left behind it would only take room
  }

  private func serve(_ client: Int32) {
    func read(_ count: Int) -> [UInt8]? {
      var bytes = [UInt8](repeating: 0, count: count)
      return count == 0 || recv(client, &bytes, count, Int32(MSG_WAITALL)) == count ? bytes : nil
    }
    func line() -> Bool {
      while let byte = read(1)?.first { if byte == 0xA { return true } }
      return false
    }
    func send(_ bytes: [UInt8]) { _ = bytes.withUnsafeBytes { write(client, $0.baseAddress, $0.count) } }
    guard read(1) == [0], line() else { return }
    send(Array("OK 0123\r\n".utf8))
    guard line() else { return }
    var serial: UInt8 = 0
    while let head = read(16), let rest = DBusMessage.restCount(ofHead: head), let message = read(rest) {
      serial += 1
      let body = Array(message.suffix(Int(head[4]) | Int(head[5]) << 8))
      var answer: [UInt8] = []
      if serial == 2 {
        // The length of "Trendy", the text and its end, then, aligned, what it replaces.
        let id = UInt32(body[12]) | UInt32(body[13]) << 8
        answer = calls.withLock { calls in
          let number = id == 0 ? UInt8(7 + calls.count) : UInt8(id)
          calls.append(id)
          return [number, 0, 0, 0]
        }
      }
      // A method return that says to which serial it answers (field 5, a number).
      send(
        [0x6C, 2, 0, 1, UInt8(answer.count), 0, 0, 0, serial, 0, 0, 0, 8, 0, 0, 0, 5, 1, 0x75, 0, serial, 0, 0, 0]
          + answer)
    }
  }
}
