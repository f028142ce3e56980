public import TrendyModels

/// Frequency of the values of a property. Numbers with many distinct values are grouped into intervals.
public struct PropertyShares: Hashable, Sendable {
  /// A value or an interval, with its number of events.
  public struct Part: Hashable, Sendable {
    /// Recorded value, or lower bound of the interval.
    public let value: JSONValue
    /// Exclusive upper bound of the interval, or `nil` for a single value.
    public let end: Double?
    public let events: Int
  }

  /// Maximum number of distinct values listed individually.
  public static let maxValues = 8
  /// Maximum number of intervals for numbers.
  public static let maxStretches = 8

  /// Key of the property.
  public let key: String
  /// Current type of the property.
  public let type: PropertyType
  /// Number of events with a value of this type.
  public let events: Int
  /// Strings are in descending order of frequency, and numbers are in ascending order, including empty intervals.
  public let parts: [Part]
  /// Number of events whose value is not in ``parts``.
  public let others: Int
  /// Distribution of numeric values, or `nil` for other types.
  public let distribution: Distribution?

  /// Counts the values of a property in events of one type. Ignores values whose type is not `type`.
  /// - Returns: `nil` if there are no values, and for dates.
  public init?(_ values: some Sequence<PropertyValue>, key: String, type: PropertyType) {
    self.key = key
    self.type = type
    let values = values.filter { $0.type == type }
    switch type {
    case .number, .duration:
      let numbers = values.compactMap(\.doubleValue).filter(\.isFinite)
      guard let distribution = Distribution(numbers) else { return nil }
      self.distribution = distribution
      events = numbers.count
      others = 0
      parts = Self.parts(of: numbers, distribution, isDuration: type == .duration)
    case .date: return nil
    default:
      var counts: [JSONValue: Int] = [:]
      for value in values.map(\.value) where value.boolValue != nil || value.stringValue?.isEmpty == false {
        counts[value, default: 0] += 1
      }
      guard !counts.isEmpty else { return nil }
      let sorted = counts.sorted { ($1.value, Self.text($0.key)) < ($0.value, Self.text($1.key)) }
      distribution = nil
      events = counts.values.reduce(0, +)
      parts = sorted.prefix(Self.maxValues).map { Part(value: $0.key, end: nil, events: $0.value) }
      others = events - parts.reduce(0) { $0 + $1.events }
    }
  }

  private static func text(_ value: JSONValue) -> String {
    value.stringValue ?? (value.boolValue == true ? "true" : "false")
  }

  /// Lists a few distinct numbers individually, otherwise groups them into intervals of one rounded length.
  private static func parts(of numbers: [Double], _ distribution: Distribution, isDuration: Bool) -> [Part] {
    let counts = numbers.reduce(into: [Double: Int]()) { $0[$1, default: 0] += 1 }
    if counts.count <= maxValues {
      return counts.sorted { $0.key < $1.key }.map { Part(value: .double($0.key), end: nil, events: $0.value) }
    }
    let length = stretch(for: distribution.maximum - distribution.minimum, isDuration: isDuration)
    let first = (distribution.minimum / length).rounded(.down)
    let last = (distribution.maximum / length).rounded(.down)
    guard length.isFinite, last - first < Double(2 * maxStretches) else { return [] }
    var stretches = [Int](repeating: 0, count: Int(last - first) + 1)
    for number in numbers { stretches[Int((number / length).rounded(.down) - first)] += 1 }
    return stretches.enumerated().map { index, events in
      let start = (first + Double(index)) * length
      return Part(value: .double(start), end: start + length, events: events)
    }
  }

  /// Returns the smallest round length that covers a span with at most ``maxStretches`` intervals.
  ///
  /// Round lengths are 1, 2 or 5 times a power of ten. For a duration, they are round numbers of seconds, minutes and
  /// hours.
  private static func stretch(for span: Double, isDuration: Bool) -> Double {
    // Partial intervals at both ends can add one more interval.
    let least = span / Double(maxStretches - 1)
    if isDuration, let round = roundSeconds.first(where: { $0 >= least }) { return round }
    var power = 1.0
    while power < least, power.isFinite { power *= 10 }
    while power / 10 >= least, power > .leastNormalMagnitude { power /= 10 }
    return [power / 5, power / 2, power].first { $0 >= least } ?? power
  }

  private static let roundSeconds: [Double] = [
    1, 5, 15, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400,
  ]
}
