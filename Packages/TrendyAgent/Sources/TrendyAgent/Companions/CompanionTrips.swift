import TrendyFoundation
import TrendyModels

/// Trips on one device that are announced over several links: by the device's agent, and by the hub to which the device
/// posts.
///
/// The agent and the hub may detect the same trip from different fixes and under different ids. The link that announces
/// the trip first reports it until its end, and notices about the trip from the other link are discarded.
struct CompanionTrips: Hashable, Sendable, Codable {
  private struct Trip: Hashable, Sendable, Codable {
    var id: String
    var link: String
    var start: Date
    var end: Date?
    /// Whether this link announced the trip to the companion.
    var isTold: Bool

    /// Whether two trips are the same: the later trip starts well before the end of the earlier one.
    func isSame(as other: Trip) -> Bool {
      let (first, second) = start <= other.start ? (self, other) : (other, self)
      // Assume that a trip without an end lasts at most one day.
      guard let end = first.end else { return second.start < first.start + CompanionTrips.longestTrip }
      let tail = min(300, end.timeIntervalSince(first.start) / 2)
      return second.start < end - tail || second.start == first.start
    }
  }

  private struct Activity: Hashable, Sendable, Codable {
    var isActive: Bool
    var at: Date
  }

  private var trips: [Trip] = []
  private var activities: [String: Activity] = [:]
  /// Last state sent to the companion, or `nil`.
  private var isAnnouncedActive: Bool?

  /// Processes the next notice on a link. Returns whether to pass it on to the companion.
  mutating func take(_ notice: CompanionNotice, over link: String) -> Bool {
    switch notice.kind {
    case CompanionNotice.Kind.tripStarted: return begin(notice, over: link).map { trips[$0].isTold } ?? true
    case CompanionNotice.Kind.tripEnded, CompanionNotice.Kind.tripCancelled:
      guard let index = self.index(of: notice, over: link) ?? begin(notice, over: link) else { return true }
      if notice.kind == CompanionNotice.Kind.tripCancelled { return trips.remove(at: index).isTold }
      trips[index].end = notice.date("end") ?? notice.at
      // If the link that announced the trip has since cancelled it, this link reports the trip.
      if !trips[index].isTold { trips[index].isTold = !isToldElsewhere(trips[index]) }
      return trips[index].isTold
    case CompanionNotice.Kind.tripActive:
      return act(notice.data["active"]?.boolValue ?? false, at: notice.at, over: link)
    default: return true
    }
  }

  /// Processes a notice that a trip is or is not in progress. Returns whether to pass it on to the companion.
  private mutating func act(_ isActive: Bool, at moment: Date, over link: String) -> Bool {
    let goesOnElsewhere = activities.contains {
      $0.key != link && $0.value.isActive && moment < $0.value.at + Self.longestTrip
    }
    activities[link] = Activity(isActive: isActive, at: moment)
    // A delayed link must not report a trip as active after another link has reported its end.
    let open = trips.filter { $0.link == link && $0.end == nil }
    let isOwn = open.isEmpty || open.contains { $0.isTold }
    // If a trip is in progress on another link, neither the start nor the end of a trip on this link changes the state.
    let isNews =
      isActive
      ? isOwn && !(goesOnElsewhere && isAnnouncedActive == true) : !goesOnElsewhere && isAnnouncedActive != false
    if isNews { isAnnouncedActive = isActive }
    return isNews
  }

  /// Adds a trip, or reopens a trip that this link has reported before. Returns the trip's index, or `nil` for a notice
  /// without a trip id.
  private mutating func begin(_ notice: CompanionNotice, over link: String) -> Int? {
    guard let id = notice.data["id"]?.stringValue else { return nil }
    if let index = index(of: notice, over: link) {
      // The trip was resumed after its end had been reported.
      trips[index].end = notice.date("end")
      return index
    }
    var trip = Trip(
      id: id, link: link, start: notice.date("start") ?? notice.at, end: notice.date("end"), isTold: true)
    trip.isTold = !isToldElsewhere(trip)
    trips = trips.suffix(Self.memory - 1) + [trip]
    return trips.count - 1
  }

  private func index(of notice: CompanionNotice, over link: String) -> Int? {
    guard let id = notice.data["id"]?.stringValue else { return nil }
    return trips.firstIndex { $0.id == id && $0.link == link }
  }

  private func isToldElsewhere(_ trip: Trip) -> Bool {
    trips.contains { $0.link != trip.link && $0.isTold && $0.isSame(as: trip) }
  }

  private static let memory = 64
  /// Maximum duration of a trip in seconds.
  private static let longestTrip: TimeInterval = 86_400
}

extension CompanionNotice {
  fileprivate func date(_ name: String) -> Date? { data[name]?.stringValue.flatMap { RFC3339.date(from: $0) } }
}
