import TrendyFoundation
import TrendyModels

extension Date {
  /// `2026-11-20`, in UTC.
  var day: String { String(RFC3339.string(from: self).prefix(10)) }
}
