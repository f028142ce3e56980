import TrendyFoundation
import TrendyModels

extension LocalTime {
  /// Returns the year to omit when printing a range: the current year, or 0 for none if the range spans several years.
  func year(_ now: Date, spanning first: Date, _ last: Date) -> Int {
    let year = components(of: now).year
    return components(of: first).year == components(of: last).year ? year : 0
  }
}

extension CivilDate {
  /// Month of the date, as in `Nov 2026`.
  var monthWords: String { "\(LocalTime.months[month - 1]) \(year)" }

  /// Returns the date, as in `Fri 20 Nov`, with the year if it differs from that of `now`.
  func words(near now: CivilDate) -> String {
    year == now.year ? "\(LocalTime.weekdays[weekday]) \(day) \(LocalTime.months[month - 1])" : wordsWithYear
  }

  fileprivate var wordsWithYear: String { "\(LocalTime.weekdays[weekday]) \(day) \(monthWords)" }
}

extension ClosedRange<CivilDate> {
  /// Formats the range as `Mon 16 to Fri 20 Nov`. Includes the year if it differs from the year of `now`, or both years
  /// if the range ends in a different year.
  func words(near now: CivilDate) -> String {
    let (first, last) = (lowerBound, upperBound)
    guard first != last else { return first.words(near: now) }
    let isOneMonth = (first.year, first.month) == (last.year, last.month)
    if first.year != last.year { return "\(first.wordsWithYear) to \(last.wordsWithYear)" }
    let start = isOneMonth ? "\(LocalTime.weekdays[first.weekday]) \(first.day)" : first.words(near: last)
    return "\(start) to \(last.words(near: now))"
  }
}
