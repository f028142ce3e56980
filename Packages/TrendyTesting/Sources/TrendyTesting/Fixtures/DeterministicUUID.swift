public import TrendyFoundation

/// Fixed UUIDs.
///
/// As strings, the UUIDs sort in numeric order. They have no version. For a UUIDv7, use `UUIDv7.Generator` with a
/// `SeededGenerator`.
public enum DeterministicUUID: Sendable {
  /// `00000000-0000-0000-0000-000000000000`.
  public static let zero = uuid(from: 0)
  /// `00000000-0000-0000-0000-000000000001`.
  public static let one = uuid(from: 1)
  /// `00000000-0000-0000-0000-000000000002`.
  public static let two = uuid(from: 2)

  /// Returns a UUID whose last eight bytes are the number, in big-endian order.
  public static func uuid(from number: Int) -> UUID {
    let word = UInt64(bitPattern: Int64(number))
    func byte(_ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * index)) }
    return UUID(
      uuid: (
        0, 0, 0, 0, 0, 0, 0, 0, byte(0), byte(1), byte(2), byte(3), byte(4), byte(5), byte(6), byte(7)
      ))
  }
}
