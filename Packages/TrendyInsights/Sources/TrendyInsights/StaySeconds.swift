/// How long somebody was at a place in each of some spans of time. Stays that overlap, as two devices record them, count once.
public struct StaySeconds: Hashable, Sendable {
  /// One for each span.
  public let seconds: [Double]

  /// - Parameters:
  ///   - stays: when somebody came and left, in seconds of one clock, in any order.
  ///   - spans: from when until when, on the same clock.
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
