import Foundation
import TrendyModels
import TrendyProtocols
import TrendyTrips

/// Distribution of fixes over a day, with gaps in which a trip may be missing.
struct FixedDay {
  /// Seconds before and after the day that are also examined.
  static let around: Int64 = 6 * 3600
  /// Length of one step in seconds.
  private static let step: Int64 = 300
  /// Minimum duration of a gap in seconds. Long, because a stationary phone sends few fixes.
  private static let silence = 600.0
  /// Minimum distance in metres between the ends of a gap in which a trip may be missing.
  private static let elsewhere = 300.0
  /// Maximum accuracy radius of the fixes used, in metres.
  private static let worstAccuracy = 200.0

  private let span: Range<Int64>
  private let counts: [Int]
  private let gaps: [(from: Date, to: Date, metres: Double)]

  /// `fixes` are in chronological order, and `span` is the day, in milliseconds since 1970.
  init(_ fixes: [Location], during span: Range<Int64>) {
    self.span = span
    var counts = [Int](repeating: 0, count: Int((span.upperBound - span.lowerBound) / (Self.step * 1000)))
    for fix in fixes {
      let place = (fix.timestamp.milliseconds - span.lowerBound) / (Self.step * 1000)
      if span.contains(fix.timestamp.milliseconds), counts.indices.contains(Int(place)) { counts[Int(place)] += 1 }
    }
    self.counts = counts
    let precise = fixes.filter { $0.horizontalAccuracy <= Self.worstAccuracy }
    gaps = zip(precise, precise.dropFirst()).compactMap { before, after in
      guard after.timestamp.timeIntervalSince(before.timestamp) >= Self.silence,
        before.timestamp.milliseconds < span.upperBound, after.timestamp.milliseconds > span.lowerBound
      else { return nil }
      let metres = Geodesic.distanceMeters(from: before.coordinate, to: after.coordinate)
      return metres < Self.elsewhere ? nil : (before.timestamp, after.timestamp, metres)
    }
  }

  var members: [String: JSONValue] {
    [
      "start": .string(RFC3339.string(from: Date(milliseconds: span.lowerBound))), "step_s": .int(Self.step),
      "counts": .array(counts.contains { $0 > 0 } ? counts.map { .int(Int64($0)) } : []),
      "gaps": .array(
        gaps.map {
          [
            "from": .string(RFC3339.string(from: $0.from)), "to": .string(RFC3339.string(from: $0.to)),
            "distance_m": .double($0.metres.rounded()),
          ]
        }),
    ]
  }
}
