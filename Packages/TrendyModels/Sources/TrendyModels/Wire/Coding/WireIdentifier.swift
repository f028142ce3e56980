/// Format of entity, device and epoch ids on the wire. Such an id fits into a URL and on one line of a log.
public enum WireIdentifier: Sendable {
  /// The format in words, for error messages.
  public static let rule = "an id of 1 to 128 bytes without control characters"

  /// Returns whether the string has 1 to 128 bytes and no control characters.
  public static func isValid(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count) && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }
}
