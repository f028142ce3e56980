import CZlib

/// Incremental CRC-32 as in ZIP, gzip and PNG (ISO 3309, polynomial 0xEDB88320).
public struct CRC32: Hashable, Sendable {
  /// Checksum of all bytes so far, or 0 if there are none.
  public private(set) var value: UInt32 = 0

  /// Creates the checksum of empty data.
  public init() {}

  /// Computes the checksum of bytes.
  public init(of bytes: [UInt8]) {
    bytes.withUnsafeBytes { update($0) }
  }

  /// Updates the checksum with bytes.
  public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress else { return }
    value = UInt32(
      truncatingIfNeeded: crc32_z(UInt(value), base.assumingMemoryBound(to: UInt8.self), z_size_t(bytes.count)))
  }
}
