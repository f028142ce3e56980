import TrendyFoundation
import TrendyModels

/// What was told of one device's trips, on every way by which it is told: by the device's own agent, and by the hub it posts to.
///
/// Both may see one trip, from other fixes and under other ids. Who told of it first tells all of it, and what the other says of it
/// is passed over.
struct CompanionTrips: Hashable, Sendable, Codable {
  private struct Trip: Hashable, Sendable, Codable {
    var id: String
    var link: String
    var start: Date
    /// Missing while it goes on.
    var end: Date?
    /// Whether the companion was told of it on this way.
    var isTold: Bool

    /// Whether both are the same: the later one begins before the other is about to end.
    func isSame(as other: Trip) -> Bool {
      let (first, second) = start <= other.start ? (self, other) : (other, self)
      // Who began to tell and was never heard again speaks for a day.
      guard let end = first.end else { return second.start < first.start + CompanionTrips.longestTrip }
      let tail = min(300, end.timeIntervalSince(first.start) / 2)
      return second.start < end - tail || second.start == first.start
    }
  }

  /// That a trip goes on, as a way last said.
  private struct Activity: Hashable, Sendable, Codable {
    var isActive: Bool
    var at: Date
  }

  private var trips: [Trip] = []
  private var activities: [String: Activity] = [:]
  /// Whether a trip goes on, as the companion was last told; `nil` before the first word of it.
  private var isToldActive: Bool?

  /// Takes the next notice of a way.
  /// - Returns: whether it is news to the companion.
  mutating func take(_ notice: CompanionNotice, over link: String) -> Bool {
    switch notice.kind {
    case CompanionNotice.Kind.tripStarted: return begin(notice, over: link).map { trips[$0].isTold } ?? true
    case CompanionNotice.Kind.tripEnded, CompanionNotice.Kind.tripCancelled:
      guard let index = self.index(of: notice, over: link) ?? begin(notice, over: link) else { return true }
      if notice.kind == CompanionNotice.Kind.tripCancelled { return trips.remove(at: index).isTold }
      trips[index].end = notice.date("end") ?? notice.at
      // What had told of it has taken it back.
      if !trips[index].isTold { trips[index].isTold = !isToldElsewhere(trips[index]) }
      return trips[index].isTold
    case CompanionNotice.Kind.tripActive:
      return act(notice.data["active"]?.boolValue ?? false, at: notice.at, over: link)
    default: return true
    }
  }

  /// Takes that a trip goes on, or that none does.
  /// - Returns: whether it is news to the companion.
  private mutating func act(_ isActive: Bool, at moment: Date, over link: String) -> Bool {
    let goesOnElsewhere = activities.contains {
      $0.key != link && $0.value.isActive && moment < $0.value.at + Self.longestTrip
    }
    activities[link] = Activity(isActive: isActive, at: moment)
    // A way that tells late of a trip that another has told to its end does not begin it again.
    let open = trips.filter { $0.link == link && $0.end == nil }
    let isOwn = open.isEmpty || open.contains { $0.isTold }
    // Where another way says that a trip goes on, it does before this and after.
    let isNews =
      isActive ? isOwn && !(goesOnElsewhere && isToldActive == true) : !goesOnElsewhere && isToldActive != false
    if isNews { isToldActive = isActive }
    return isNews
  }

  /// - Returns: its place among the trips; `nil` for a notice that does not name its trip.
  private mutating func begin(_ notice: CompanionNotice, over link: String) -> Int? {
    guard let id = notice.data["id"]?.stringValue else { return nil }
    if let index = index(of: notice, over: link) {
      // It goes on after all.
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
  /// Seconds.
  private static let longestTrip: TimeInterval = 86_400
}

extension CompanionNotice {
  fileprivate func date(_ name: String) -> Date? { data[name]?.stringValue.flatMap { RFC3339.date(from: $0) } }
}
