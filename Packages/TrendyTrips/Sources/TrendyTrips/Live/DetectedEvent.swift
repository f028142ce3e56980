import TrendyFoundation
public import TrendyModels
import TrendyProtocols

/// Stored state of one detected event.
///
/// Used to distinguish the user's edits from detection's own writes, and to explain why the event exists.
struct DetectedEvent: Hashable, Sendable, Codable {
  enum Kind: String, Hashable, Sendable, Codable {
    case trip
    case visit
    /// Exit from a place whose exits are recorded as separate events.
    case exit
  }

  enum Standing: String, Hashable, Sendable, Codable {
    /// The user has not changed the fields that detection writes.
    case own
    /// The user edited or deleted the event. Detection no longer writes to it.
    case personal
    /// A later run did not detect the event again, and deletes the event. Its id is never reused.
    case withdrawn
  }

  /// Id derived from the readings. `eventId` may differ, because an event keeps its id when a late fix moves its start.
  var key: String
  var eventId: String
  var kind: Kind
  var geofenceId: String?
  /// Latitude, longitude and radius (degrees, metres) of the place at the time of detection.
  var circle: [Double]?
  var start: Date
  /// End of the trip or visit, or `nil` while a visit is open.
  var end: Date?
  var standing = Standing.own
  /// Id of an event from another recording or an import that describes the same trip or visit. If set, this event is
  /// not written.
  var twin: String?
  /// Event as detection last wrote it.
  var written: CreateEventRequest?
  /// Event about to be written. It is saved first, so that detection recognises the event as its own after a crash.
  var intended: CreateEventRequest?
  var decisions: [TripDecision] = []
  /// Time of the reading that completed the event, or `nil` while further readings may change it.
  var settledAt: Date?

  /// Whether the event has been withdrawn but its deletion has not been confirmed.
  var isToBeDeleted: Bool { standing == .withdrawn && (written != nil || intended != nil) }

  /// Sort value of events that may still change: 9999-12-31, after every real timestamp.
  static let unsettled = Date(timeIntervalSince1970: 253_402_300_799)

  /// Returns the stored form.
  ///
  /// A withdrawn event whose deletion has not been confirmed sorts as unsettled. Every detection run therefore reads
  /// such an event again, even if the clock was wrong at the time of the withdrawal.
  func note() throws -> TrackNote {
    let time = isToBeDeleted ? Self.unsettled : settledAt ?? Self.unsettled
    return TrackNote(kind: .finding, id: eventId, time: time, content: Array(try WireJSON.encode(self)))
  }

  init(_ note: TrackNote) throws { self = try WireJSON.decode(DetectedEvent.self, from: Data(note.content)) }

  init(key: String, kind: Kind, start: Date, end: Date?) {
    self.key = key
    eventId = key
    self.kind = kind
    self.start = start
    self.end = end
  }

  /// Returns the overlap of two detected events in seconds, or a negative number if they do not overlap.
  ///
  /// - Parameter seen: time until which this event is known to have lasted if it has no end. In this case, its duration
  ///   counts as at least 1 s.
  func overlap(with other: DetectedEvent, openUntil seen: Date) -> TimeInterval {
    min(end ?? max(seen, start + 1), other.end ?? .distantFuture).timeIntervalSince(max(start, other.start))
  }
}

extension DetectedEvent {
  /// Returns whether two detected events describe the same trip or visit in two recordings.
  /// - Parameter event: event created for `other`. The two starting points must agree as well.
  func isTwin(of other: DetectedEvent, _ event: Event) -> Bool {
    guard kind == other.kind, geofenceId == other.geofenceId, standing != .withdrawn, let end, let otherEnd = other.end,
      Event.isOneMoment(start, other.start),
      Event.isOneMoment(end, otherEnd, within: Event.twinSeconds(atEndOf: geofenceId))
    else { return false }
    return (written ?? intended).map { Event($0).isOnePlace(as: event) } ?? true
  }
}

extension Event {
  /// Returns whether two events with different ids describe the same trip or visit.
  ///
  /// Their starts and ends must agree within 1 s, because some formats store whole seconds, and their starting points
  /// within 250 m. The ends of two visits to one place may differ by a minute, because fixes without accuracies are
  /// filtered differently.
  public func isTwin(of other: Event) -> Bool {
    guard id != other.id, sourceType == other.sourceType, geofenceId == other.geofenceId, let endDate,
      let otherEnd = other.endDate
    else { return false }
    return Self.isOneMoment(timestamp, other.timestamp)
      && Self.isOneMoment(endDate, otherEnd, within: Self.twinSeconds(atEndOf: geofenceId)) && isOnePlace(as: other)
  }

  /// Maximum difference in seconds between two starts or two ends.
  static let twinSeconds: TimeInterval = 1
  /// Maximum distance between two starting points in metres. The user may carry two receivers.
  private static let twinMetres = 250.0

  /// Returns the maximum difference in seconds between the ends of two visits, or two trips if `geofenceId` is `nil`.
  fileprivate static func twinSeconds(atEndOf geofenceId: String?) -> TimeInterval {
    geofenceId == nil ? twinSeconds : 60
  }

  fileprivate static func isOneMoment(
    _ first: Date, _ second: Date, within seconds: TimeInterval = twinSeconds
  ) -> Bool {
    abs(first.timeIntervalSince(second)) <= seconds
  }

  fileprivate func isOnePlace(as other: Event) -> Bool {
    guard let latitude = locationLatitude, let longitude = locationLongitude,
      let otherLatitude = other.locationLatitude, let otherLongitude = other.locationLongitude
    else { return true }
    return Geodesic.distanceMeters(
      from: Coordinate(latitude: latitude, longitude: longitude),
      to: Coordinate(latitude: otherLatitude, longitude: otherLongitude)) <= Self.twinMetres
  }
}

extension Event {
  /// Returns whether all fields that detection writes still have the values of `written`.
  func isAsWritten(_ written: Event) -> Bool {
    guard eventTypeId == written.eventTypeId, timestamp == written.timestamp, endDate == written.endDate,
      locationLatitude == written.locationLatitude, locationLongitude == written.locationLongitude,
      locationName == written.locationName, sourceType == written.sourceType
    else { return false }
    let properties = properties
    return written.properties.allSatisfy { !Self.found.contains($0.key) || properties[$0.key] == $0.value }
  }

  /// Returns whether the event equals `written` and the user has added neither a note nor properties.
  func isUntouched(since written: Event) -> Bool {
    isAsWritten(written) && notes == nil && properties == written.properties
  }

  /// Returns the event with its detected fields replaced. All other fields keep their values.
  func updated(by finding: Event) -> Event {
    var event = self
    event.eventTypeId = finding.eventTypeId
    event.timestamp = finding.timestamp
    event.endDate = finding.endDate
    event.locationLatitude = finding.locationLatitude
    event.locationLongitude = finding.locationLongitude
    event.locationName = finding.locationName
    for key in Self.found { event.properties[key] = finding.properties[key] }
    return event
  }

  /// Keys of the properties that detection computes, as opposed to properties that the user enters.
  private static let found: Set<String> = [
    TripRecord.PropertyKey.distance.rawValue, TripRecord.PropertyKey.duration.rawValue,
    TripRecord.PropertyKey.averageSpeed.rawValue, TripRecord.PropertyKey.topSpeed.rawValue,
    TripRecord.PropertyKey.route.rawValue, TripRecord.PropertyKey.fixes.rawValue,
    GeofenceVisit.enteredAtKey, GeofenceVisit.exitedAtKey,
    GeofenceVisit.durationKey,
  ]
}
