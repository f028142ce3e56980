public import TrendyInterchange
public import TrendyModels
import TrendyProtocols
import TrendyTrips

/// What a recorded track brought: the trips in it, and the visits to the person's places.
public struct TrackImport: Hashable, Sendable {
  public struct Count: Hashable, Sendable {
    public var new = 0
    /// Recorded before, here or on another device; also those that were deleted since.
    public var known = 0
  }

  public let file: TrackFile
  /// Fixes that the track log took, and those that it had; a dry run counts none.
  public internal(set) var fixCount = Count()
  /// The first fixes of each recording that were not kept, in words.
  public internal(set) var refusals: [String] = []
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

extension DeviceRecord {
  /// Keeps the fixes of a recorded track in the track log and records the trips and visits in them that are new.
  ///
  /// A track is a device of the log of its own, and the ids of its events follow from what they are: so the same track imported
  /// again, here or on another device, adds nothing; and what was deleted meanwhile does not come back.
  /// - Parameters:
  ///   - bytes: a file in any ``/TrendyInterchange/ImportFormat``.
  ///   - name: of the file, for a person who takes the import back.
  ///   - isDryRun: finds and counts, and keeps nothing.
  /// - Throws: `InterchangeError` for a file that is broken; nothing of it is kept then.
  public func importTrack(_ bytes: [UInt8], name: String = "a track", isDryRun: Bool) throws -> TrackImport {
    let store = try DeviceImportStore(record: self, source: name)
    let result = try store.importTrack(bytes, isDryRun: isDryRun)
    guard !isDryRun, result.isAnythingNew else { return result }
    onChange()
    // What was imported is saved; that the stores stay quick to open can wait for whoever has room for it.
    _ = try? makeTrackIntake().tick()
    while (try? maintain()) == true {}
    return result
  }
}

extension ImportStore {
  /// Keeps the fixes of a recorded track, and records the trips and visits in them that are new.
  /// - Parameters:
  ///   - bytes: a file in any ``/TrendyInterchange/ImportFormat``.
  ///   - isDryRun: finds and counts, and keeps nothing.
  /// - Throws: `InterchangeError` for a file that is broken; nothing of it is kept then.
  public func importTrack(_ bytes: [UInt8], isDryRun: Bool) throws -> TrackImport {
    var result = TrackImport(file: try TrackFile(reading: bytes))
    if isDryRun {
      try preview(&result)
    } else {
      try keep(&result)
      try finish()
    }
    return result
  }

  private func keep(_ result: inout TrackImport) throws {
    let intake = try makeTrackIntake()
    for fixes in result.file.recordings {
      let (taken, found) = try intake.take(fixes, motion: result.file.activities)
      result.fixCount.new += taken.added
      result.fixCount.known += taken.known
      result.refusals += taken.problems
      let new = Set(taken.changes.created)
      for (id, isTrip) in found {
        // What the person deleted is known, and shown no more.
        result.add(try event(id: id), isTrip: isTrip, isNew: new.contains(id))
      }
    }
  }

  private func preview(_ result: inout TrackImport) throws {
    let journal = try makeJournal()
    let places = try journal.geofences()
    let stop = try journal.tripStop()
    for fixes in result.file.recordings {
      guard let recording = Recording(fixes: fixes, motion: result.file.activities) else { continue }
      for event in recording.events(geofences: places, tripTypeId: "", stop: stop) {
        let isKnown = try knows(.event, id: event.id) || journal.twin(of: event) != nil
        result.add(event, isTrip: event.sourceType == .trip, isNew: !isKnown)
      }
    }
  }
}

extension TrackImport {
  /// Whether anything was kept that was not there before.
  public var isAnythingNew: Bool { fixCount.new + tripCount.new + visitCount.new > 0 }
}

extension TrackImport {
  fileprivate mutating func add(_ event: Event?, isTrip: Bool, isNew: Bool) {
    if isTrip {
      tripCount.add(isNew: isNew)
      if let event { trips.append(event) }
    } else {
      visitCount.add(isNew: isNew)
      if let event { visits.append(event) }
    }
  }
}

extension TrackImport.Count {
  fileprivate mutating func add(isNew: Bool) {
    new += isNew ? 1 : 0
    known += isNew ? 0 : 1
  }
}
