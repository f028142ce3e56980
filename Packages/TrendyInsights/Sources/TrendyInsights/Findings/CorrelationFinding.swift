import TrendyModels

/// That days with much of one thing tend to be days with much, or little, of another.
public struct CorrelationFinding: Hashable, Sendable, Codable {
  /// The ids of the two types; with a lag, the first is a day ahead.
  public let first: String
  public let second: String
  /// Days: 0 or 1.
  public let lag: Int
  public let correlation: Correlation
  /// That of the correlation, adjusted for all pairs and lags that were tried.
  public let adjustedP: Double
  /// What it rests on of the first type: the days that were looked at, and what they had.
  public let firstBasis: Evidence
  /// What it rests on of the second type, over the same days.
  public let secondBasis: Evidence

  public enum Strength: String, Hashable, Sendable, Codable {
    case strong, moderate, weak
  }

  public var strength: Strength {
    abs(correlation.r) > 0.7 ? .strong : abs(correlation.r) > 0.5 ? .moderate : .weak
  }

  public var confidence: Confidence {
    let r = abs(correlation.r)
    if adjustedP < 0.01, correlation.count > 30, r > 0.5 { return .high }
    return adjustedP < 0.05 && correlation.count > 14 && r > 0.3 ? .medium : .low
  }
}
