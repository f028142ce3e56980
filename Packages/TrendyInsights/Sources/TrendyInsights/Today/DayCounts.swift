import TrendyModels

/// Event counts per day, sorted by day.
///
/// A sorted array instead of a dictionary: instantiating the dictionary type takes the runtime 0.1 ms, a twentieth of
/// the run time of a command that records one event.
struct DayCounts: Hashable, Sendable {
  private struct Entry: Hashable, Sendable {
    var day: CivilDate
    var count: Int
  }

  private var entries: [Entry] = []

  /// Count of a day; 0 if none was added.
  subscript(day: CivilDate) -> Int {
    let place = place(of: day)
    return isThere(day, at: place) ? entries[place].count : 0
  }

  mutating func add(_ count: Int, on day: CivilDate) {
    let place = place(of: day)
    if isThere(day, at: place) {
      entries[place].count += count
    } else {
      entries.insert(Entry(day: day, count: count), at: place)
    }
  }

  private func isThere(_ day: CivilDate, at place: Int) -> Bool { place < entries.count && entries[place].day == day }

  /// Index of the day's entry, or the index at which to insert it.
  private func place(of day: CivilDate) -> Int {
    // Events usually arrive in chronological order.
    if let last = entries.last, day > last.day { return entries.count }
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].day < day { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
