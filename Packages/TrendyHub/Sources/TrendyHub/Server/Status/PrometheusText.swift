/// Metrics in the text format of Prometheus, version 0.0.4.
public struct PrometheusText: Hashable, Sendable, CustomStringConvertible {
  /// The text so far.
  public private(set) var description = ""

  /// Value of the `Content-Type` header.
  public static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

  /// Creates an empty text.
  public init() {}

  /// Whether no metric has been added.
  public var isEmpty: Bool { description.isEmpty }

  /// Adds a gauge, a value that can increase and decrease. `help` is a single line.
  public mutating func gauge(_ name: String, _ help: String, _ value: Double) {
    gauge(name, help, [([], value)])
  }

  mutating func gauge(_ name: String, _ help: String, _ values: [(labels: [(String, String)], value: Double)]) {
    begin(name, "gauge", help)
    for (labels, value) in values { line(name, labels, value) }
  }

  mutating func counter(_ name: String, _ help: String, _ values: [(labels: [(String, String)], value: Double)]) {
    begin(name, "counter", help)
    for (labels, value) in values { line(name, labels, value) }
  }

  mutating func histogram(
    _ name: String, _ help: String, _ values: [(labels: [(String, String)], value: MetricHistogram)]
  ) {
    begin(name, "histogram", help)
    for (labels, histogram) in values {
      var count = 0
      for (bound, own) in zip(histogram.bounds, histogram.counts) {
        count += own
        line(name + "_bucket", labels + [("le", Self.text(bound))], Double(count))
      }
      line(name + "_bucket", labels + [("le", "+Inf")], Double(histogram.count))
      line(name + "_sum", labels, histogram.sum)
      line(name + "_count", labels, Double(histogram.count))
    }
  }

  private mutating func begin(_ name: String, _ type: String, _ help: String) {
    description += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
  }

  private mutating func line(_ name: String, _ labels: [(String, String)], _ value: Double) {
    // Labels are constants of this program, so nothing needs to be escaped.
    let words = labels.map { "\($0)=\"\($1)\"" }.joined(separator: ",")
    description += "\(name)\(words.isEmpty ? "" : "{\(words)}") \(Self.text(value))\n"
  }

  private static func text(_ value: Double) -> String { Int64(exactly: value).map { "\($0)" } ?? "\(value)" }
}

struct MetricHistogram: Hashable, Sendable {
  /// Upper bounds of the buckets, in ascending order.
  let bounds: [Double]
  /// Number of values in each bucket. Values above the last bound count only in ``count``.
  private(set) var counts: [Int]
  private(set) var count = 0
  private(set) var sum = 0.0

  init(bounds: [Double]) {
    self.bounds = bounds
    counts = bounds.map { _ in 0 }
  }

  mutating func add(_ value: Double) {
    count += 1
    sum += value
    if let place = bounds.firstIndex(where: { value <= $0 }) { counts[place] += 1 }
  }

  /// Bounds for durations, in seconds.
  static let durations: [Double] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
}
