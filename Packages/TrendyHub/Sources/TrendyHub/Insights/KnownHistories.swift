import Foundation
import Synchronization
import TrendyModels

/// The histories of a few persons, each kept up with what is written: another range of the same record, and one entry more, read none of
/// it anew.
final class KnownHistories: Sendable {
  private struct Key: Hashable {
    let person: String
    let zone: String
    let dayStart: Int64
    let today: CivilDate
  }

  private struct Known: Sendable {
    let key: Key
    let position: ReadPosition
    let history: PersonHistory
  }

  private static let limit = 4

  private let known = Mutex<[Known]>([])

  func history(of person: String, _ reading: any HubReading, days: PersonDays, now: Date) throws -> PersonHistory {
    let key = Key(person: person, zone: days.zone, dayStart: days.startSeconds, today: days.day(of: now))
    let state = try reading.state()
    let found = known.withLock { $0.first { $0.key == key } }
    if let found, found.position == ReadPosition(state) { return found.history }
    let facts = try PersonFacts(reading, days: days, today: key.today)
    let updated =
      try found.flatMap { found in
        guard found.position.isPast(of: state) else { return PersonHistory?.none }
        return try found.history.updated(reading, since: found.position, facts: facts, days: days, now: now)
      }
    let history = try updated ?? PersonHistory(reading, facts: facts, days: days, now: now)
    // Where something was written meanwhile, nobody can say whether it was read.
    if try reading.state().head == state.head {
      known.withLock { known in
        known.removeAll { $0.key.person == person }
        known.append(Known(key: key, position: ReadPosition(state), history: history))
        if known.count > Self.limit { known.removeFirst() }
      }
    }
    return history
  }
}
