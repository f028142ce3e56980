import TrendyFoundation
import TrendyModels

/// Trips that record a drive a second time, each mapped to the trip that is counted instead.
///
/// A user is in one place at a time, but may carry several trackers, or import a track of a drive that a device has
/// recorded. Only one of several simultaneous trips from different sources counts. The other trips are its witnesses.
/// This result is not stored, so if the counted trip is deleted, a witness counts instead.
public struct TripWitnesses: Hashable, Sendable {
  /// Id of the counted trip for the id of each witness.
  public let countedIds: [String: String]

  /// Finds the witnesses among all trips in a period. The trips may be in any order.
  ///
  /// A trip is a witness if counted trips from other sources cover more than half of its duration. Trips that the user
  /// entered or classified are counted first, then trips detected by devices, so that an import does not change the
  /// mileage. Among trips of equal rank, the trip with the most fixes is counted first. A counted trip that is part of
  /// a longer trip always becomes a witness of the longer trip.
  public init(among trips: [TripEvent]) {
    var countedIds: [String: String] = [:]
    var group: [TripEvent] = []
    var end = Date.distantPast
    for trip in trips.sorted(by: { $0.start < $1.start }) {
      if trip.start >= end {
        Self.findWitnesses(among: group, &countedIds)
        group = []
      }
      group.append(trip)
      end = max(end, trip.end)
    }
    Self.findWitnesses(among: group, &countedIds)
    self.countedIds = countedIds
  }

  /// Returns whether a trip counts in mileage, reports and odometer checks.
  public func counts(_ trip: TripEvent) -> Bool { countedIds[trip.event.id] == nil }

  /// Finds the witnesses in a group of trips connected by overlaps.
  private static func findWitnesses(among trips: [TripEvent], _ countedIds: inout [String: String]) {
    guard trips.count > 1 else { return }
    let claims = trips.map(Claim.init).sorted { $1.rank < $0.rank }
    guard claims.contains(where: { $0.source != claims[0].source }) else { return }
    var counted: [Claim] = []
    for claim in claims where !claim.isCovered(by: counted) { counted.append(claim) }
    // Check the counted trips again, because one may be part of a longer trip with a lower rank.
    for claim in counted.sorted(by: { ($1.seconds, $0.id) < ($0.seconds, $1.id) })
    where claim.isCovered(by: counted) {
      counted.removeAll { $0.id == claim.id }
    }
    let ids = Set(counted.map(\.id))
    for claim in claims where !ids.contains(claim.id) {
      let others = counted.filter { $0.source != claim.source }
      countedIds[claim.id] = others.max { claim.common($0) < claim.common($1) }?.id
    }
  }

  /// Trip that competes with other trips to be counted.
  private struct Claim {
    let id: String
    let source: String?
    let start: Date
    let end: Date
    /// Precedence: the greater rank is counted first.
    let rank: (Int, Int, TimeInterval, String)

    init(_ trip: TripEvent) {
      (id, source, start, end) = (trip.event.id, trip.device, trip.start, trip.end)
      let isOfUser = trip.device == nil || trip.category != nil && trip.rule == nil
      let isOfDevice = trip.device.map { !Recording.isRecording(device: $0) } ?? true
      rank = (isOfUser ? 2 : isOfDevice ? 1 : 0, trip.fixCount, -trip.start.timeIntervalSinceReferenceDate, id)
    }

    var seconds: TimeInterval { end.timeIntervalSince(start) }

    /// Returns the overlap of two trips in seconds, or a negative number if they do not overlap.
    func common(_ other: Claim) -> TimeInterval { min(end, other.end).timeIntervalSince(max(start, other.start)) }

    /// Returns whether trips from other sources cover more than half of the duration.
    func isCovered(by others: [Claim]) -> Bool {
      var covered = 0.0
      var reached = start
      for other in others.filter({ $0.source != source && common($0) > 0 }).sorted(by: { $0.start < $1.start }) {
        covered += max(0, min(end, other.end).timeIntervalSince(max(reached, other.start)))
        reached = max(reached, other.end)
      }
      return covered > seconds / 2
    }
  }
}
