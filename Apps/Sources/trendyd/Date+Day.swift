import TrendyFoundation
import TrendyModels

extension Date {
  /// Date in UTC, such as `2026-11-20`.
  var day: String { String(RFC3339.string(from: self).prefix(10)) }
}
