import TrendyFoundation
import TrendyInterchange
import TrendyModels
import TrendyProtocols
import TrendyTrips

extension ExternalEvent.DuplicateRule {
  /// Whether two events from different sources describe the same occurrence. Always `false` for events without an end.
  func isMet(by event: Event, and other: Event) -> Bool {
    guard event.id != other.id, !event.isAllDay, !other.isAllDay,
      let end = event.endDate, let otherEnd = other.endDate
    else { return false }
    guard event.eventTypeId == other.eventTypeId else { return event.isOneActivity(with: other) }
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
        || event.place != nil && other.place != nil && event.isOneActivity(with: other)
    case .day: return false
    }
  }

  /// Returns the range of start times in which events may match, or `nil` if no event can match.
  func range(around event: Event) -> Range<Date>? {
    guard let end = event.endDate else { return nil }
    let length = end.timeIntervalSince(event.timestamp)
    switch self {
    case .time: return length > 0 ? event.timestamp.addingTimeInterval(-length)..<end : nil
    case .moments:
      return event.timestamp.addingTimeInterval(-max(60, length))..<max(end, event.timestamp.addingTimeInterval(60.001))
    case .day: return nil
    }
  }
}

extension Event {
  fileprivate var place: Coordinate? {
    guard let locationLatitude, let locationLongitude else { return nil }
    return Coordinate(latitude: locationLatitude, longitude: locationLongitude)
  }

  private var isActivity: Bool {
    sourceType == .trip || properties["activity"] != nil
      || sourceType == .imported && properties[TripRecord.PropertyKey.route.rawValue] != nil
  }

  /// Whether two events, of any types, describe the same activity.
  ///
  /// The two events must overlap by at least 80 % of the longer one. If both have a position, they must start within
  /// 300 m of each other.
  func isOneActivity(with other: Event) -> Bool {
    guard isActivity, other.isActivity, let end = endDate, let otherEnd = other.endDate else { return false }
    let longest = max(end.timeIntervalSince(timestamp), otherEnd.timeIntervalSince(other.timestamp))
    let common = min(end, otherEnd).timeIntervalSince(max(timestamp, other.timestamp))
    guard longest > 0, common >= longest * 0.8 else { return false }
    guard let place, let otherPlace = other.place else { return true }
    return Geodesic.distanceMeters(from: place, to: otherPlace) <= 300
  }

  /// Amount of data from the event's source: a workout ranks above a detected trip, and a workout with energy above a
  /// workout without.
  private var richness: Int { (sourceType == .trip ? 0 : 1) + (properties["energy"] == nil ? 0 : 2) }

  /// Combines this event with an event of the same activity from another source. If both events have a value, the value
  /// from the source with more data is used.
  func merged(with other: Event) -> Event {
    var merged = self
    let isOtherRicher = (other.richness, other.properties.count) > (richness, properties.count)
    if isOtherRicher, sourceType == .trip {
      // The trip becomes a workout and is no longer part of the mileage log.
      merged.eventTypeId = other.eventTypeId
      merged.sourceType = other.sourceType
      merged.properties = [:]
    }
    guard merged.eventTypeId == other.eventTypeId else { return self }
    merged.properties = merged.properties.merging(other.properties) { isOtherRicher ? $1 : $0 }
    if isOtherRicher {
      merged.timestamp = other.timestamp
      merged.endDate = other.endDate ?? endDate
    }
    merged.notes = notes ?? other.notes
    merged.originalTitle = originalTitle ?? other.originalTitle
    merged.locationName = locationName ?? other.locationName
    if merged.locationLatitude == nil {
      merged.locationLatitude = other.locationLatitude
      merged.locationLongitude = other.locationLongitude
    }
    return merged
  }
}
