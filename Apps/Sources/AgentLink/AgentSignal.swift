public import TrendyFoundation
#if canImport(Glibc)
  public import Glibc
#elseif canImport(Musl)
  public import Musl
#elseif canImport(Darwin)
  public import Darwin
#endif

/// Wakes the agent of a store, if it is running, with a datagram to a socket in the store folder.
///
/// A lost signal is harmless: the change is already saved, and an agent finds it at its start.
public struct AgentSignal: Hashable, Sendable {
  public let path: String

  /// Kind of notification.
  public enum Word: UInt8, Hashable, Sendable {
    /// The store has changed: there may be something to sync and to display.
    case changed = 1
    /// Positions were added without a change of the store: only the live status is affected.
    case told = 2
  }

  /// Addresses the agent of the store in a folder.
  public init(storeDirectory: URL) {
    path = storeDirectory.appending(path: "agent.sock").path
  }

  /// Notifies the agent without blocking.
  /// - Returns: whether an agent received the notification.
  @discardableResult
  public func send(_ word: Word = .changed) -> Bool {
    guard let address = UnixAddress(path: path) else { return false }
    let descriptor = socket(AF_UNIX, UnixAddress.datagram, 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var byte = word.rawValue
    return address.withSockaddr { sendto(descriptor, &byte, 1, Int32(MSG_DONTWAIT), $0, $1) } == 1
  }

  /// Whether an agent is running; a socket file may be left by a dead one.
  public var isHeard: Bool {
    guard let address = UnixAddress(path: path) else { return false }
    let descriptor = socket(AF_UNIX, UnixAddress.datagram, 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return address.withSockaddr { connect(descriptor, $0, $1) } == 0
  }
}

/// Address of a local socket: a path, or an abstract name on Linux.
public struct UnixAddress: Sendable {
  private var address = sockaddr_un()
  /// Length in bytes; exact for an abstract name, in which zero bytes are significant.
  private var length = MemoryLayout<sockaddr_un>.size

  #if canImport(Glibc)
    public static let datagram = Int32(SOCK_DGRAM.rawValue)
    public static let stream = Int32(SOCK_STREAM.rawValue)
  #else
    public static let datagram = SOCK_DGRAM
    public static let stream = SOCK_STREAM
  #endif

  /// Returns `nil` for a path that is too long (more than 107 bytes on Linux).
  public init?(path: String) {
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
  }

  #if !canImport(Darwin)
    /// Creates an abstract address.
    /// - Parameter name: name without the leading zero byte.
    public init?(abstractName name: String) {
      let bytes = [0] + Array(name.utf8)
      guard bytes.count > 1, bytes.count <= MemoryLayout.size(ofValue: address.sun_path) else { return nil }
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
      length = MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + bytes.count  // stored properties have an offset
    }
  #endif

  /// Calls `body` with the address in the form that system calls expect, valid only during the call.
  public func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    withUnsafeBytes(of: address) { bytes in
      // The layouts of sockaddr_un and sockaddr are compatible.
      body(bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(length))
    }
  }
}
