import CommandSupport
import Foundation
import TrendyHub

extension HubSettings {
  /// Creates the QR code for a pairing link.
  ///
  /// The link contains the configured URL for devices. If none is configured, the link contains the URL that the
  /// browser uses or, if that is a loopback address, the first host name.
  var pairingPicture: PairingPicture.Maker {
    { [self] code, seen in
      guard let hub = addressOutside(seenAt: seen) else { return nil }
      let link = PairingLink(hub: hub, code: code).description
      return QRCode(link).map { code in
        PairingPicture(link: link, size: code.size) { code.isDark(row: $0, column: $1) }
      }
    }
  }

  /// Returns the URL for other devices, or `nil` if only a loopback address is known.
  func addressOutside(seenAt seen: String?) -> String? {
    if let address { return address }
    let seen = seen.flatMap { URL(string: $0) }
    if let seen, let host = seen.host(), !Self.isLoopback(host) { return Self.written(seen) }
    guard let host = hosts.first, !Self.isLoopback(host), let told = try? url(port: seen?.port.flatMap(UInt16.init))
    else { return nil }  // invalid settings were rejected at startup
    return told
  }

  private static func isLoopback(_ host: String) -> Bool {
    let address = NetworkAddress(host.trimmingCharacters(in: ["[", "]"]))?.description
    return host == "localhost" || address == "::1" || address?.hasPrefix("127.") ?? false
  }

  /// Returns the scheme, host and port of a URL.
  private static func written(_ url: URL) -> String {
    let host = url.host() ?? ""
    let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    return "\(url.scheme ?? "http")://\(name)\(url.port.map { ":\($0)" } ?? "")"
  }
}
