import TrendyFoundation
import TrendyModels

/// Combines frequent measurements, such as heart rates, to one event per type and day.
///
/// A program may export the same measurements in two layouts. For each day, only the layout with the most measurements
/// counts.
struct DailyValues {
  enum Statistic: Sendable {
    case total
    /// Average. If a type has one property, its minimum and maximum are kept as well.
    case average
  }

  private struct Series: Hashable {
    var format: String
    var type: String
    var layout: String
  }

  private struct Summary {
    var count = 0
    var sum = 0.0
    var minimum = Double.infinity
    var maximum = -Double.infinity
    var statistic: Statistic

    var value: Double { statistic == .total ? sum : sum / Double(count) }
  }

  private var days: [CivilDate: [Series: [String: Summary]]] = [:]

  /// Adds a measurement.
  ///
  /// - Parameter layout: Identifies the layout of the file.
  mutating func add(
    _ value: Double, _ property: String, type: String, on day: CivilDate, _ statistic: Statistic, format: String,
    layout: String = ""
  ) {
    let series = Series(format: format, type: type, layout: layout)
    var summary = days[day]?[series]?[property] ?? Summary(statistic: statistic)
    summary.count += 1
    summary.sum += value
    summary.minimum = min(summary.minimum, value)
    summary.maximum = max(summary.maximum, value)
    days[day, default: [:]][series, default: [:]][property] = summary
  }

  /// Adds the numbers of an event to the day on which it starts. Returns whether it had only numbers.
  mutating func add(
    _ event: ExternalEvent, _ statistic: Statistic, format: String, layout: String, _ options: ImportOptions
  ) -> Bool {
    var isComplete = !event.properties.isEmpty
    for (key, property) in event.properties {
      guard let value = property.doubleValue else {
        isComplete = false
        continue
      }
      let day = event.localDate ?? options.zone.wall(at: event.timestamp).day
      add(value, key, type: event.typeName, on: day, statistic, format: format, layout: layout)
    }
    return isComplete
  }

  /// Values of one type on one day.
  struct Total {
    var format: String
    var type: String
    var day: CivilDate
    var properties: [String: PropertyValue]
  }

  /// Returns the values of all days, sorted by day and type.
  var totals: [Total] {
    days.sorted { $0.key < $1.key }.flatMap { day, series in
      Dictionary(grouping: series) { "\($0.key.format) \($0.key.type)" }.sorted { $0.key < $1.key }.compactMap {
        _, all in
        let best = all.max { left, right in
          let (more, less) = (left.value.values.map(\.count).max() ?? 0, right.value.values.map(\.count).max() ?? 0)
          return (more, right.key.layout) < (less, left.key.layout)
        }
        guard let (series, values) = best else { return nil }
        var properties: [String: PropertyValue] = [:]
        for (key, summary) in values {
          properties[key] = Self.number(summary.value)
          if values.count == 1, summary.statistic == .average, summary.count > 1 {
            properties["minimum"] = Self.number(summary.minimum)
            properties["maximum"] = Self.number(summary.maximum)
          }
        }
        return Total(format: series.format, type: series.type, day: day, properties: properties)
      }
    }
  }

  private static func number(_ value: Double) -> PropertyValue {
    .number(integerIfWhole: (value * 1000).rounded() / 1000)
  }

  /// Item that is skipped so that a later import, with all values of the day, can add it.
  static let unfinished = "day that has not ended"

  /// Passes an all-day event for each type and day to `body`.
  func give(_ options: ImportOptions, _ body: InterchangeFormat.Handler) throws {
    let today = options.zone.wall(at: options.now).day
    for total in totals {
      guard total.day < today else {
        try body(.skip(what: Self.unfinished), "\(total.day)")
        continue
      }
      var event = ExternalEvent(
        typeName: total.type, key: [total.format, "day", total.type, "\(total.day)"],
        timestamp: options.zone.date(total.day))
      event.isKeyUnique = true
      event.isAllDay = true
      event.timeZone = options.zone.name
      event.properties = total.properties
      try body(.event(event), "\(total.day)")
    }
  }
}
