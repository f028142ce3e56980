import Foundation
import TrendyInsights
import TrendyModels

/// Cached histories of some users, updated with later writes.
///
/// A request with another range, or after a few writes, does not read the whole record again.
final class KnownHistories: Sendable {
  private struct Key: Hashable {
    let person: String
    let zone: String?
    let dayStart: Int
    let today: CivilDate
  }

  /// One history per user; that of another day is discarded.
  private let known = KnownValues<Key, PersonHistory>(isReplaced: { $0.person == $1.person })

  func history(of person: String, _ reading: any HubReading, local: LocalTime, now: Date) throws -> PersonHistory {
    let key = Key(person: person, zone: local.zoneName, dayStart: local.dayStart, today: local.day(of: now))
    return try known.value(for: key, reading) { known in
      let settings = try TypeSettings(HubUserRecord(reading))
      let updated = try known.flatMap {
        try $0.value.updated(reading, since: $0.position, settings: settings, local: local, now: now)
      }
      return try updated ?? PersonHistory(reading, settings: settings, local: local, now: now)
    }
  }
}
