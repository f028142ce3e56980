#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import Synchronization

/// Shows a notice on the desktop, by `org.freedesktop.Notifications` on the session bus (Desktop Notifications Specification 1.2).
///
/// It speaks as much of the D-Bus protocol (specification 0.43) as one call takes, so that nothing need be installed or
/// linked. Where there is no bus, or nobody on it who shows notices, nothing happens: a notice is a courtesy.
public final class DesktopNotifier: Sendable {
  /// A socket in the file system, or an abstract one, whose path begins with a zero byte.
  private let path: [UInt8]
  /// What the last notice of a topic is called by who shows it.
  private let shown = Mutex<[String: UInt32]>([:])

  /// `nil` where this session has no bus.
  public init?(environment: [String: String]) {
    if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty {
      guard let path = Self.path(ofAddress: address) else { return nil }
      self.path = path
    } else if let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/"),
      FileManager.default.fileExists(atPath: runtime + "/bus")
    {
      path = Array((runtime + "/bus").utf8)
    } else {
      return nil
    }
  }

  /// The first socket of this machine in a list such as `unix:path=/run/user/1000/bus,guid=…;tcp:host=…`.
  package static func path(ofAddress address: String) -> [UInt8]? {
    for entry in address.split(separator: ";") where entry.hasPrefix("unix:") {
      for pair in entry.dropFirst("unix:".count).split(separator: ",") {
        guard let equals = pair.firstIndex(of: "=") else { continue }
        let value = unescaped(pair[pair.index(after: equals)...])
        switch pair[..<equals] {
        case "path": return value
        case "abstract": return [0] + value
        default: continue
        }
      }
    }
    return nil
  }

  private static func unescaped(_ text: Substring) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2,
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return bytes
  }

  /// Shows a notice, if that can be done within seconds. Blocks: for a thread of its own.
  /// - Parameters:
  ///   - body: plain text.
  ///   - topic: what it is about; it takes the place of the last one of the same, where that can still be seen.
  /// - Returns: whether somebody took it.
  @discardableResult
  public func notify(summary: String, body: String, topic: String? = nil) -> Bool {
    let replaced = topic.flatMap { topic in shown.withLock { $0[topic] } } ?? 0
    guard let descriptor = connected() else { return false }
    defer { close(descriptor) }
    // EXTERNAL: the kernel tells the bus who we are, the name is only repeated (in hexadecimal of its digits).
    let user = "\(getuid())".utf8.map { String($0, radix: 16) }.joined()
    guard send([0] + Array("AUTH EXTERNAL \(user)\r\n".utf8), to: descriptor),
      let answer = receiveLine(from: descriptor), answer.starts(with: Array("OK ".utf8)),
      send(
        Array("BEGIN\r\n".utf8) + DBusMessage.hello(serial: 1)
          + DBusMessage.notify(serial: 2, replacing: replaced, summary: summary, body: body), to: descriptor)
    else { return false }
    // The bus drops what a caller who has gone still wanted: both answers are waited for.
    guard receiveReply(from: descriptor) != nil, let reply = receiveReply(from: descriptor) else { return false }
    if let topic, let id = reply.number {
      shown.withLock { shown in
        // Of long ago nothing is seen any more.
        if shown.count >= 64 { shown = [:] }
        shown[topic] = id
      }
    }
    return true
  }

  private func connected() -> Int32? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    // Of an abstract name the length counts.
    let length = socklen_t(MemoryLayout<sa_family_t>.size + path.count + (path.first == 0 ? 0 : 1))
    let descriptor = socket(AF_UNIX, UnixAddress.stream, 0)
    guard descriptor >= 0 else { return nil }
    var patience = timeval(tv_sec: 3, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(descriptor, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
    }
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, length) }
    }
    guard status == 0 else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  private func send(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      guard written > 0 else { return false }
      rest = rest.dropFirst(written)
    }
    return true
  }

  private func receive(_ count: Int, from descriptor: Int32) -> [UInt8]? {
    var bytes: [UInt8] = []
    while bytes.count < count {
      var buffer = [UInt8](repeating: 0, count: count - bytes.count)
      let received = read(descriptor, &buffer, buffer.count)
      guard received > 0 else { return nil }
      bytes += buffer.prefix(received)
    }
    return bytes
  }

  private func receiveLine(from descriptor: Int32) -> [UInt8]? {
    var line: [UInt8] = []
    while line.count < 512, let byte = receive(1, from: descriptor)?.first {
      if byte == UInt8(ascii: "\n") { return line }
      line.append(byte)
    }
    return nil
  }

  private struct Reply {
    var number: UInt32?
  }

  /// The next answer to a call, with the number that its content begins with; signals are passed over, and `nil` is a refusal.
  private func receiveReply(from descriptor: Int32) -> Reply? {
    while let head = receive(16, from: descriptor) {
      guard let rest = DBusMessage.restCount(ofHead: head), let bytes = receive(rest, from: descriptor) else {
        return nil
      }
      if head[1] == DBusMessage.error { return nil }
      if head[1] == DBusMessage.methodReturn { return Reply(number: DBusMessage.number(head: head, rest: bytes)) }
    }
    return nil
  }
}

/// Messages of D-Bus, in little endian.
package enum DBusMessage {
  static let methodReturn: UInt8 = 2
  static let error: UInt8 = 3

  package static func hello(serial: UInt32) -> [UInt8] {
    call(
      "Hello", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus", to: "org.freedesktop.DBus", serial: serial,
      signature: nil, body: Writer())
  }

  /// - Parameter id: of the notice whose place it takes; 0 for none.
  package static func notify(serial: UInt32, replacing id: UInt32 = 0, summary: String, body text: String) -> [UInt8] {
    let name = "org.freedesktop.Notifications"
    var body = Writer()
    body.string("Trendy")
    body.number(id)
    body.string("")  // no icon
    body.string(summary)
    // A server may take it for markup.
    body.string(text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;"))
    body.number(0)  // no actions
    body.number(0)  // no hints
    body.align(to: 8)  // the first of no entries
    body.number(UInt32(bitPattern: -1))  // as long as the server shows such
    return call(
      "Notify", of: name, at: "/org/freedesktop/Notifications", to: name, serial: serial, signature: "susssasa{sv}i",
      body: body)
  }

  /// The number that a message's content begins with; `nil` where it has none.
  static func number(head: [UInt8], rest: [UInt8]) -> UInt32? {
    func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
      (head[0] == UInt8(ascii: "l") ? bytes.reversed() : Array(bytes)).reduce(0) { $0 << 8 | UInt32($1) }
    }
    let count = Int(number(head[4..<8]))
    guard count >= 4, count <= rest.count else { return nil }
    return number(rest.suffix(count).prefix(4))
  }

  /// Bytes that follow the first 16 of a message; `nil` for what is none, or for one that is too long to be meant for us.
  package static func restCount(ofHead head: [UInt8]) -> Int? {
    func number(_ place: Int) -> Int {
      let bytes = head[place..<place + 4]
      return (head[0] == UInt8(ascii: "l") ? bytes.reversed() : Array(bytes)).reduce(0) { $0 << 8 | Int($1) }
    }
    guard head.count == 16, head[0] == UInt8(ascii: "l") || head[0] == UInt8(ascii: "B") else { return nil }
    let count = (number(12) + 7) / 8 * 8 + number(4)
    return count <= 1 << 20 ? count : nil
  }

  private static func call(
    _ member: String, of interface: String, at path: String, to destination: String, serial: UInt32,
    signature: String?, body: Writer
  ) -> [UInt8] {
    var fields = Writer()
    for (code, type, value) in [(1, "o", path), (2, "s", interface), (3, "s", member), (6, "s", destination)] {
      fields.align(to: 8)
      fields.bytes.append(UInt8(code))
      fields.signature(type)
      fields.string(value)
    }
    if let signature {
      fields.align(to: 8)
      fields.bytes.append(8)
      fields.signature("g")
      fields.signature(signature)
    }
    var message = Writer()
    message.bytes = [UInt8(ascii: "l"), 1, 0, 1]
    message.number(UInt32(body.bytes.count))
    message.number(serial)
    message.number(UInt32(fields.bytes.count))
    // The fields begin at byte 16, where alignments are what they were from 0.
    message.bytes += fields.bytes
    message.align(to: 8)
    return message.bytes + body.bytes
  }

  struct Writer {
    var bytes: [UInt8] = []

    mutating func align(to width: Int) { while bytes.count % width != 0 { bytes.append(0) } }

    mutating func number(_ value: UInt32) {
      align(to: 4)
      withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
    }

    mutating func string(_ text: String) {
      // A zero byte would end it.
      let text = text.utf8.filter { $0 != 0 }
      number(UInt32(text.count))
      bytes += text + [0]
    }

    mutating func signature(_ text: String) { bytes += [UInt8(text.utf8.count)] + Array(text.utf8) + [0] }
  }
}
