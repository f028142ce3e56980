import TrendyFoundation
public import TrendyModels
import TrendyProtocols

/// What is remembered of one event that was made of readings: enough to tell a person's edit from its own words, and to say why
/// it is there.
struct TrackFinding: Hashable, Sendable, Codable {
  enum Kind: String, Hashable, Sendable, Codable {
    case trip
    case visit
    /// The moment of leaving, of a place that records such.
    case exit
  }

  enum Standing: String, Hashable, Sendable, Codable {
    /// The event is as it was written here, as far as it was written here.
    case own
    /// The person changed or deleted it: it is theirs.
    case personal
    /// It was found and is not any more; its id cannot come back.
    case withdrawn
  }

  /// The id that follows from what was found. The event's own may be another's: it stays when a late reading moves a start.
  var key: String
  var eventId: String
  var kind: Kind
  var geofenceId: String?
  /// The circle of the place as it was: latitude, longitude, radius.
  var circle: [Double]?
  var start: Date
  /// Missing while it is open.
  var end: Date?
  var standing = Standing.own
  /// The event that another recording of the same thing gave; then there is none of this one.
  var twin: String?
  /// The event as it was written last, and as it is to be written just now.
  var written: CreateEventRequest?
  var intended: CreateEventRequest?
  var decisions: [TripDecision] = []
  /// The reading with which it became what it is; missing while later ones may still change it.
  var settledAt: Date?

  /// Whether it is taken back, and its event is not known to be gone yet.
  var isToBeDeleted: Bool { standing == .withdrawn && (written != nil || intended != nil) }

  /// Sorts what is not settled behind everything.
  static let unsettled = Date(timeIntervalSince1970: 253_402_300_799)

  /// A finding that is still to be deleted counts as unsettled: every pass reads it, whatever the clock said when it was withdrawn.
  func note() throws -> TrackNote {
    let time = isToBeDeleted ? Self.unsettled : settledAt ?? Self.unsettled
    return TrackNote(kind: .finding, id: eventId, time: time, content: Array(try WireJSON.encode(self)))
  }

  init(_ note: TrackNote) throws { self = try WireJSON.decode(TrackFinding.self, from: Data(note.content)) }

  init(key: String, kind: Kind, start: Date, end: Date?) {
    self.key = key
    eventId = key
    self.kind = kind
    self.start = start
    self.end = end
  }

  /// Seconds that both have in common; negative for none.
  /// - Parameter seen: until when this one is known to last if it is open; it may have been seen in one reading only.
  func overlap(with other: TrackFinding, openUntil seen: Date) -> TimeInterval {
    min(end ?? max(seen, start + 1), other.end ?? .distantFuture).timeIntervalSince(max(start, other.start))
  }
}

extension TrackFinding {
  /// Whether this and the other are one thing in two recordings.
  func isTwin(of other: TrackFinding, _ event: Event) -> Bool {
    guard kind == other.kind, geofenceId == other.geofenceId, standing != .withdrawn, let end, let otherEnd = other.end,
      Event.isOneMoment(start, other.start), Event.isOneMoment(end, otherEnd)
    else { return false }
    return (written ?? intended).map { Event($0).isOnePlace(as: event) } ?? true
  }
}

extension Event {
  /// Whether this and the other, of two ids, tell of one thing: a trip or a visit that begins and ends at the same moments, as far as
  /// forms of one track tell them, and begins at the same place.
  public func isTwin(of other: Event) -> Bool {
    guard id != other.id, sourceType == other.sourceType, geofenceId == other.geofenceId, let endDate,
      let otherEnd = other.endDate
    else { return false }
    return Self.isOneMoment(timestamp, other.timestamp) && Self.isOneMoment(endDate, otherEnd) && isOnePlace(as: other)
  }

  /// Seconds: what a form that has whole ones may differ by.
  static let twinSeconds: TimeInterval = 1
  /// Metres between two receivers of one person.
  private static let twinMetres = 250.0

  fileprivate static func isOneMoment(_ first: Date, _ second: Date) -> Bool {
    abs(first.timeIntervalSince(second)) <= twinSeconds
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
  /// Whether everything that was detected is as it was written.
  func isAsWritten(_ written: Event) -> Bool {
    guard eventTypeId == written.eventTypeId, timestamp == written.timestamp, endDate == written.endDate,
      locationLatitude == written.locationLatitude, locationLongitude == written.locationLongitude,
      locationName == written.locationName, sourceType == written.sourceType
    else { return false }
    let properties = properties
    return written.properties.allSatisfy { !Self.found.contains($0.key) || properties[$0.key] == $0.value }
  }

  /// Whether nothing was added to the event since it was written either.
  func isUntouched(since written: Event) -> Bool {
    isAsWritten(written) && notes == nil && properties == written.properties
  }

  /// The event with what was found now; the rest is whoever's it was.
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

  /// The properties that are measured, and not said.
  private static let found: Set<String> = [
    TripRecord.PropertyKey.distance.rawValue, TripRecord.PropertyKey.duration.rawValue,
    TripRecord.PropertyKey.averageSpeed.rawValue, TripRecord.PropertyKey.topSpeed.rawValue,
    TripRecord.PropertyKey.route.rawValue, GeofenceVisit.enteredAtKey, GeofenceVisit.exitedAtKey,
    GeofenceVisit.durationKey,
  ]
}
