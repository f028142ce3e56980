/// What the one who runs a hub decides.
public struct HubConfiguration: Hashable, Sendable {
  /// What the hub calls itself to a device that is paired.
  public var name: String
  /// Names and addresses besides loopback under which the hub is asked, without scheme and port.
  public var allowedHosts: [String]

  public init(name: String = "trendy", allowedHosts: [String] = []) {
    self.name = name
    self.allowedHosts = allowedHosts
  }

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
