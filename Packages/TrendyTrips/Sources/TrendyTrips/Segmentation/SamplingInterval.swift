import TrendyFoundation

/// How often the recorder writes a fix, and so what its silence means.
///
/// A recorder that writes each few seconds writes at rest too: when it falls silent it has no reception. One that writes each quarter
/// of a minute or less often saves its battery, and sleeps when it rests.
struct SamplingInterval: Hashable, Sendable, Codable {
  /// Seconds between the last fixes; of silences nothing is learnt.
  private var spans: [TimeInterval] = []

  mutating func add(seconds: TimeInterval) {
    guard seconds <= Self.silence else { return }
    spans.append(seconds)
    if spans.count > Self.memory { spans.removeFirst() }
  }

  /// Seconds between two fixes, the median of the last ones; `nil` while too little is known.
  var usual: TimeInterval? { spans.count == Self.memory ? spans.sorted()[Self.memory / 2] : nil }

  /// Whether it writes a fix each few seconds, also at rest.
  var isDense: Bool { usual.map { $0 <= Self.few } ?? false }

  private static let memory = 16
  private static let silence: TimeInterval = 120
  private static let few: TimeInterval = 10
}
