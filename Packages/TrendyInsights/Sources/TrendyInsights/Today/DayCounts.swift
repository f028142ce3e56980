import TrendyModels

/// How many there are on each day, in the order of the days.
///
/// A few days beside each other are found as soon as by a dictionary, whose type the runtime takes a tenth of a millisecond to make: of a
/// command that records one event that was a twentieth.
struct DayCounts: Hashable, Sendable {
  private struct Entry: Hashable, Sendable {
    var day: CivilDate
    var count: Int
  }

  private var entries: [Entry] = []

  /// 0 for a day of which nothing was said.
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

  /// Where its entry is, or belongs.
  private func place(of day: CivilDate) -> Int {
    // Most of what is counted comes in the order of time.
    if let last = entries.last, day > last.day { return entries.count }
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].day < day { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
