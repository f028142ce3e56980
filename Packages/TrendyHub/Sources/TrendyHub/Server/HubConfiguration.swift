/// Settings of a hub.
public struct HubConfiguration: Hashable, Sendable {
  /// Name of the hub, which a device receives when it is paired.
  public var name: String
  /// Host names and addresses that requests may use besides loopback, without scheme and port.
  public var allowedHosts: [String]
  /// Addresses or blocks (``NetworkAddressRange``) of reverse proxies whose `X-Forwarded-For` is trusted.
  ///
  /// Invalid entries are ignored.
  public var trustedProxies: [String] { didSet { proxyRanges = trustedProxies.compactMap { NetworkAddressRange($0) } } }
  /// Maximum number of each device's requests per minute, or `nil` for no limit. Further requests receive status 429.
  public var requestsPerMinute: Int?
  /// Size in bytes at which a snapshot part ends, at least 1. Bounds the memory used by the hub and the device.
  public var snapshotPartBytes: Int

  /// Maximum number of open change streams. Further requests for one receive status 503.
  ///
  /// Each stream occupies a connection, so the value should be below the limit on connections.
  public var streams: Int

  /// Default quota, for users without an individual one.
  public var quota: HubQuota

  /// Source of map tiles, or `nil` for maps without tiles.
  public var tiles: MapTiles?

  private var proxyRanges: [NetworkAddressRange] = []

  public init(
    name: String = "trendy", allowedHosts: [String] = [], trustedProxies: [String] = [], requestsPerMinute: Int? = 1200,
    snapshotPartBytes: Int = 1 << 20, streams: Int = 256,
    quota: HubQuota = HubQuota(), tiles: MapTiles? = nil
  ) {
    self.name = name
    self.allowedHosts = allowedHosts
    self.trustedProxies = trustedProxies
    self.requestsPerMinute = requestsPerMinute
    self.snapshotPartBytes = max(snapshotPartBytes, 1)
    self.streams = streams
    self.quota = quota
    self.tiles = tiles
    proxyRanges = trustedProxies.compactMap { NetworkAddressRange($0) }
  }

  /// Returns the client's address.
  ///
  /// For requests through a Unix socket or trusted proxies, this is the last address in `X-Forwarded-For` that is not a
  /// trusted proxy, because a client can forge earlier ones. A list that does not end with an address is ignored.
  func sender(of request: HTTPRequest) -> String {
    guard isTrusted(request.remoteAddress) else { return request.remoteAddress }
    var sender = request.remoteAddress
    let named = request.headers.values(of: "X-Forwarded-For").joined(separator: ",").split(separator: ",")
    for entry in named.suffix(Self.longestChain).reversed() {
      guard let address = Self.address(inEntry: entry) else { return sender }
      sender = "\(address)"
      guard isTrusted(sender) else { return sender }
    }
    return sender
  }

  private func isTrusted(_ address: String) -> Bool {
    // The operator controls which processes can connect to the socket file.
    if address == NetworkAddress.unixSocket { return true }
    guard !proxyRanges.isEmpty, let address = NetworkAddress(address) else { return false }
    return proxyRanges.contains { $0.contains(address) }
  }

  /// Parses an address. Some proxies append a port: `192.0.2.1:4711`, `[2001:db8::1]:4711`.
  private static func address(inEntry entry: Substring) -> NetworkAddress? {
    var text = entry.drop { $0 == " " }.prefix { $0 != " " }
    if text.hasPrefix("[") {
      text = text.dropFirst().prefix { $0 != "]" }
    } else if text.count(where: { $0 == ":" }) == 1 {
      text = text.prefix { $0 != ":" }
    }
    return NetworkAddress(text)
  }

  private static let longestChain = 16

  static let loopbackHosts = ["localhost", "127.0.0.1", "[::1]"]

  /// Returns whether the hub accepts a host name, which may include a port.
  func allows(host: String) -> Bool {
    var name = host.lowercased()
    if let colon = name.lastIndex(of: ":"), name[colon...].dropFirst().allSatisfy(\.isASCIIDigit),
      !name.hasPrefix("[") || name[..<colon].hasSuffix("]")
    {
      name = String(name[..<colon])
    }
    return Self.loopbackHosts.contains(name) || allowedHosts.contains { $0.lowercased() == name }
  }

  /// Checks the `Host` and `Origin` headers.
  ///
  /// - Throws: A ``Problem`` if the host name is not allowed or the request comes from a page of another site.
  func check(namesOf request: HTTPRequest) throws(Problem) {
    if let host = request.headers["Host"], !allows(host: host) {
      throw Problem(
        "host_not_allowed", status: 403, title: "Host not allowed",
        detail: "\"\(host.prefix(100))\" is not a configured host name of this hub: add it to the hub's configuration")
    }
    if let origin = request.headers["Origin"], !allows(origin: origin) {
      throw Problem(
        "origin_not_allowed", status: 403, title: "Origin not allowed",
        detail: "pages of \"\(origin.prefix(100))\" may not send requests to this hub")
    }
  }

  func allows(origin: String) -> Bool {
    for scheme in ["http://", "https://"] where origin.lowercased().hasPrefix(scheme) {
      return allows(host: String(origin.dropFirst(scheme.count)))
    }
    return false
  }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
