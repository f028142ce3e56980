public import TrendyInterchange
public import TrendyModels
import TrendyProtocols
import TrendySync
import TrendyTrips

/// What a recorded track brought: the trips in it, and the visits to the person's places.
public struct TrackImport: Hashable, Sendable {
  public struct Count: Hashable, Sendable {
    public var new = 0
    /// Recorded before, here or on another device; also those that were deleted since.
    public var known = 0
  }

  public let file: TrackFile
  public internal(set) var trips: [Event] = []
  public internal(set) var tripCount = Count()
  public internal(set) var visits: [Event] = []
  public internal(set) var visitCount = Count()

  init(file: TrackFile) { self.file = file }

  /// Metres along the file's own points.
  public var length: Double { file.lengthMeters(using: Geodesic.distanceMeters(from:to:)) }

  /// Where a trip's way ends.
  public static func endCoordinate(of trip: Event) -> Coordinate? {
    Polyline.decode(trip.properties[TripRecord.PropertyKey.route.rawValue]?.stringValue ?? "")?.last
  }
}

extension AppContainer {
  /// Finds the trips and visits of a recorded track and records those that are new.
  ///
  /// Their ids follow from what they are, so the same file imported again, here or on another device, adds nothing; and what
  /// was deleted meanwhile does not come back.
  /// - Parameter isDryRun: finds and counts, and records nothing.
  /// - Throws: `InterchangeError` for a file that is broken; nothing of it is recorded then.
  public func importTrack(_ bytes: [UInt8], isDryRun: Bool) throws -> TrackImport {
    var result = TrackImport(file: try TrackFile(reading: bytes))
    result.trips = try trips(in: result.file, isDryRun: isDryRun)
    result.visits = try visits(in: result.file.locations)
    result.tripCount = try record(result.trips, isDryRun: isDryRun)
    result.visitCount = try record(result.visits, isDryRun: isDryRun)
    if result.tripCount.new + result.visitCount.new > 0, !isDryRun {
      agent.send()
      // What was imported is saved; that the store stays quick to open can wait for whoever has room for it.
      while (try? maintainStore()) == true {}
    }
    return result
  }

  private func trips(in file: TrackFile, isDryRun: Bool) throws -> [Event] {
    let records = TrackDetection.trips(in: file)
    guard !records.isEmpty else { return [] }
    let type = isDryRun ? "" : try tripType().id
    let events = records.compactMap { $0.event(eventTypeId: type) }
    return isDryRun ? events : try events.map { try completed($0) }
  }

  private func visits(in fixes: [Location]) throws -> [Event] {
    let places = try makeStore().fetchAllGeofences()
    let byID = Dictionary(places.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    var visits: [Event] = []
    var open: [String: Int] = [:]
    for crossing in GeofenceMonitor.crossings(in: fixes, geofences: places) {
      switch crossing {
      case .entered(let id, let location):
        guard let place = byID[id], let visit = GeofenceVisit.opened(place, at: location.timestamp) else { continue }
        open[id] = visits.count
        visits.append(visit)
      case .exited(let id, let location):
        guard let place = byID[id] else { continue }
        if let index = open.removeValue(forKey: id) {
          visits[index] = GeofenceVisit.closed(visits[index], at: location.timestamp)
        }
        if let exit = GeofenceVisit.left(place, at: location.timestamp) { visits.append(exit) }
      }
    }
    return visits
  }

  private func record(_ events: [Event], isDryRun: Bool) throws -> TrackImport.Count {
    let store = makeStore()
    let deleted = Set(try store.fetchTombstones().map(\.entityId))
    var count = TrackImport.Count()
    for event in events {
      // What lives, what was deleted on any device, and what is on its way.
      if try deleted.contains(event.id) || store.findEvent(id: event.id) != nil
        || store.heldEntry(kind: .event, id: event.id) != nil || !store.pendingMutations(ofEntity: event.id).isEmpty
        || !store.acceptedMutations(ofEntity: event.id).isEmpty
      {
        count.known += 1
      } else {
        count.new += 1
        if !isDryRun { try recorder.record(event) }
      }
    }
    return count
  }
}
