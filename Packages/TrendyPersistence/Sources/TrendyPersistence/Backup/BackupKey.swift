/// Secret key for signing backups.
///
/// Checksums detect damage but can be forged. Only a signature proves that the backup was made with the key.
public struct BackupKey: Hashable, Sendable {
  /// Minimum length of a key in bytes.
  public static let minBytes = 32
  /// Maximum length of a key in bytes.
  public static let maxBytes = 4096

  let bytes: [UInt8]

  /// Creates a key, or returns `nil` if it is too short or too long.
  public init?(_ bytes: [UInt8]) {
    guard (Self.minBytes...Self.maxBytes).contains(bytes.count) else { return nil }
    self.bytes = bytes
  }
}
