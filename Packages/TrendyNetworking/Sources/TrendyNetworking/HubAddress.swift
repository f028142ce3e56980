public import TrendyFoundation

/// Where a hub answers, checked: `https`, or `http` to this machine alone unless that is asked for.
public struct HubAddress: Hashable, Sendable {
  /// The root of the hub's API, without a slash at its end: `https://hub.example/api/v1`.
  public let url: URL
  /// What a person calls the hub: its host, and its port where one is given. No secret is ever part of it.
  public let name: String

  /// - Parameters:
  ///   - url: with or without `/api/v1`; a path before it is kept.
  ///   - allowsInsecureHTTP: whether the token may cross a network in clear text.
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

  /// As a person types it. Without a scheme it is `https`, or `http` where the host is this machine.
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
  /// Where a server that is no hub answers, for requests whose path is their own; `nil` for what is no `http` or `https`.
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
  public var description: String { url.absoluteString }
}

extension HubAddress {
  private static let apiPath = "/api/v1"

  /// The host where it is this machine and nothing hides the token on the way; `nil` for every other address.
  var clearTextHost: String? {
    guard url.scheme == "http", let host = url.host(percentEncoded: false), Self.isLoopback(host) else { return nil }
    return host
  }

  /// 127.0.0.0/8, ::1 and `localhost` (RFC 6761): what never leaves the machine.
  static func isLoopback(_ host: String) -> Bool {
    let host = host.lowercased()
    if host == "localhost" || host == "::1" || host == "[::1]" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil && $0.allSatisfy(\.isNumber) }
  }

  /// For words about an address that was refused: a password in it stays out of them.
  private static func withoutSecrets(_ text: String) -> String {
    guard let at = text.lastIndex(of: "@") else { return text }
    return "…" + text[at...]
  }
}

/// Why a text or URL is no address of a hub.
public enum HubAddressError: Error, Hashable, Sendable {
  /// Not `http` or `https`, no host, or with a user, a query or a fragment.
  case notAnAddress(String)
  /// `http` to another machine: whoever listens on the way would have the token.
  case insecure(host: String)
}

extension HubAddressError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notAnAddress(let text):
      "\"\(text)\" is not the address of a hub: give one such as https://hub.example"
    case .insecure(let host):
      "http:// to \(host) would send the token in clear text: use https://, or allow it expressly"
    }
  }
}
