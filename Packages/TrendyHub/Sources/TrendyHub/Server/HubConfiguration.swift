/// What the one who runs a hub decides.
public struct HubConfiguration: Hashable, Sendable {
  /// What the hub calls itself to a device that is paired.
  public var name: String
  /// Names and addresses besides loopback under which the hub is asked, without scheme and port.
  public var allowedHosts: [String]
  /// Addresses or blocks of them (``NetworkAddressRange``) of reverse proxies: what they say in `X-Forwarded-For` is believed, and
  /// nobody else's. Text that is neither is nobody.
  public var trustedProxies: [String] { didSet { proxyRanges = trustedProxies.compactMap { NetworkAddressRange($0) } } }
  /// What one device may ask in a minute; beyond it 429. `nil` for no limit.
  public var requestsPerMinute: Int?
  /// Bytes of entries from which a part of a snapshot is full, at least 1: what both sides have in memory of it at once.
  public var snapshotPartBytes: Int

  /// Streams of changes open at once; beyond it 503. Each takes a connection: fewer than there may be leave some for requests.
  public var streams: Int

  /// How much the record of a person may hold who has no quota of their own.
  public var quota: HubQuota

  /// What the pages draw below their maps; `nil` for blank ground.
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

  /// Who really asks: behind a Unix socket and trusted proxies the last address of `X-Forwarded-For` that is none of theirs, as those before it may be
  /// made up. A list that ends in anything but an address says nothing.
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
    // Who may open the file was let in by the one who runs the hub.
    if address == NetworkAddress.unixSocket { return true }
    guard !proxyRanges.isEmpty, let address = NetworkAddress(address) else { return false }
    return proxyRanges.contains { $0.contains(address) }
  }

  /// Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`.
  private static func address(inEntry entry: Substring) -> NetworkAddress? {
    var text = entry.drop { $0 == " " }.prefix { $0 != " " }
    if text.hasPrefix("[") {
      text = text.dropFirst().prefix { $0 != "]" }
    } else if text.count(where: { $0 == ":" }) == 1 {
      text = text.prefix { $0 != ":" }
    }
    return NetworkAddress(text)
  }

  /// Proxies one behind the other, at most.
  private static let longestChain = 16

  static let loopbackHosts = ["localhost", "127.0.0.1", "[::1]"]

  /// Whether the hub goes by this name; `host` may have a port.
  func allows(host: String) -> Bool {
    var name = host.lowercased()
    if let colon = name.lastIndex(of: ":"), name[colon...].dropFirst().allSatisfy(\.isASCIIDigit),
      !name.hasPrefix("[") || name[..<colon].hasSuffix("]")
    {
      name = String(name[..<colon])
    }
    return Self.loopbackHosts.contains(name) || allowedHosts.contains { $0.lowercased() == name }
  }

  /// - Throws: a ``Problem`` for a name that the hub does not go by, and for pages of others.
  func check(namesOf request: HTTPRequest) throws(Problem) {
    if let host = request.headers["Host"], !allows(host: host) {
      throw Problem(
        "host_not_allowed", status: 403, title: "Host not allowed",
        detail: "this hub does not go by the name \"\(host.prefix(100))\": name it in the hub's configuration")
    }
    if let origin = request.headers["Origin"], !allows(origin: origin) {
      throw Problem(
        "origin_not_allowed", status: 403, title: "Origin not allowed",
        detail: "pages of \"\(origin.prefix(100))\" may not ask this hub")
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
