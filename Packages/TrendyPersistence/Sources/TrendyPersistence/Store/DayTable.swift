#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The first moments of the days of a time zone, so that a row is put into its day without asking a calendar.
struct DayTable {
  /// Rising; the first is not after `from`, the last not after `through`.
  private(set) var starts: [Date] = []

  /// Days from that of one moment through that of another.
  init(from first: Date, through last: Date, timeZone: TimeZone) {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    var start = calendar.startOfDay(for: first)
    starts.append(start)
    var offset = Double(timeZone.secondsFromGMT(for: start))
    var nextChange = timeZone.nextDaylightSavingTimeTransition(after: start)
    while true {
      // Midnight is a day on while the zone's offset stays; the few days on which it changes are the calendar's.
      var next = start.addingTimeInterval(86_400)
      let isPlain = nextChange.map { next < $0 } ?? true
      let isMidnight = (next.timeIntervalSinceReferenceDate + offset).truncatingRemainder(dividingBy: 86_400) == 0
      if !isPlain || !isMidnight {
        next = calendar.startOfDay(for: start.addingTimeInterval(129_600))
        if next <= start { next = calendar.startOfDay(for: start.addingTimeInterval(180_000)) }
        offset = Double(timeZone.secondsFromGMT(for: next))
        nextChange = timeZone.nextDaylightSavingTimeTransition(after: next)
      }
      if next > last || next <= start { return }
      starts.append(next)
      start = next
    }
  }
}
