/// What a person set out to do of an event type: three runs a week, at most two coffees a day, 20 minutes of reading.
///
/// A goal is synced as one field of its type: whoever sets it sets it whole. ``EventType/goal`` is `nil` where nobody did.
public struct Goal: Hashable, Sendable {
  /// Whether the amount is to be reached or kept to.
  public enum Bound: String, Hashable, Sendable, CaseIterable, Codable {
    /// Met once the amount is reached.
    case atLeast = "at_least"
    /// Met as long as the amount is not passed.
    case atMost = "at_most"
  }

  /// What the amount is of.
  public enum Measure: String, Hashable, Sendable, CaseIterable, Codable {
    /// Of events, or of what their property `count` says: see ``Goal/amount(of:durationKey:isRunning:now:)``.
    case count
    /// Of time, in seconds.
    case duration
  }

  /// The span that each has an amount of its own: a day of the calendar, or a week.
  public enum Period: String, Hashable, Sendable, CaseIterable, Codable {
    case day
    case week

    /// In days.
    public var length: Int { self == .day ? 1 : 7 }
  }

  /// The largest amount.
  public static let maximumAmount = 1_000_000

  public let bound: Bound
  /// Of events, or seconds: 1 to 1,000,000; a goal of at most nothing has 0.
  public let amount: Int
  public let measure: Measure
  public let period: Period

  /// - Parameters:
  ///   - bound: whether the amount is to be reached, or not to be passed.
  ///   - amount: events, or seconds; brought into its range.
  ///   - measure: what is counted.
  ///   - period: in which it is counted.
  public init(_ bound: Bound, _ amount: Int, _ measure: Measure = .count, per period: Period) {
    self.bound = bound
    self.amount = min(max(amount, Self.leastAmount(bound)), Self.maximumAmount)
    self.measure = measure
    self.period = period
  }

  /// At least so much.
  public init(_ amount: Int, _ measure: Measure = .count, per period: Period) {
    self.init(.atLeast, amount, measure, per: period)
  }

  /// Whether each day is to have something: what a streak of days is counted for.
  public var asksForEveryDay: Bool { bound == .atLeast && period == .day }

  static func leastAmount(_ bound: Bound) -> Int { bound == .atLeast ? 1 : 0 }
}

extension Goal {
  /// `{"amount":3,"bound":"at_least","measure":"count","period":"week"}`.
  public var json: JSONValue {
    .object([
      "amount": .int(Int64(amount)), "bound": .string(bound.rawValue), "measure": .string(measure.rawValue),
      "period": .string(period.rawValue),
    ])
  }

  /// - Returns: `nil` for a goal that this version cannot represent, as one with a member more.
  public init?(_ json: JSONValue) {
    guard let members = json.objectValue, members.count == 4,
      let amount = members["amount"]?.intValue.flatMap({ Int(exactly: $0) }), amount <= Self.maximumAmount,
      let bound = members["bound"]?.stringValue.flatMap({ Bound(rawValue: $0) }), amount >= Self.leastAmount(bound),
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
