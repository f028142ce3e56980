import TrendyFoundation
import TrendyModels

/// Events that one detection run derives from the readings alone.
struct DetectionResult {
  private let geofences: [String: Geofence]
  private(set) var byKey: [String: (finding: DetectedEvent, record: TripRecord?, event: Event?)] = [:]
  private(set) var refused: Set<String> = []

  init(geofences: [String: Geofence]) { self.geofences = geofences }

  mutating func take(_ effect: DetectionStateMachine.Effect, at time: Date?) {
    switch effect {
    case .trip(let record):
      var finding = DetectedEvent(
        key: record.trip.id, kind: .trip, start: record.trip.startTime, end: record.trip.endTime)
      finding.decisions = record.decisions
      finding.settledAt = time
      byKey[finding.key] = (finding, record, nil)
      refused.remove(finding.key)
    case .noTrip(let id):
      byKey[id] = nil
      refused.insert(id)
    case .entered:
      // Visits without an exit are added by `takeOpen` after the last reading.
      break
    case .exited(let id, let enteredAt, let date):
      guard let geofence = geofences[id] else { return }
      if let enteredAt { take(visit: geofence, from: enteredAt, to: date, at: time) }
      guard let event = GeofenceVisit.left(geofence, at: date) else { return }
      take(event, .exit, geofence, end: date, at: time)
    }
  }

  mutating func takeOpen(_ visits: [String: Date]) {
    for (id, enteredAt) in visits {
      if let geofence = geofences[id] { take(visit: geofence, from: enteredAt, to: nil, at: nil) }
    }
  }

  private mutating func take(visit geofence: Geofence, from start: Date, to end: Date?, at time: Date?) {
    guard let opened = GeofenceVisit.opened(geofence, at: start) else { return }
    take(end.map { GeofenceVisit.closed(opened, at: $0) } ?? opened, .visit, geofence, end: end, at: time)
  }

  private mutating func take(
    _ event: Event, _ kind: DetectedEvent.Kind, _ geofence: Geofence, end: Date?, at time: Date?
  ) {
    var finding = DetectedEvent(key: event.id, kind: kind, start: event.timestamp, end: end)
    finding.geofenceId = geofence.id
    finding.circle = geofence.circle
    finding.settledAt = time
    byKey[event.id] = (finding, nil, event)
  }
}

extension Geofence {
  var circle: [Double] { [latitude, longitude, radius] }
}
