public import TrendyFoundation

/// Validated address of a hub: `https`, or `http` on this machine. `http` to another host must be explicitly allowed.
public struct HubAddress: Hashable, Sendable {
  /// Root of the hub's API without a trailing slash: `https://hub.example/api/v1`.
  public let url: URL
  /// Display name of the hub: its host, and its port if given. Contains no secrets.
  public let name: String

  /// Creates the address of a hub.
  ///
  /// - Parameters:
  ///   - url: address with or without `/api/v1`. A path prefix is kept.
  ///   - allowsInsecureHTTP: whether the token may be sent unencrypted over a network.
  public init(_ url: URL, allowsInsecureHTTP: Bool = false) throws(HubAddressError) {
    let text = url.absoluteString
    guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
      let host = url.host(percentEncoded: false)?.lowercased(), !host.isEmpty,
      url.user == nil, url.password == nil, url.query == nil, url.fragment == nil
    else { throw .notAnAddress(Self.withoutSecrets(text)) }
    guard scheme == "https" || allowsInsecureHTTP || Self.isLoopback(host) else { throw .insecure(host: host) }
    let isIPv6 = host.contains(":")
    name = (isIPv6 ? "[\(host)]" : host) + (url.port.map { ":\($0)" } ?? "")
    var path = url.path(percentEncoded: true)
    while path.hasSuffix("/") { path.removeLast() }
    if !path.hasSuffix(Self.apiPath) { path += Self.apiPath }
    guard let root = URL(string: "\(scheme)://\(name)\(path)") else { throw .notAnAddress(Self.withoutSecrets(text)) }
    self.url = root
  }

  /// Parses an address typed by the user. Without a scheme, it is `https`, or `http` for this machine.
  public init(_ text: String, allowsInsecureHTTP: Bool = false) throws(HubAddressError) {
    let trimmed = String(text.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    var address = trimmed
    if !trimmed.contains("://") {
      let isLocal = URL(string: "http://\(trimmed)")?.host(percentEncoded: false).map(Self.isLoopback) ?? false
      address = (isLocal ? "http://" : "https://") + trimmed
    }
    guard !trimmed.isEmpty, !trimmed.contains(where: { $0.isWhitespace || $0 == "<" || $0 == ">" || $0 == "\"" }),
      let url = URL(string: address)
    else { throw .notAnAddress(Self.withoutSecrets(text)) }
    try self.init(url, allowsInsecureHTTP: allowsInsecureHTTP)
  }
}

extension HubAddress {
  /// Creates the origin of a server other than a hub, for requests with complete paths. Returns `nil` unless the scheme
  /// is `http` or `https`.
  init?(originOf url: URL) {
    guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
      let host = url.host(percentEncoded: false)?.lowercased(), !host.isEmpty, url.user == nil
    else { return nil }
    name = (host.contains(":") ? "[\(host)]" : host) + (url.port.map { ":\($0)" } ?? "")
    guard let root = URL(string: "\(scheme)://\(name)") else { return nil }
    self.url = root
  }
}

extension HubAddress: CustomStringConvertible {
  /// URL of the API root.
  public var description: String { url.absoluteString }
}

extension HubAddress {
  private static let apiPath = "/api/v1"

  /// Host of a plain HTTP address on this machine, or `nil` for any other address.
  var clearTextHost: String? {
    guard url.scheme == "http", let host = url.host(percentEncoded: false), Self.isLoopback(host) else { return nil }
    return host
  }

  /// Whether a host is 127.0.0.0/8, ::1 or `localhost` (RFC 6761), whose traffic never leaves the machine.
  static func isLoopback(_ host: String) -> Bool {
    let host = host.lowercased()
    if host == "localhost" || host == "::1" || host == "[::1]" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil && $0.allSatisfy(\.isNumber) }
  }

  /// Removes the user and password from an address for use in an error message.
  private static func withoutSecrets(_ text: String) -> String {
    guard let at = text.lastIndex(of: "@") else { return text }
    return "…" + text[at...]
  }
}

/// Reason why an address is rejected.
public enum HubAddressError: Error, Hashable, Sendable {
  /// The address is neither `http` nor `https`, has no host, or contains a user, a query or a fragment.
  case notAnAddress(String)
  /// `http` to another machine would expose the token on the network.
  case insecure(host: String)
}

extension HubAddressError: CustomStringConvertible {
  /// Error message with the address and the remedy.
  public var description: String {
    switch self {
    case .notAnAddress(let text):
      "\"\(text)\" is not a hub address: use one such as https://hub.example"
    case .insecure(let host):
      "http:// to \(host) would send the token in clear text: use https://, or allow it explicitly"
    }
  }
}
