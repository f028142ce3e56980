import TrendyFoundation
import TrendyInterchange
import TrendyModels
import TrendyProtocols
import TrendyTrips

extension ForeignEvent.Sameness {
  /// Whether two events of one type, of two sources, tell of one thing. Only those that end are compared.
  func isMet(by event: Event, and other: Event) -> Bool {
    guard event.id != other.id, event.eventTypeId == other.eventTypeId, !event.isAllDay, !other.isAllDay,
      let end = event.endDate, let otherEnd = other.endDate
    else { return false }
    let length = end.timeIntervalSince(event.timestamp)
    let otherLength = otherEnd.timeIntervalSince(other.timestamp)
    switch self {
    case .time(let metres):
      let common = min(end, otherEnd).timeIntervalSince(max(event.timestamp, other.timestamp))
      guard common > 0, common > max(length, otherLength) / 2 else { return false }
      guard let place = event.place, let otherPlace = other.place else { return true }
      return Geodesic.distanceMeters(from: place, to: otherPlace) <= metres
    case .moments:
      return abs(event.timestamp.timeIntervalSince(other.timestamp)) <= 60
        && abs(length - otherLength) <= 0.05 * max(length, otherLength)
    }
  }

  /// When one of the same thing can have begun.
  func range(around event: Event) -> Range<Date>? {
    guard let end = event.endDate else { return nil }
    switch self {
    case .time:
      let length = end.timeIntervalSince(event.timestamp)
      return length > 0 ? event.timestamp.addingTimeInterval(-length)..<end : nil
    case .moments: return event.timestamp.addingTimeInterval(-60)..<event.timestamp.addingTimeInterval(60.001)
    }
  }
}

extension Event {
  fileprivate var place: Coordinate? {
    guard let locationLatitude, let locationLongitude else { return nil }
    return Coordinate(latitude: locationLatitude, longitude: locationLongitude)
  }
}
