import Foundation
import TrendyModels
import TrendyProtocols
import TrendyTrips

/// A day as its fixes tell of it: when there were some, and where some are missing.
struct FixedDay {
  /// Seconds that are looked at before and after the day.
  static let around: Int64 = 6 * 3600
  /// Seconds of one step.
  private static let step: Int64 = 300
  /// Seconds without a fix from which something may be missing: a phone that rests sends little.
  private static let silence = 600.0
  /// Metres from which on a phone was somewhere else afterwards, so that a way is missing.
  private static let elsewhere = 300.0
  /// Metres; a fix that is worse says little of where it was.
  private static let worstAccuracy = 200.0

  private let span: Range<Int64>
  private let counts: [Int]
  private let gaps: [(from: Date, to: Date, metres: Double)]

  /// - Parameters:
  ///   - fixes: in the order of their time.
  ///   - span: the day, in milliseconds since 1970.
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
