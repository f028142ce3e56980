import TrendyFoundation
import TrendyModels

/// Trips of one device that were announced over several links: by the device's agent and by the hub to which it posts.
///
/// Both may detect the same trip from different fixes and with different ids. The link that announces it first reports
/// the whole trip; notices of the other link about it are dropped.
struct CompanionTrips: Hashable, Sendable, Codable {
  private struct Trip: Hashable, Sendable, Codable {
    var id: String
    var link: String
    var start: Date
    /// `nil` while the trip is in progress.
    var end: Date?
    /// Whether the companion was notified of the trip over this link.
    var isTold: Bool

    /// Whether both are the same trip: the later one starts clearly before the earlier one ends.
    func isSame(as other: Trip) -> Bool {
      let (first, second) = start <= other.start ? (self, other) : (other, self)
      // A trip without an end is assumed to last at most a day.
      guard let end = first.end else { return second.start < first.start + CompanionTrips.longestTrip }
      let tail = min(300, end.timeIntervalSince(first.start) / 2)
      return second.start < end - tail || second.start == first.start
    }
  }

  /// Last state that a link reported.
  private struct Activity: Hashable, Sendable, Codable {
    var isActive: Bool
    var at: Date
  }

  private var trips: [Trip] = []
  private var activities: [String: Activity] = [:]
  /// State that the companion was last sent; `nil` before the first.
  private var isToldActive: Bool?

  /// Applies the next notice of a link.
  /// - Parameters:
  ///   - notice: The notice.
  ///   - link: Id of the link.
  /// - Returns: Whether to pass the notice on to the companion.
  mutating func take(_ notice: CompanionNotice, over link: String) -> Bool {
    switch notice.kind {
    case CompanionNotice.Kind.tripStarted: return begin(notice, over: link).map { trips[$0].isTold } ?? true
    case CompanionNotice.Kind.tripEnded, CompanionNotice.Kind.tripCancelled:
      guard let index = self.index(of: notice, over: link) ?? begin(notice, over: link) else { return true }
      if notice.kind == CompanionNotice.Kind.tripCancelled { return trips.remove(at: index).isTold }
      trips[index].end = notice.date("end") ?? notice.at
      // The link that had announced the trip may have cancelled it.
      if !trips[index].isTold { trips[index].isTold = !isToldElsewhere(trips[index]) }
      return trips[index].isTold
    case CompanionNotice.Kind.tripActive:
      return act(notice.data["active"]?.boolValue ?? false, at: notice.at, over: link)
    default: return true
    }
  }

  /// Applies a notice about whether a trip is in progress.
  /// - Parameters:
  ///   - isActive: Whether a trip is in progress.
  ///   - moment: Time of the notice.
  ///   - link: Id of the link.
  /// - Returns: Whether to pass the notice on to the companion.
  private mutating func act(_ isActive: Bool, at moment: Date, over link: String) -> Bool {
    let goesOnElsewhere = activities.contains {
      $0.key != link && $0.value.isActive && moment < $0.value.at + Self.longestTrip
    }
    activities[link] = Activity(isActive: isActive, at: moment)
    // A delayed link must not report a trip as active that another link has already reported as ended.
    let open = trips.filter { $0.link == link && $0.end == nil }
    let isOwn = open.isEmpty || open.contains { $0.isTold }
    // A trip in progress on another link makes both start and end of this one irrelevant.
    let isNews =
      isActive ? isOwn && !(goesOnElsewhere && isToldActive == true) : !goesOnElsewhere && isToldActive != false
    if isNews { isToldActive = isActive }
    return isNews
  }

  /// Adds a trip, or reopens it if it is known.
  /// - Parameters:
  ///   - notice: Notice about the trip.
  ///   - link: Id of the link.
  /// - Returns: Index of the trip; `nil` for a notice without a trip id.
  private mutating func begin(_ notice: CompanionNotice, over link: String) -> Int? {
    guard let id = notice.data["id"]?.stringValue else { return nil }
    if let index = index(of: notice, over: link) {
      // The trip has been resumed.
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
  /// Maximum duration of a trip, in seconds.
  private static let longestTrip: TimeInterval = 86_400
}

extension CompanionNotice {
  fileprivate func date(_ name: String) -> Date? { data[name]?.stringValue.flatMap { RFC3339.date(from: $0) } }
}
