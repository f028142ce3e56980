import TrendyFoundation

/// Link with a hub URL and a pairing code: `trendy://connect?hub=https://hub.example&code=4821-0937`.
public struct PairingLink: Hashable, Sendable, CustomStringConvertible {
  private static let beginning = "trendy://connect?"

  public var hub: String
  public var code: String

  public init(hub: String, code: String) {
    self.hub = hub
    self.code = code
  }

  /// Whether the text starts like a pairing link, even if the link is invalid.
  public static func isMeant(by text: String) -> Bool { text.lowercased().hasPrefix("trendy:") }

  /// Parses a link, ignoring unknown parameters.
  /// - Returns: `nil` if the text is not a pairing link, or lacks the URL or the code.
  public init?(_ text: String) {
    guard text.lowercased().hasPrefix(Self.beginning) else { return nil }
    var values: [String: String] = [:]
    for part in text.dropFirst(Self.beginning.count).split(separator: "&") {
      guard let sign = part.firstIndex(of: "="), let value = Self.decoded(part[part.index(after: sign)...])
      else { return nil }
      values[String(part[..<sign])] = value
    }
    guard let hub = values["hub"], let code = values["code"], !hub.isEmpty, !code.isEmpty else { return nil }
    self.init(hub: hub, code: code)
  }

  public var description: String { "\(Self.beginning)hub=\(Self.encoded(hub))&code=\(Self.encoded(code))" }

  /// Escapes only characters that would end a parameter or the link. The shorter link makes a QR code with larger
  /// modules, which is easier to scan.
  private static func encoded(_ text: String) -> String {
    text.replacing("%", with: "%25").replacing("&", with: "%26").replacing("#", with: "%23").replacing("+", with: "%2B")
      .replacing(" ", with: "%20")
  }

  /// Decodes percent-encoding, or returns `nil` for an invalid escape or invalid UTF-8.
  private static func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2, let digits = String(rest.prefix(2)), let value = UInt8(digits, radix: 16) else {
        return nil
      }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
