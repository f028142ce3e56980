import CommandSupport
import Foundation
import HubContainer
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Listening sockets inherited from the service manager (socket activation with `LISTEN_FDS`).
///
/// The socket named `ingest` (`FileDescriptorName=` in the socket unit) is for trackers that post to the agent. Any
/// other socket is for the hub.
struct InheritedSockets: Sendable {
  struct Listener: Sendable {
    let descriptor: Int32
    /// IP address, or `unix:/path` for a Unix socket.
    let address: String
    /// TCP port, or 0 for a Unix socket.
    let port: UInt16

    /// Address and port in the format of ``HubSettings/listen``.
    var endpoint: String {
      isUnix ? address : "\(address.contains(":") ? "[\(address)]" : address):\(port)"
    }
    var isUnix: Bool { address.hasPrefix("unix:") }
  }

  private(set) var hub: Listener?
  private(set) var ingest: Listener?

  init() {}

  /// Finds the sockets that the service manager passed to this process.
  /// - Throws: ``CommandError`` for a socket that this process would not serve. Connections to that socket would hang.
  init(environment: [String: String], role: DaemonRun.Role) throws(CommandError) {
    // If the process id differs, the variables were meant for another process.
    guard let pid = environment["LISTEN_PID"], pid == "\(getpid())" else { return }
    guard let count = environment["LISTEN_FDS"].flatMap(Int32.init), (0...64).contains(count) else {
      throw Self.unusable("LISTEN_FDS is not a valid number of sockets: '\(environment["LISTEN_FDS"] ?? "")'")
    }
    let names = (environment["LISTEN_FDNAMES"] ?? "").split(separator: ":", omittingEmptySubsequences: false)
    for number in 0..<count {
      // Inherited sockets start at descriptor 3 (sd_listen_fds(3)).
      let descriptor = 3 + number
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      let name = names.count == Int(count) ? String(names[Int(number)]) : ""
      let listener = try Self.listener(descriptor, name: name)
      let isIngest = name == "ingest"
      guard isIngest ? role != .hub : role != .agent else {
        throw Self.unusable(
          "Socket '\(name)' is for the \(isIngest ? "agent" : "hub"), which this process does not run")
      }
      guard !isIngest || !listener.isUnix else {
        throw Self.unusable("Socket 'ingest' is a Unix socket, which trackers cannot reach")
      }
      guard (isIngest ? ingest : hub) == nil else {
        throw Self.unusable("More than one socket is set for the \(isIngest ? "agent" : "hub")")
      }
      if isIngest { ingest = listener } else { hub = listener }
    }
  }

  private static func listener(_ descriptor: Int32, name: String) throws(CommandError) -> Listener {
    var listens: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let status = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    let family = Int32(storage.ss_family)
    guard status == 0, [AF_INET, AF_INET6, AF_UNIX].contains(family),
      getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) == 0, listens != 0
    else { throw unusable("Descriptor \(descriptor) ('\(name)') is not a listening TCP or Unix socket") }
    if family == AF_UNIX { return try unixListener(descriptor, name: name, storage) }
    var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let isNamed = withUnsafePointer(to: storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getnameinfo($0, size, &host, socklen_t(host.count), nil, 0, NI_NUMERICHOST)
      }
    }
    guard isNamed == 0 else { throw unusable("Cannot read the address of descriptor \(descriptor)") }
    // The port is at the same offset for IPv4 and IPv6.
    let port = withUnsafeBytes(of: storage) { UInt16(bigEndian: $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self)) }
    let address = String(decoding: host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return Listener(descriptor: descriptor, address: address, port: port)
  }

  private static func unixListener(
    _ descriptor: Int32, name: String, _ storage: sockaddr_storage
  ) throws(CommandError) -> Listener {
    let bytes = withUnsafeBytes(of: storage) {
      $0.dropFirst(MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 0).prefix { $0 != 0 }
    }
    // The hub does not support abstract and unnamed sockets.
    guard bytes.first == UInt8(ascii: "/") else {
      throw unusable("Descriptor \(descriptor) ('\(name)') is a Unix socket without a path")
    }
    return Listener(descriptor: descriptor, address: "unix:" + String(decoding: bytes, as: UTF8.self), port: 0)
  }

  private static func unusable(_ what: String) -> CommandError {
    CommandError(
      what,
      hint:
        "In the socket unit, set ListenStream= to one port or path, and FileDescriptorName= to hub or ingest, to match --role.",
      exit: .configuration)
  }
}
