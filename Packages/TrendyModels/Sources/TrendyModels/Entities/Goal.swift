/// Target for an event type: three runs a week, at most two coffees a day, 20 minutes of reading a day.
///
/// A goal is synced as a single field of its event type, so concurrent edits never mix parts of two goals.
public struct Goal: Hashable, Sendable {
  /// Whether the amount is a minimum or a maximum.
  public enum Bound: String, Hashable, Sendable, CaseIterable, Codable {
    /// Met when the amount is reached.
    case atLeast = "at_least"
    /// Met while the amount is not exceeded.
    case atMost = "at_most"
  }

  /// Unit of the amount.
  public enum Measure: String, Hashable, Sendable, CaseIterable, Codable {
    /// Number of events, each weighted by its property `count`; see ``Goal/amount(of:durationKey:isRunning:now:)``.
    case count
    /// Duration in seconds.
    case duration
  }

  /// Period for which the amount applies: a calendar day or a week.
  public enum Period: String, Hashable, Sendable, CaseIterable, Codable {
    case day
    case week

    /// Length of the period in days.
    public var length: Int { self == .day ? 1 : 7 }
  }

  /// Upper bound of ``amount``.
  public static let maximumAmount = 1_000_000

  public let bound: Bound
  /// Number of events, or seconds: 1 to 1,000,000. A maximum may also be 0.
  public let amount: Int
  public let measure: Measure
  public let period: Period

  /// Creates a goal. The amount is clamped to its range.
  public init(_ bound: Bound, _ amount: Int, _ measure: Measure = .count, per period: Period) {
    self.bound = bound
    self.amount = min(max(amount, Self.minAmount(bound)), Self.maximumAmount)
    self.measure = measure
    self.period = period
  }

  /// Creates a goal with a minimum amount.
  public init(_ amount: Int, _ measure: Measure = .count, per period: Period) {
    self.init(.atLeast, amount, measure, per: period)
  }

  /// Whether the goal requires an amount every day. If so, a streak counts the days on which the goal was met.
  public var asksForEveryDay: Bool { bound == .atLeast && period == .day }

  /// Whether the goal requires an amount every week. If so, a streak counts the weeks in which the goal was met.
  public var asksForEveryWeek: Bool { bound == .atLeast && period == .week }

  static func minAmount(_ bound: Bound) -> Int { bound == .atLeast ? 1 : 0 }
}

extension Goal {
  /// JSON of the goal: `{"amount":3,"bound":"at_least","measure":"count","period":"week"}`.
  public var json: JSONValue {
    .object([
      "amount": .int(Int64(amount)), "bound": .string(bound.rawValue), "measure": .string(measure.rawValue),
      "period": .string(period.rawValue),
    ])
  }

  /// Parses the JSON of a goal.
  ///
  /// - Returns: `nil` if this version cannot represent the goal, for example because of an additional member.
  public init?(_ json: JSONValue) {
    guard let members = json.objectValue, members.count == 4,
      let amount = members["amount"]?.intValue.flatMap({ Int(exactly: $0) }), amount <= Self.maximumAmount,
      let bound = members["bound"]?.stringValue.flatMap({ Bound(rawValue: $0) }), amount >= Self.minAmount(bound),
      let measure = members["measure"]?.stringValue.flatMap({ Measure(rawValue: $0) }),
      let period = members["period"]?.stringValue.flatMap({ Period(rawValue: $0) })
    else { return nil }
    self.init(bound, amount, measure, per: period)
  }
}

extension Goal: Codable {
  public init(from decoder: any Decoder) throws {
    let value = try JSONValue(from: decoder)
    guard let goal = Goal(value) else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath,
          debugDescription: "expected a goal: amount (0 to \(Self.maximumAmount)), bound, measure and period"))
    }
    self = goal
  }

  public func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }
}
