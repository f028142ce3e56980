public import TrendyFoundation
#if canImport(Glibc)
  public import Glibc
#elseif canImport(Musl)
  public import Musl
#elseif canImport(Darwin)
  public import Darwin
#endif

/// Wakes the agent of a store, if one runs: a datagram to a socket in the store's folder.
///
/// A hint and nothing more. Whoever writes has saved before; an agent that is not there will find the change when it starts.
public struct AgentSignal: Hashable, Sendable {
  public let path: String

  /// What there is to know.
  public enum Word: UInt8, Hashable, Sendable {
    /// The record is another: there may be something for the hub, and something to show.
    case changed = 1
    /// Devices told something that the record does not have: it is to be shown, and the hub need not be asked.
    case told = 2
  }

  public init(storeDirectory: URL) {
    path = storeDirectory.appending(path: "agent.sock").path
  }

  /// Never waits, never fails.
  /// - Returns: whether an agent hears it.
  @discardableResult
  public func send(_ word: Word = .changed) -> Bool {
    guard let address = UnixAddress(path: path) else { return false }
    let descriptor = socket(AF_UNIX, UnixAddress.datagram, 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var byte = word.rawValue
    return address.withSockaddr { sendto(descriptor, &byte, 1, Int32(MSG_DONTWAIT), $0, $1) } == 1
  }

  /// Whether an agent runs: the file of a dead one is there and nobody hears it.
  public var isHeard: Bool {
    guard let address = UnixAddress(path: path) else { return false }
    let descriptor = socket(AF_UNIX, UnixAddress.datagram, 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return address.withSockaddr { connect(descriptor, $0, $1) } == 0
  }
}

/// The address of a socket of this machine: a path in the file system, or on Linux an abstract name.
public struct UnixAddress: Sendable {
  private var address = sockaddr_un()
  /// In bytes; of an abstract name, in which zero bytes count, exactly as many as it has.
  private var length = MemoryLayout<sockaddr_un>.size

  #if canImport(Glibc)
    public static let datagram = Int32(SOCK_DGRAM.rawValue)
    public static let stream = Int32(SOCK_STREAM.rawValue)
  #else
    public static let datagram = SOCK_DGRAM
    public static let stream = SOCK_STREAM
  #endif

  /// `nil` for a path longer than an address can hold (107 bytes on Linux).
  public init?(path: String) {
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
  }

  #if !canImport(Darwin)
    /// An abstract address, which is in no file system.
    /// - Parameter name: without the zero byte that begins it.
    public init?(abstractName name: String) {
      let bytes = [0] + Array(name.utf8)
      guard bytes.count > 1, bytes.count <= MemoryLayout.size(ofValue: address.sun_path) else { return nil }
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
      length = MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + bytes.count  // a stored property has an offset
    }
  #endif

  public func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    withUnsafeBytes(of: address) { bytes in
      // A sockaddr_un is laid out to be read as a sockaddr.
      body(bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(length))
    }
  }
}
