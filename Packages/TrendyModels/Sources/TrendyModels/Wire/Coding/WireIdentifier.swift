/// Names of entities, devices and epochs on the wire: what cannot stand in an address or a line of a log names nothing.
public enum WireIdentifier: Sendable {
  public static let rule = "an id of 1 to 128 bytes without control characters"

  public static func isValid(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count) && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }
}
