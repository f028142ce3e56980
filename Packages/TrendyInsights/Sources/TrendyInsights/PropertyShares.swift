public import TrendyModels

/// How the values of one property lie: how often each was recorded, or, of many numbers, how often those of each stretch.
public struct PropertyShares: Hashable, Sendable {
  /// A value, or the numbers of a stretch, and how many events have it.
  public struct Part: Hashable, Sendable {
    /// What was recorded; of a stretch its lower end.
    public let value: JSONValue
    /// Where a stretch ends, which the next begins with; `nil` of a single value.
    public let end: Double?
    public let events: Int
  }

  /// Values of a text that are told by themselves.
  public static let mostValues = 8
  /// Stretches into which numbers are parted, at most.
  public static let mostStretches = 8

  public let key: String
  public let type: PropertyType
  /// That have a value of the property's type.
  public let events: Int
  /// Texts by how often, the most frequent first; numbers in their order, also stretches that none lies in.
  public let parts: [Part]
  /// Events with a value that is not among ``parts``.
  public let others: Int
  /// Of numbers; `nil` of others.
  public let distribution: Distribution?

  /// - Parameters:
  ///   - values: of the events of one type, in any order; those of another type than the property has now are left out.
  ///   - key: of the property.
  ///   - type: that it has. Of a date no values are told.
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
      parts = sorted.prefix(Self.mostValues).map { Part(value: $0.key, end: nil, events: $0.value) }
      others = events - parts.reduce(0) { $0 + $1.events }
    }
  }

  private static func text(_ value: JSONValue) -> String {
    value.stringValue ?? (value.boolValue == true ? "true" : "false")
  }

  /// A few different numbers each by itself, others in stretches of one round length.
  private static func parts(of numbers: [Double], _ distribution: Distribution, isDuration: Bool) -> [Part] {
    let counts = numbers.reduce(into: [Double: Int]()) { $0[$1, default: 0] += 1 }
    if counts.count <= mostValues {
      return counts.sorted { $0.key < $1.key }.map { Part(value: .double($0.key), end: nil, events: $0.value) }
    }
    let length = stretch(for: distribution.maximum - distribution.minimum, isDuration: isDuration)
    let first = (distribution.minimum / length).rounded(.down)
    let last = (distribution.maximum / length).rounded(.down)
    guard length.isFinite, last - first < Double(2 * mostStretches) else { return [] }
    var stretches = [Int](repeating: 0, count: Int(last - first) + 1)
    for number in numbers { stretches[Int((number / length).rounded(.down) - first)] += 1 }
    return stretches.enumerated().map { place, events in
      let start = (first + Double(place)) * length
      return Part(value: .double(start), end: start + length, events: events)
    }
  }

  /// The shortest round length of which few enough cover a span: 1, 2 or 5 of a power of ten; of a duration round minutes and hours.
  private static func stretch(for span: Double, isDuration: Bool) -> Double {
    // One more may be begun at either end.
    let least = span / Double(mostStretches - 1)
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
