public import TrendyFoundation
#if canImport(Glibc)
  public import Glibc
#elseif canImport(Musl)
  public import Musl
#elseif canImport(Darwin)
  public import Darwin
#endif

/// Socket that notifies a running agent of changes to its store.
///
/// Each notification is a datagram. Losing a notification is harmless, because the changes have already been saved and
/// an agent syncs all pending changes on startup.
public struct AgentSignal: Hashable, Sendable {
  public let path: String

  /// Reason for a notification.
  public enum Word: UInt8, Hashable, Sendable {
    /// The store has changed. The agent syncs and updates the status.
    case changed = 1
    /// Positions were added that did not change the store. The agent only updates the live status.
    case told = 2
  }

  /// Creates a signal for the agent of the store in `storeDirectory`.
  public init(storeDirectory: URL) {
    path = storeDirectory.appending(path: "agent.sock").path
  }

  /// Notifies the agent without blocking.
  /// - Returns: whether an agent is running and has received the notification.
  @discardableResult
  public func send(_ word: Word = .changed) -> Bool {
    guard let address = UnixAddress(path: path) else { return false }
    let descriptor = socket(AF_UNIX, UnixAddress.datagram, 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var byte = word.rawValue
    return address.withSockaddr { sendto(descriptor, &byte, 1, Int32(MSG_DONTWAIT), $0, $1) } == 1
  }

  /// Whether an agent is running. Connects to the socket, because a killed agent leaves its socket file behind.
  public var isHeard: Bool {
    guard let address = UnixAddress(path: path) else { return false }
    let descriptor = socket(AF_UNIX, UnixAddress.datagram, 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return address.withSockaddr { connect(descriptor, $0, $1) } == 0
  }
}

/// Address of a Unix socket, which is a path or, on Linux, an abstract name.
public struct UnixAddress: Sendable {
  private var address = sockaddr_un()
  /// Length of the address in bytes, which must be exact for abstract names, because zero bytes in them are
  /// significant.
  private var length = MemoryLayout<sockaddr_un>.size

  #if canImport(Glibc)
    public static let datagram = Int32(SOCK_DGRAM.rawValue)
    public static let stream = Int32(SOCK_STREAM.rawValue)
  #else
    public static let datagram = SOCK_DGRAM
    public static let stream = SOCK_STREAM
  #endif

  /// Creates an address from a path, or returns `nil` if the path exceeds the system's limit, 107 bytes on Linux.
  public init?(path: String) {
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
  }

  #if !canImport(Darwin)
    /// Creates an address from an abstract name, or returns `nil` if the name is empty or too long.
    /// - Parameter name: name without the leading zero byte.
    public init?(abstractName name: String) {
      let bytes = [0] + Array(name.utf8)
      guard bytes.count > 1, bytes.count <= MemoryLayout.size(ofValue: address.sun_path) else { return nil }
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
      length = MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + bytes.count  // never nil for a stored property
    }
  #endif

  /// Calls `body` with the address in the form that system calls expect. The pointer is valid only during the call.
  public func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    withUnsafeBytes(of: address) { bytes in
      // System calls expect a pointer to `sockaddr` and determine the actual layout from the address family.
      body(bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(length))
    }
  }
}
