/// Ranges of the numbers that devices and hubs tell each other.
///
/// A number outside of its range is refused where it is read from others. A value that a program makes, or reads from a store, is
/// brought to the nearest end: `Int64.clamped(to:)`. Both ends leave room for arithmetic on 64 bits.
public enum SyncRange: Sendable {
  /// Versions, cursors, heads, sequences, incarnations and counts: 0 to 2^62 - 1.
  ///
  /// The half of 64 bits, so that the sum of two of them is a number as well. No counter gets there by counting.
  public static let counter: ClosedRange<Int64> = 0...((1 << 62) - 1)

  /// Hub time in milliseconds since 1970, to the end of the year 9999, the last that RFC 3339 can write.
  public static let stamp: ClosedRange<Int64> = 0...253_402_300_799_999

  /// How far hub time may be ahead of a device's clock or behind it, in milliseconds.
  public static let clockOffset: ClosedRange<Int64> = -stamp.upperBound...stamp.upperBound

  /// The longest that a hub may ask to be left alone: a mistyped number costs a day, not for ever.
  public static let longestWait: Duration = .seconds(86_400)
}

extension Int64 {
  /// The nearest number in the range.
  public func clamped(to range: ClosedRange<Int64>) -> Int64 {
    Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }
}
