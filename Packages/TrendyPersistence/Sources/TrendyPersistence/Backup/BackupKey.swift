/// The secret key with which backups are signed.
///
/// A checksum finds damage and does not authenticate: anybody can write a backup with correct checksums. Only a signature proves that
/// a backup was made by somebody who has the key.
public struct BackupKey: Hashable, Sendable {
  /// Bytes that a key has at least.
  public static let leastBytes = 32
  /// Bytes that a key has at most.
  public static let mostBytes = 4096

  let bytes: [UInt8]

  /// - Returns: `nil` for a key that is too short or too long.
  public init?(_ bytes: [UInt8]) {
    guard (Self.leastBytes...Self.mostBytes).contains(bytes.count) else { return nil }
    self.bytes = bytes
  }
}
