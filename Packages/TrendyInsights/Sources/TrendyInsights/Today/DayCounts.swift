import TrendyModels

/// Event counts per day, sorted by day.
///
/// Uses a sorted array instead of a dictionary, because instantiating the dictionary type takes 0.1 ms, a twentieth of
/// the run time of a command that records one event.
struct DayCounts: Hashable, Sendable {
  private struct Entry: Hashable, Sendable {
    var day: CivilDate
    var count: Int
  }

  private var entries: [Entry] = []

  /// Count of a day, or 0 if no events were added.
  subscript(day: CivilDate) -> Int {
    let index = index(of: day)
    return contains(day, at: index) ? entries[index].count : 0
  }

  /// Days with events.
  var days: [CivilDate] { entries.filter { $0.count > 0 }.map(\.day) }

  mutating func add(_ count: Int, on day: CivilDate) {
    let index = index(of: day)
    if contains(day, at: index) {
      entries[index].count += count
    } else {
      entries.insert(Entry(day: day, count: count), at: index)
    }
  }

  private func contains(_ day: CivilDate, at index: Int) -> Bool { index < entries.count && entries[index].day == day }

  /// Index of the day's entry, or the index at which to insert it.
  private func index(of day: CivilDate) -> Int {
    // Check the end first, because events usually arrive in chronological order.
    if let last = entries.last, day > last.day { return entries.count }
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].day < day { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
