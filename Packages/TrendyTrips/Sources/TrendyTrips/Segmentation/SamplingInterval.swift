import TrendyFoundation

/// Estimates the sampling interval of a receiver, which determines how to interpret a gap.
///
/// A receiver with an interval of a few seconds also records while stationary, so a gap means that there is no
/// reception. A receiver with an interval of 15 s or more saves energy and sleeps while stationary.
struct SamplingInterval: Hashable, Sendable, Codable {
  /// Most recent intervals in seconds, excluding gaps.
  private var spans: [TimeInterval] = []

  mutating func add(seconds: TimeInterval) {
    guard seconds <= Self.silence else { return }
    spans.append(seconds)
    if spans.count > Self.memory { spans.removeFirst() }
  }

  /// Median interval in seconds, or `nil` if there are too few fixes.
  var usual: TimeInterval? { spans.count == Self.memory ? spans.sorted()[Self.memory / 2] : nil }

  /// Whether the receiver records a fix every few seconds, even while stationary.
  var isDense: Bool { usual.map { $0 <= Self.few } ?? false }

  private static let memory = 16
  private static let silence: TimeInterval = 120
  private static let few: TimeInterval = 10
}
