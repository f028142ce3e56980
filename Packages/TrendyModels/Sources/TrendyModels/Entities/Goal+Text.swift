// Textual form of a goal: `3/week`, `20min/day`, `at most 2/day`.
extension Goal {
  /// Parses a goal such as `3/week`, `3 per week`, `3 a week`, `8x/day`, `20min/day` or `1h30m/week`, optionally after
  /// `at most`, `max`, `up to`, `<=`, `at least` or `>=`. Case is ignored.
  public init(_ text: some StringProtocol) throws(GoalTextError) {
    var rest = Substring(text.lowercased()).trimmed
    guard !rest.isEmpty else { throw .empty }
    let bound = Self.takeBound(&rest)
    let (amountText, periodText) = Self.parts(rest)
    guard let periodText, !periodText.isEmpty else { throw .noPeriod(String(rest)) }
    let period: Period
    switch periodText {
    case "day", "days", "d": period = .day
    case "week", "weeks", "w", "wk": period = .week
    default: throw .unknownPeriod(String(periodText))
    }
    guard let (amount, measure) = Self.amount(amountText) else { throw .unknownAmount(String(amountText)) }
    let most = measure == .count ? Double(Self.maximumAmount) : Double(period.length) * 86_400
    guard amount >= Double(Self.minAmount(bound)), amount <= most else {
      throw .outOfRange(String(amountText), measure, period)
    }
    self.init(bound, Int(amount), measure, per: period)
  }

  private static let bounds: [(words: String, bound: Bound)] = [
    ("at most", .atMost), ("no more than", .atMost), ("up to", .atMost), ("max", .atMost), ("<=", .atMost),
    ("≤", .atMost), ("at least", .atLeast), (">=", .atLeast), ("≥", .atLeast),
  ]

  private static func takeBound(_ rest: inout Substring) -> Bound {
    guard let (words, bound) = bounds.first(where: { rest.hasPrefix($0.words) }) else { return .atLeast }
    rest = rest.dropFirst(words.count).trimmed
    return bound
  }

  /// Splits the text at `/`, `per` or `a`. The second part is `nil` if the text has no separator.
  private static func parts(_ text: Substring) -> (amount: Substring, period: Substring?) {
    for separator in ["/", " per ", " a "] {
      guard let range = text.firstRange(of: separator) else { continue }
      return (text[..<range.lowerBound].trimmed, text[range.upperBound...].trimmed)
    }
    return (text, nil)
  }

  /// Parses an integer number of events, or a duration in whole seconds.
  private static func amount(_ text: Substring) -> (Double, Measure)? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let unit = text[digits.endIndex...].trimmed
    if let count = Double(digits), ["", "x", "time", "times"].contains(unit) { return (count, .count) }
    guard let seconds = seconds(text), seconds == seconds.rounded() else { return nil }
    return (seconds, .duration)
  }

  /// Parses a duration such as `1h30m`, `1h30`, `1.5h`, `90 min` or `45s`.
  private static func seconds(_ text: Substring) -> Double? {
    var rest = text
    var total = 0.0
    var last = Double.infinity
    while !rest.isEmpty {
      let digits = rest.prefix { $0.isASCII && $0.isNumber || $0 == "." || $0 == "," }
      guard let number = Double(digits.replacing(",", with: ".")) else { return nil }
      rest = rest.dropFirst(digits.count).trimmed
      let word = rest.prefix { $0.isLetter }
      rest = rest.dropFirst(word.count).trimmed
      let unit: Double
      switch word {
      case "h", "hr", "hrs", "hour", "hours": unit = 3600
      case "m", "min", "mins", "minute", "minutes": unit = 60
      case "s", "sec", "secs", "second", "seconds": unit = 1
      case "" where last == 3600 && rest.isEmpty: unit = 60
      default: return nil
      }
      // Units must be in the order hours, minutes, seconds, and each may occur only once.
      guard unit < last else { return nil }
      total += number * unit
      last = unit
    }
    return last == .infinity ? nil : total
  }
}

extension Goal: CustomStringConvertible {
  /// Shortest text that ``init(_:)-(StringProtocol)`` parses as this goal: `3/week`, `1h30min/day`, `at most 2/day`.
  public var description: String {
    let words = measure == .count ? "\(amount)" : Self.words(seconds: amount)
    return "\(bound == .atMost ? "at most " : "")\(words)/\(period.rawValue)"
  }

  private static func words(seconds: Int) -> String {
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60)
    let parts = [(hours, "h"), (minutes, "min"), (rest, "s")].filter { $0.0 > 0 }.map { "\($0.0)\($0.1)" }
    return parts.isEmpty ? "0s" : parts.joined()
  }
}

/// Error from parsing a goal.
public enum GoalTextError: Error, Hashable, Sendable, CustomStringConvertible {
  case empty
  /// The text contains no period: `3`.
  case noPeriod(String)
  /// The period is unknown: `fortnight` in `3/fortnight`.
  case unknownPeriod(String)
  /// The amount is not a number or duration: `three` in `three/week`.
  case unknownAmount(String)
  /// The amount is out of range: `25h` in `25h/day`, or `0`.
  case outOfRange(String, Goal.Measure, Goal.Period)

  public var description: String {
    switch self {
    case .empty: "The goal is empty"
    case .noPeriod(let text): "Goal '\(text)' has no period"
    case .unknownPeriod(let text): "Unknown period '\(text)': use day or week"
    case .unknownAmount(let text):
      text.isEmpty
        ? "The goal has no amount" : "Invalid amount '\(text)': use a whole number or a duration such as 20min"
    case .outOfRange(let text, .count, _):
      "Amount '\(text)' is out of range: use 1 to \(Goal.maximumAmount), or 'at most 0'"
    case .outOfRange(let text, .duration, let period):
      "Duration '\(text)' is out of range: it must be positive and at most a \(period.rawValue)"
    }
  }

  /// Suggested correction.
  public var hint: String {
    switch self {
    case .noPeriod(let text) where (try? Goal("\(text)/week")) != nil: "Write \(text)/day or \(text)/week."
    default: "Write it as 3/week, 20min/day or 'at most 2/day'."
    }
  }
}

extension Substring {
  fileprivate var trimmed: Substring {
    var text = drop { $0.isWhitespace }
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }
}
