/// Ranges of the numbers that devices and hubs exchange.
///
/// A number out of range is rejected when it is decoded from a message. A value that a program computes or reads from
/// its store is clamped with `Int64.clamped(to:)`. All bounds leave room for 64-bit arithmetic.
public enum SyncRange: Sendable {
  /// Range of versions, cursors, heads, sequence numbers, incarnations and counts: 0 to 2^62 - 1.
  ///
  /// The sum of two such values fits 64 bits.
  public static let counter: ClosedRange<Int64> = 0...((1 << 62) - 1)

  /// Range of hub time in milliseconds since 1970, up to the end of 9999, the last year in RFC 3339.
  public static let stamp: ClosedRange<Int64> = 0...253_402_300_799_999

  /// Range of the difference between hub time and a device clock in milliseconds.
  public static let clockOffset: ClosedRange<Int64> = -stamp.upperBound...stamp.upperBound

  /// Maximum backoff that a hub can request: one day, which limits the effect of a misconfigured value.
  public static let longestWait: Duration = .seconds(86_400)
}

extension Int64 {
  /// Returns the nearest value in a range.
  public func clamped(to range: ClosedRange<Int64>) -> Int64 {
    Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }
}
