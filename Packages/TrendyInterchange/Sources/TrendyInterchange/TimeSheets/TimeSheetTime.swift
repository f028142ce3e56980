import TrendyFoundation
import TrendyModels

/// Parses timestamps from Taskwarrior and Timewarrior, such as `20260301T080000Z`.
enum TimeSheetTime {
  static func date(_ text: some StringProtocol) -> Date? {
    guard text.utf8.count == 16, text.hasSuffix("Z"), let time = WallTime(text) else { return nil }
    return Date(timeIntervalSince1970: Double(time.day.daysSince1970) * 86_400 + Double(time.secondOfDay))
  }

  /// Formats a time for a natural key, in seconds since 1970.
  static func key(_ date: Date) -> String { "\(Int64(date.timeIntervalSince1970.rounded(.down)))" }
}

extension ExternalEvent {
  /// Creates an event from an interval of a time sheet. Returns `nil` if the interval ends before it starts.
  init?(span start: Date, _ end: Date, type: String, key: [String], _ options: ImportOptions) {
    guard end >= start else { return nil }
    self.init(typeName: type, key: key, timestamp: start)
    endDate = end
    timeZone = options.zone.name
  }
}
