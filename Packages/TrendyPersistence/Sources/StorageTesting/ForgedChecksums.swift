import TrendyPersistence

/// Recomputes the checksums of modified files, so that a test can reach the code behind the checksum checks.
///
/// Returns input unchanged if it is not recognizably a file of the expected type.
public enum ForgedChecksums: Sendable {
  /// Recomputes the checksums and offsets of all recognizable blocks of a backup.
  public static func backup(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count >= 64 else { return bytes }
    var bytes = bytes
    put(checksum(bytes[..<56], 0), in: &bytes, at: 56)
    var before = number(bytes, 56)
    var position = 64
    while position + 24 <= bytes.count {
      let length = Int(number(bytes, position) & 0xFFFF_FFFF)
      guard length >= 24, length <= bytes.count - position else { break }
      put(UInt64(position), in: &bytes, at: position + 8)
      before = checksum(bytes[position + 24..<position + length], checksum(bytes[position..<position + 16], before))
      put(before, in: &bytes, at: position + 16)
      position += length
    }
    return bytes
  }

  /// Recomputes the checksum of a manifest.
  public static func manifest(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count >= 16 else { return bytes }
    var bytes = bytes
    put(checksum(bytes[..<(bytes.count - 8)], 0), in: &bytes, at: bytes.count - 8)
    return bytes
  }

  /// Recomputes the checksum of the durable end record in a lock file.
  public static func mark(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count >= 32 else { return bytes }
    var bytes = bytes
    put(checksum(bytes[..<24], 0), in: &bytes, at: 24)
    return bytes
  }

  /// Recomputes the checksums of a chunk's header and of all recognizable groups.
  public static func chunk(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count >= 64 else { return bytes }
    var bytes = bytes
    let epoch = checksum(bytes[16..<24], number(bytes, 40))
    put(epoch, in: &bytes, at: 24)
    put(checksum(bytes[..<56], 0), in: &bytes, at: 56)
    var position = 64
    while position + 48 <= bytes.count {
      let length = Int(number(bytes, position) & 0xFFFF_FFFF)
      guard length >= 48, length <= bytes.count - position else { break }
      put(epoch, in: &bytes, at: position + 8)
      put(
        checksum(bytes[position + 48..<position + length], checksum(bytes[position..<position + 40], epoch)),
        in: &bytes,
        at: position + 40)
      position += length
    }
    return bytes
  }

  /// Recomputes the checksums of a segment's header, its pages and both footers.
  public static func segment(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count >= 64 + 2 * 192 else { return bytes }
    var bytes = bytes
    put(checksum(bytes[..<56], 0), in: &bytes, at: 56)
    let length = Int(truncatingIfNeeded: number(bytes, bytes.count - 24))
    guard length >= 192, length <= (bytes.count - 64) / 2 else { return bytes }
    let footers = [bytes.count - 2 * length, bytes.count - length]
    let seed = number(bytes, footers[1] + 24) ^ number(bytes, footers[1] + 16) << 32
    let end = Int(truncatingIfNeeded: number(bytes, footers[1] + 152))
    guard end >= 64, end <= footers[0] else { return bytes }
    for (page, start) in stride(from: 0, to: end, by: 4096).enumerated() where end + page * 8 + 8 <= footers[0] {
      put(checksum(bytes[start..<min(start + 4096, end)], seed ^ UInt64(page)), in: &bytes, at: end + page * 8)
    }
    for start in footers {
      put(checksum(bytes[start..<start + length - 8], 0), in: &bytes, at: start + length - 8)
    }
    return bytes
  }

  /// Updates the manifest's entry for a segment to match the segment's bytes.
  public static func manifest(_ bytes: [UInt8], referringTo segment: [UInt8]) -> [UInt8] {
    guard bytes.count >= 64, segment.count >= 24 else { return manifest(bytes) }
    var bytes = bytes
    let footer = segment.count - Int(truncatingIfNeeded: number(segment, segment.count - 24) & 0xFFFF_FFFF)
    guard footer >= 64, footer + 40 <= segment.count else { return manifest(bytes) }
    for entry in stride(from: 56, through: bytes.count - 40, by: 32)
    where number(bytes, entry) == number(segment, 16) {
      put(UInt64(segment.count), in: &bytes, at: entry + 8)
      put(number(segment, footer + 32), in: &bytes, at: entry + 16)
      put(number(segment, segment.count - 8), in: &bytes, at: entry + 24)
    }
    return manifest(bytes)
  }

  private static func checksum(_ bytes: ArraySlice<UInt8>, _ seed: UInt64) -> UInt64 {
    bytes.withUnsafeBytes { Checksum.xxh64($0, seed: seed) }
  }

  private static func number(_ bytes: [UInt8], _ offset: Int) -> UInt64 {
    bytes[offset..<min(offset + 8, bytes.count)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func put(_ number: UInt64, in bytes: inout [UInt8], at offset: Int) {
    withUnsafeBytes(of: number.littleEndian) { bytes.replaceSubrange(offset..<offset + 8, with: $0) }
  }
}
