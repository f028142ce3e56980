import TrendyFoundation

/// Sampling interval of a recorder, which determines the meaning of a gap.
///
/// A recorder with an interval of a few seconds also records while stationary, so a gap means that it has no reception.
/// A recorder with an interval of 15 s or more saves energy and sleeps while stationary.
struct SamplingInterval: Hashable, Sendable, Codable {
  /// Last intervals in seconds, without gaps.
  private var spans: [TimeInterval] = []

  mutating func add(seconds: TimeInterval) {
    guard seconds <= Self.silence else { return }
    spans.append(seconds)
    if spans.count > Self.memory { spans.removeFirst() }
  }

  /// Median interval in seconds; `nil` with too few fixes.
  var usual: TimeInterval? { spans.count == Self.memory ? spans.sorted()[Self.memory / 2] : nil }

  /// Whether the recorder writes a fix every few seconds, also while stationary.
  var isDense: Bool { usual.map { $0 <= Self.few } ?? false }

  private static let memory = 16
  private static let silence: TimeInterval = 120
  private static let few: TimeInterval = 10
}
