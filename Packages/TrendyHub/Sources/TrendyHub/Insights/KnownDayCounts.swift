import Foundation
import Synchronization
import TrendyInsights
import TrendyModels

/// How many events of each type each day had, counted a year at a time and then kept up with what is written.
///
/// An event that is new or deleted since is added or taken off. What was moved to another time or type, or brought back, had a day that
/// nobody knows any more: then it is counted anew.
final class KnownDayCounts: Sendable {
  /// Of the events that begin in one year of UTC.
  struct Chunk: Sendable {
    /// By the day where the asker is.
    var here: [CivilDate: [String: Int64]] = [:]
    /// By the day where each was recorded.
    var own: [CivilDate: [String: Int64]] = [:]

    mutating func add(_ count: Int64, of type: String, here date: CivilDate, own day: CivilDate) {
      here[date, default: [:]][type, default: 0] += count
      own[day, default: [:]][type, default: 0] += count
    }
  }

  private struct Key: Hashable {
    let person: String
    let zone: String
    let dayStart: Int64
  }

  private struct Known: Sendable {
    var epoch: String?
    var head: Int64
    /// By year.
    var chunks: [Int: Chunk] = [:]
    /// The earliest event: its moment and its day; `nil` where it has to be looked for, an empty one where there is none.
    var first: First?

    mutating func add(_ count: Int64, _ event: HubEntry, _ days: PersonDays) {
      let moment = event.listMoment
      // Of a year that nobody asked for it is counted with the year.
      chunks[KnownDayCounts.year(of: moment)]?.add(count, event, days)
      if count < 0, first?.moment == moment { first = nil }
      if count > 0, let held = first, moment < held.moment { first = First(moment: moment, date: days.date(of: event)) }
    }
  }

  private struct First: Sendable {
    var moment: Int64
    var date: CivilDate?
  }

  /// Of so many persons and zones at once.
  private static let limit = 8
  /// Writes after which counting anew is not much slower.
  private static let mostChanges = 5000

  private let known = Mutex<[(key: Key, value: Known)]>([])

  /// The counts of the years in which a range of moments lies, and the day of the first event.
  func counts(
    of person: String, _ reading: any HubReading, days: PersonDays, during moments: Range<Int64>
  ) throws -> (chunks: [Chunk], first: CivilDate?) {
    let key = Key(person: person, zone: days.zone, dayStart: days.startSeconds)
    let state = try reading.state()
    var value = try current(key, reading, days, state)
    let years = Self.year(of: moments.lowerBound)...Self.year(of: max(moments.lowerBound, moments.upperBound - 1))
    for year in years where value.chunks[year] == nil { value.chunks[year] = try Self.count(year, reading, days) }
    let first = try value.first ?? Self.first(reading, days)
    value.first = first
    // Where something was written meanwhile, nobody can say whether it was counted.
    if try reading.state().head == state.head { keep(value, for: key) }
    return (years.compactMap { value.chunks[$0] }, first.date)
  }

  private func current(
    _ key: Key, _ reading: any HubReading, _ days: PersonDays, _ state: HubState
  ) throws -> Known {
    let epoch = state.epochs.last?.id
    if let value = known.withLock({ $0.first { $0.key == key }?.value }), value.epoch == epoch,
      value.head <= state.head, state.horizon <= value.head,
      let updated = try Self.updated(value, reading, days, through: state.head)
    {
      return updated
    }
    return Known(epoch: epoch, head: state.head)
  }

  private func keep(_ value: Known, for key: Key) {
    known.withLock { known in
      known.removeAll { $0.key == key }
      known.append((key, value))
      if known.count > Self.limit { known.removeFirst() }
    }
  }

  /// With what was written since; `nil` where that cannot be told from what is there now.
  private static func updated(
    _ value: Known, _ reading: any HubReading, _ days: PersonDays, through head: Int64
  ) throws -> Known? {
    var value = value
    let counted = value.head
    var after = counted
    var changes = 0
    while after < head {
      let page = try reading.entries(after: after, limit: 500)
      guard let last = page.last else { break }
      after = last.version
      changes += page.count
      guard changes <= mostChanges else { return nil }
      for entry in page where entry.kind == SyncedKind.event.name {
        if entry.createdVersion > counted {
          if entry.isAlive { value.add(1, entry, days) }
        } else {
          guard entry.incarnation == 0 else { return nil }
          let changed = entry.fields.filter { $0.value.version > counted }.keys
          if entry.isAlive {
            guard changed.allSatisfy({ !dayFields.contains($0) }) else { return nil }
          } else {
            // Values that came with a deletion, or after it: whether it was counted is not known.
            guard changed.isEmpty else { return nil }
            value.add(-1, entry, days)
          }
        }
      }
    }
    value.head = head
    return value
  }

  /// What the day and the type of an event follow from.
  private static let dayFields: Set<String> = ["timestamp", "is_all_day", "time_zone", "event_type_id"]

  private static func count(_ year: Int, _ reading: any HubReading, _ days: PersonDays) throws -> Chunk {
    var chunk = Chunk()
    try reading.eachLiving(kind: SyncedKind.event.name, during: start(of: year)..<start(of: year + 1)) {
      chunk.add(1, $0, days)
    }
    return chunk
  }

  private static func first(_ reading: any HubReading, _ days: PersonDays) throws -> First {
    let event = try reading.firstLiving(kind: SyncedKind.event.name)
    return First(moment: event?.listMoment ?? .max, date: event.map { days.date(of: $0) })
  }

  /// The year of UTC, held where dates stop being exact.
  private static func year(of moment: Int64) -> Int {
    let days = (Double(min(max(moment, -62_000_000_000_000), 250_000_000_000_000)) / 86_400_000).rounded(.down)
    return CivilDate(daysSince1970: Int(days)).year
  }

  private static func start(of year: Int) -> Int64 {
    Int64(CivilDate(year: year, month: 1, day: 1).daysSince1970) * 86_400_000
  }
}

extension KnownDayCounts.Chunk {
  fileprivate mutating func add(_ count: Int64, _ event: HubEntry, _ days: PersonDays) {
    guard let type = event.fields["event_type_id"]?.value.stringValue else { return }
    add(count, of: type, here: days.date(of: event), own: days.moment(of: event).day)
  }
}
