import Foundation
import TrendyInsights
import TrendyModels

/// Counts of the days in a range, and the answer that is made of them: of a year and some types it has many thousand numbers, so it is
/// written as it is and not made of values first.
struct DayCountTable {
  private let days: ClosedRange<CivilDate>
  private var types: [String: [Int]] = [:]

  init(_ days: ClosedRange<CivilDate>) { self.days = days }

  /// - Parameter day: one outside the range is left out.
  mutating func add(_ count: Int, of type: String, on day: CivilDate) {
    guard days.contains(day) else { return }
    let place = days.lowerBound.distance(to: day)
    types[type, default: [Int](repeating: 0, count: days.lowerBound.distance(to: days.upperBound) + 1)][place] += count
  }

  /// Bounds of the levels of a heat map, of each type.
  private func levels() -> JSONValue {
    .object(
      types.compactMapValues { counts in
        HeatLevels(ofCounts: DailySeries(first: days.lowerBound, values: counts.map(Double.init)))
          .map { .array($0.bounds.map { .double($0) }) }
      })
  }

  /// The weekday on which most of each type lies, 0 is Sunday, of types that have such a one.
  private func weekdays() -> JSONValue {
    .object(
      types.compactMapValues { counts in
        let habit = DailySeries(first: days.lowerBound, values: counts.map(Double.init)).weekdayHabit.value
        return habit.map { .int(Int64($0.pattern.peak)) }
      })
  }

  /// The answer of `/events/days`: days with an event, in their order, and of each type the bounds of its levels and its weekday.
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
