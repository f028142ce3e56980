public import CommandSupport
import Foundation
import TrendyHub

extension HubSettings {
  public struct Endpoint: Hashable, Sendable {
    /// A name or a number, or `unix:/path`.
    public var address: String
    /// 0 for any free one, and of a Unix socket.
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

    /// Whether it stands for all networks of the machine, so that nobody can ask at it: `0.0.0.0`, `::`.
    public var isWildcard: Bool { NetworkAddress(address)?.isUnspecified ?? false }

    /// The path of a Unix socket.
    public var path: String? { address.hasPrefix("unix:") ? String(address.dropFirst("unix:".count)) : nil }
  }

  public func endpoint() throws(CommandError) -> Endpoint {
    let text = listen ?? Self.standardListen
    guard let endpoint = Endpoint(text) else {
      throw Self.invalid("--listen", text, "It looks like 127.0.0.1:8787, or unix:/run/trendy/hub.sock.")
    }
    return endpoint
  }

  /// Where devices find the hub: as it was told, else by its first name, else by the address at which it listens. `nil` where it listens
  /// everywhere and was told of no name, or at any free port, which only the hub that runs knows.
  /// - Parameter port: the one it really has.
  public func url(port: UInt16? = nil) throws(CommandError) -> String? {
    let endpoint = try endpoint()
    if let address { return address }
    // Which name and port the proxy has is not known here.
    guard endpoint.path == nil, case let port = port ?? endpoint.port, port != 0 else { return nil }
    guard let host = hosts.first ?? (endpoint.isWildcard ? nil : endpoint.address) else { return nil }
    return "http://\(Self.bracketed(host)):\(port)"
  }

  /// Names besides loopback's under which the hub is asked.
  var names: [String] { hosts + [address.flatMap(Self.host)].compactMap(\.self) }

  /// `nil` for what is no address of a hub.
  static func host(of address: String) -> String? {
    guard let url = URL(string: address), ["http", "https"].contains(url.scheme), let host = url.host(), !host.isEmpty,
      url.query() == nil, url.fragment() == nil, url.user() == nil
    else { return nil }
    return host
  }

  /// Whether devices are to ask at another machine without TLS, which they do only where a person allows it.
  public static func isClearText(_ address: String) -> Bool {
    guard let url = URL(string: address), url.scheme == "http", let host = url.host() else { return false }
    return host != "localhost"
      && !(NetworkAddress(host).map { $0.description.hasPrefix("127.") || $0.description == "::1" } ?? false)
  }

  /// The same for this machine alone.
  public static func url(address: String, port: UInt16) -> String {
    if address.hasPrefix("unix:") { return address }
    return "http://\(bracketed(NetworkAddress(address)?.isUnspecified == true ? "127.0.0.1" : address)):\(port)"
  }

  private static func bracketed(_ host: String) -> String {
    host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
  }

  /// What to do where devices cannot be told an address; `nil` where they can.
  /// - Parameter port: the one it really has.
  public func missingAddressHint(port: UInt16? = nil) throws(CommandError) -> String? {
    let endpoint = try endpoint()
    guard address == nil else { return nil }
    if let path = endpoint.path {
      return
        "Devices do not reach \(path): say at which address the proxy in front of it is: --url https://hub.example."
    }
    if (port ?? endpoint.port) == 0 {
      return
        "The hub takes any free port when it starts, and says then where it listens. For a port that stays: "
        + "--listen \(endpoint.address):8787 (at hub init, or at run)."
    }
    guard endpoint.isWildcard, hosts.isEmpty else { return nil }
    return
      "\(endpoint.address) means every network of this machine and is no address to ask at. Say by which name or address devices "
      + "reach it: --host NAME (at hub init, or at run)."
  }
}
