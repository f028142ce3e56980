import TrendyFoundation
import TrendyModels

/// `20260301T080000Z`, as Taskwarrior and timewarrior write times.
enum TimeSheetTime {
  static func date(_ text: some StringProtocol) -> Date? {
    guard text.utf8.count == 16, text.hasSuffix("Z"), let time = WallTime(text) else { return nil }
    return Date(timeIntervalSince1970: Double(time.day.daysSince1970) * 86_400 + Double(time.secondOfDay))
  }

  /// Seconds since 1970, as a part of a key.
  static func key(_ date: Date) -> String { "\(Int64(date.timeIntervalSince1970.rounded(.down)))" }
}

extension ForeignEvent {
  /// A span of a time sheet.
  /// - Returns: `nil` where it ends before it begins.
  init?(span start: Date, _ end: Date, type: String, key: [String], _ options: ImportOptions) {
    guard end >= start else { return nil }
    self.init(typeName: type, key: key, timestamp: start)
    endDate = end
    timeZone = options.zone.name
  }
}
