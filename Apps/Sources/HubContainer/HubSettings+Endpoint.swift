public import CommandSupport
import Foundation
import TrendyHub

extension HubSettings {
  public struct Endpoint: Hashable, Sendable {
    /// Host name or IP address, or `unix:/path` for a Unix socket.
    public var address: String
    /// TCP port, or 0 for a Unix socket or a free port chosen by the system.
    public var port: UInt16

    public init?(_ text: String) {
      if text.hasPrefix("unix:") {
        guard text.hasPrefix("unix:/") else { return nil }
        (address, port) = (text, 0)
        return
      }
      guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
        return nil
      }
      address = text[..<colon].trimmingCharacters(in: ["[", "]"])
      self.port = port
      if address.isEmpty { return nil }
    }

    /// Whether the address denotes all networks of the machine: `0.0.0.0` or `::`.
    public var isWildcard: Bool { NetworkAddress(address)?.isUnspecified ?? false }

    /// Path of the Unix socket, or `nil` for a TCP port.
    public var path: String? { address.hasPrefix("unix:") ? String(address.dropFirst("unix:".count)) : nil }
  }

  public func endpoint() throws(CommandError) -> Endpoint {
    let text = listen ?? Self.standardListen
    guard let endpoint = Endpoint(text) else {
      throw Self.invalid("--listen", text, "Use an address such as 127.0.0.1:8787 or unix:/run/trendy/hub.sock.")
    }
    return endpoint
  }

  /// Returns the URL for devices: the configured URL, or one built from the first host name or the listening address.
  ///
  /// `port` is the port on which the hub is listening, or `nil` for the configured port. Returns `nil` if the port is
  /// unknown, or if the hub listens on all networks without a host name.
  /// - Throws: ``CommandError`` if a setting is invalid.
  public func url(port: UInt16? = nil) throws(CommandError) -> String? {
    let endpoint = try endpoint()
    if let address { return address }
    // A hub on a Unix socket is behind a proxy with an unknown name and port.
    guard endpoint.path == nil, case let port = port ?? endpoint.port, port != 0 else { return nil }
    guard let host = hosts.first ?? (endpoint.isWildcard ? nil : endpoint.address) else { return nil }
    return "http://\(Self.bracketed(host)):\(port)"
  }

  /// Host names that requests may use, in addition to names of the loopback interface.
  var names: [String] { hosts + [address.flatMap(Self.host)].compactMap(\.self) }

  /// Returns the host name in a URL for devices, or `nil` if the URL is invalid.
  static func host(of address: String) -> String? {
    guard let url = URL(string: address), ["http", "https"].contains(url.scheme), let host = url.host(), !host.isEmpty,
      url.query() == nil, url.fragment() == nil, url.user() == nil
    else { return nil }
    return host
  }

  /// Whether a URL uses HTTP without TLS to another machine, which requires the user's consent.
  public static func isClearText(_ address: String) -> Bool {
    guard let url = URL(string: address), url.scheme == "http", let host = url.host() else { return false }
    return host != "localhost"
      && !(NetworkAddress(host).map { $0.description.hasPrefix("127.") || $0.description == "::1" } ?? false)
  }

  /// Returns the URL for reaching the hub from this machine.
  public static func url(address: String, port: UInt16) -> String {
    if address.hasPrefix("unix:") { return address }
    return "http://\(bracketed(NetworkAddress(address)?.isUnspecified == true ? "127.0.0.1" : address)):\(port)"
  }

  private static func bracketed(_ host: String) -> String {
    host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
  }

  /// Returns a hint if the URL for devices is unknown, as in ``url(port:)``, otherwise `nil`.
  /// - Throws: ``CommandError`` if a setting is invalid.
  public func missingAddressHint(port: UInt16? = nil) throws(CommandError) -> String? {
    let endpoint = try endpoint()
    guard address == nil else { return nil }
    if let path = endpoint.path {
      return
        "Devices cannot reach \(path). Specify the address of the proxy in front of it: --url https://hub.example"
    }
    if (port ?? endpoint.port) == 0 {
      return
        "The hub uses any free port and reports it when it starts. For a fixed port, add "
        + "--listen \(endpoint.address):8787 to 'hub init' or 'run'."
    }
    guard endpoint.isWildcard, hosts.isEmpty else { return nil }
    return
      "\(endpoint.address) means all networks of this machine. Add the name or address that devices use to 'hub init' or 'run': "
      + "--host NAME"
  }
}
