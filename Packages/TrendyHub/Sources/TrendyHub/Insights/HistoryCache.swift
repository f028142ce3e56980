import Foundation
import TrendyInsights
import TrendyModels

/// Cached histories for a few users, updated with later writes.
///
/// A request with a different range, or after a few writes, need not read the whole record again.
final class HistoryCache: Sendable {
  private struct Key: Hashable {
    let user: String
    let zone: String?
    let dayStart: Int
    let today: CivilDate
  }

  /// One history per user. A history for another day replaces it.
  private let known = DerivedValueCache<Key, UserHistory>(isReplaced: { $0.user == $1.user })

  func history(of user: String, _ reading: any HubReadTransaction, local: LocalTime, now: Date) throws -> UserHistory {
    let key = Key(user: user, zone: local.zoneName, dayStart: local.dayStart, today: local.day(of: now))
    return try known.value(for: key, reading) { known in
      let settings = try TypeSettings(HubUserRecord(reading))
      let updated = try known.flatMap {
        try $0.value.updated(reading, since: $0.position, settings: settings, local: local, now: now)
      }
      return try updated ?? UserHistory(reading, settings: settings, local: local, now: now)
    }
  }
}
