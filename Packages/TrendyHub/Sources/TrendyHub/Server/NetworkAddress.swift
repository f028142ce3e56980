#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A numeric IPv4 or IPv6 address.
///
/// An IPv4-mapped IPv6 address (RFC 4291, 2.5.5.2) is equal to the IPv4 address.
public struct NetworkAddress: Hashable, Sendable, CustomStringConvertible {
  /// Address bytes in network order, 4 or 16.
  let bytes: [UInt8]

  /// Placeholder for the address of a client connected through a Unix socket.
  static let unixSocket = "unix"

  /// Parses a numeric address, or returns `nil` for any other text. A zone (`%eth0`) is ignored.
  public init?(_ text: some StringProtocol) {
    let text = String(text.prefix { $0 != "%" })
    var four = in_addr()
    if inet_pton(AF_INET, text, &four) == 1 {
      bytes = withUnsafeBytes(of: four) { Array($0) }
      return
    }
    var sixteen = in6_addr()
    guard inet_pton(AF_INET6, text, &sixteen) == 1 else { return nil }
    let all = withUnsafeBytes(of: sixteen) { Array($0) }
    bytes = all.starts(with: Self.mappedPrefix) ? Array(all.suffix(4)) : all
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  /// Canonical text form (RFC 5952 for IPv6).
  public var description: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    _ = inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The IPv4 address, or the first 64 bits of an IPv6 address: a subscriber can choose the other 64 bits freely.
  var subscriber: NetworkAddress {
    bytes.count == 4 ? self : NetworkAddress(bytes: Array(bytes.prefix(8)) + [UInt8](repeating: 0, count: 8))
  }

  /// Whether the address denotes all addresses of the machine: `0.0.0.0`, `::`.
  public var isUnspecified: Bool { bytes.allSatisfy { $0 == 0 } }

  /// Whether the address is local to the machine: `127.0.0.0/8`, `::1`.
  public var isLoopback: Bool {
    bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
  }

  private static let mappedPrefix = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
}

/// A block of addresses such as `192.168.1.0/24` or `fd00::/8`, or a single address.
public struct NetworkAddressRange: Hashable, Sendable {
  private let base: NetworkAddress
  private let bits: Int

  /// Parses an address with an optional prefix length, or returns `nil` for any other text.
  public init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let base = NetworkAddress(first) else { return nil }
    self.base = base
    let width = base.bytes.count * 8
    guard parts.count == 2 else {
      bits = width
      return
    }
    guard parts[1].allSatisfy(\.isWholeNumber), let given = Int(parts[1]) else { return nil }
    // The prefix length of a mapped address includes the 96 bits before the IPv4 address.
    let isMapped = width == 32 && first.contains(":")
    guard (0...(isMapped ? 128 : width)).contains(given), !isMapped || given >= 96 else { return nil }
    bits = isMapped ? given - 96 : given
  }

  /// Returns whether an address is in the block. IPv4 and IPv6 addresses never match each other.
  public func contains(_ address: NetworkAddress) -> Bool {
    guard address.bytes.count == base.bytes.count else { return false }
    let whole = bits / 8
    guard address.bytes.prefix(whole).elementsEqual(base.bytes.prefix(whole)) else { return false }
    let rest = bits % 8
    return rest == 0 || (address.bytes[whole] ^ base.bytes[whole]) >> (8 - rest) == 0
  }
}
