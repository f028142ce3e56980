import Foundation
import TrendyInsights
import TrendyModels

/// Daily counts for a range of days, and their JSON text.
///
/// A year with several types has thousands of numbers, so the text is written directly, without a JSON value.
struct DayCountTable {
  private let days: ClosedRange<CivilDate>
  private var types: [String: [Int]] = [:]

  init(_ days: ClosedRange<CivilDate>) { self.days = days }

  /// Adds a count. Days outside the range are ignored.
  mutating func add(_ count: Int, of type: String, on day: CivilDate) {
    guard days.contains(day) else { return }
    let place = days.lowerBound.distance(to: day)
    types[type, default: [Int](repeating: 0, count: days.lowerBound.distance(to: days.upperBound) + 1)][place] += count
  }

  private func levels() -> JSONValue {
    .object(
      types.compactMapValues { counts in
        HeatLevels(ofCounts: DailySeries(first: days.lowerBound, values: counts.map(Double.init)))
          .map { .array($0.bounds.map { .double($0) }) }
      })
  }

  /// Returns the weekday with the most events (0 is Sunday) for each type with a clear weekday habit.
  private func weekdays() -> JSONValue {
    .object(
      types.compactMapValues { counts in
        let habit = DailySeries(first: days.lowerBound, values: counts.map(Double.init)).weekdayHabit.value
        return habit.map { .int(Int64($0.pattern.peak)) }
      })
  }

  /// Returns the response for `/events/days`: the days with events in order, and each type's level bounds and weekday.
  func text(firstDate: CivilDate?) -> Data {
    let types = types.sorted { $0.key < $1.key }
      .map { (name: Array(JSONText.write(.string($0.key))), counts: $0.value) }
    var text = Array(#"{"days":["#.utf8)
    var isFirstDay = true
    for place in 0...days.lowerBound.distance(to: days.upperBound) {
      var isFirstType = true
      for type in types where type.counts[place] > 0 {
        if isFirstType {
          if !isFirstDay { text.append(UInt8(ascii: ",")) }
          text += #"{"counts":{"#.utf8
        } else {
          text.append(UInt8(ascii: ","))
        }
        isFirstType = false
        text += type.name
        text.append(UInt8(ascii: ":"))
        text += String(type.counts[place]).utf8
      }
      guard !isFirstType else { continue }
      isFirstDay = false
      text += #"},"date":"\#(days.lowerBound.advanced(by: place))"}"#.utf8
    }
    let first = firstDate.map { #""\#($0)""# } ?? "null"
    text += #"],"first_date":\#(first),"levels":"#.utf8
    return Data(text) + JSONText.write(levels()) + Data(#","weekdays":"#.utf8) + JSONText.write(weekdays())
      + Data("}".utf8)
  }
}
