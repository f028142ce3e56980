/// Time spent at a place in each of several time spans. Overlapping visits, recorded by two devices, count once.
public struct StaySeconds: Hashable, Sendable {
  /// Seconds per span.
  public let seconds: [Double]

  /// Computes the time spent in each span after merging the visits.
  /// - Parameters:
  ///   - stays: visits as ranges in seconds, in any order.
  ///   - spans: time spans on the same clock.
  public init(_ stays: some Sequence<Range<Double>>, in spans: [Range<Double>]) {
    var apart: [Range<Double>] = []
    for stay in stays.sorted(by: { $0.lowerBound < $1.lowerBound }) where !stay.isEmpty {
      if let last = apart.last, stay.lowerBound <= last.upperBound {
        apart[apart.count - 1] = last.lowerBound..<max(last.upperBound, stay.upperBound)
      } else {
        apart.append(stay)
      }
    }
    seconds = spans.map { span in
      apart.reduce(0) { $0 + max(0, min($1.upperBound, span.upperBound) - max($1.lowerBound, span.lowerBound)) }
    }
  }
}
