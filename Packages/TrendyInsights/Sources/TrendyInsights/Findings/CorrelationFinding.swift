import TrendyModels

/// Correlation between the daily counts of two event types.
public struct CorrelationFinding: Hashable, Sendable, Codable {
  /// Id of the first type. With a lag, this type comes first in time.
  public let first: String
  /// Id of the second type.
  public let second: String
  /// Lag in days, 0 or 1.
  public let lag: Int
  public let correlation: Correlation
  /// p value of the correlation, adjusted for the number of pairs and lags tested.
  public let adjustedP: Double
  /// Evidence for the first type.
  public let firstBasis: Evidence
  /// Evidence for the second type, over the same days.
  public let secondBasis: Evidence

  /// Strength of a correlation by its absolute coefficient.
  public enum Strength: String, Hashable, Sendable, Codable {
    case strong, moderate, weak
  }

  /// Strong above |r| = 0.7, moderate above 0.5, otherwise weak.
  public var strength: Strength {
    abs(correlation.r) > 0.7 ? .strong : abs(correlation.r) > 0.5 ? .moderate : .weak
  }

  /// High for adjusted p < 0.01, more than 30 days and |r| > 0.5. Medium for adjusted p < 0.05, more than 14 days and
  /// |r| > 0.3.
  public var confidence: Confidence {
    let r = abs(correlation.r)
    if adjustedP < 0.01, correlation.count > 30, r > 0.5 { return .high }
    return adjustedP < 0.05 && correlation.count > 14 && r > 0.3 ? .medium : .low
  }
}
