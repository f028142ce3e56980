import TrendyFoundation
public import TrendyInterchange
public import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendyTrips

/// Result of importing a recorded track: its trips, and visits to the user's places.
public struct TrackImport: Hashable, Sendable {
  /// Numbers of new and duplicate items.
  public struct Count: Hashable, Sendable {
    /// Number of items that were not recorded before.
    public var new = 0
    /// Number of items already recorded on any device, including items that have been deleted since.
    public var known = 0
  }

  /// The parsed file.
  public let file: TrackFile
  /// Counts of new and duplicate fixes. In a dry run, the counts that a real import would have.
  public internal(set) var fixCount = Count()
  /// Problems with the first rejected items.
  public internal(set) var problems: [ImportProblem]
  /// Total number of problems.
  public internal(set) var problemCount: Int
  /// Report on the workouts among the tracks, or `nil` if there are none.
  public internal(set) var workouts: ImportReport?
  public internal(set) var trips: [Event] = []
  public internal(set) var tripCount = Count()
  /// Visits in the file, new or not, except visits that the user has deleted.
  public internal(set) var visits: [Event] = []
  public internal(set) var visitCount = Count()

  init(file: TrackFile) {
    self.file = file
    problems = file.problems
    problemCount = file.problemCount
  }

  /// Length of the path through all points in the file, in metres.
  public var length: Double { file.lengthMeters(using: Geodesic.distanceMeters(from:to:)) }

  /// Returns the last coordinate of a trip's route, or `nil` if the trip has no route.
  public static func endCoordinate(of trip: Event) -> Coordinate? {
    Polyline.decode(trip.properties[TripRecord.PropertyKey.route.rawValue]?.stringValue ?? "")?.last
  }
}

extension DeviceRecord {
  /// Imports a recorded track: stores its fixes in the track log, and records new trips, visits and workouts.
  ///
  /// The track log treats each track as a separate device, and the ids of its events are natural keys. Importing the
  /// same track again on any device adds nothing. Deleted events are not recreated, unless they were deleted by undoing
  /// an import. A dry run detects and counts without storing anything.
  /// - Throws: `InterchangeError` for an invalid file. Nothing is then stored.
  public func importTrack(_ bytes: [UInt8], _ request: ImportRequest) throws -> TrackImport {
    let file = try TrackFile(reading: bytes, request.options)
    let format = try InterchangeFormat.of(file)
    let store = try DeviceImportStore(record: self, format: format, request: request)
    let result = try store.importTrack(file, as: format, request)
    guard !request.isDryRun, result.isAnythingNew else { return result }
    onChange()
    // Ignore maintenance errors, because the import is durable and maintenance can run later.
    _ = try? makeTrackIntake().tick()
    while (try? maintain()) == true {}
    return result
  }
}

extension InterchangeFormat {
  static func of(_ file: TrackFile) throws(InterchangeError) -> InterchangeFormat {
    guard let format = named(file.format.rawValue) else { throw .unknownFormat(seen: file.format.name) }
    return format
  }
}

extension ImportStore {
  /// Imports a recorded track: stores its fixes, and records new trips, visits and workouts.
  /// - Throws: `InterchangeError` for an invalid file. Nothing is then stored.
  public func importTrack(_ bytes: [UInt8], _ request: ImportRequest) throws -> TrackImport {
    let file = try TrackFile(reading: bytes, request.options)
    return try importTrack(file, as: .of(file), request)
  }

  func importTrack(_ file: TrackFile, as format: InterchangeFormat, _ request: ImportRequest) throws -> TrackImport {
    var result = TrackImport(file: file)
    let (workouts, rest) = file.separatingWorkouts(
      zone: request.options.zone.name, using: Geodesic.distanceMeters(from:to:))
    if !workouts.isEmpty {
      let report = try RecordImporter(store: self, format: format, request: request).run { body in
        for (index, workout) in workouts.enumerated() { try body(.event(workout), "track \(index + 1)") }
      }
      result.fixCount.new += report.newReadings
      result.fixCount.known += report.knownReadings
      result.problems += report.problems
      result.problemCount += report.badCount
      result.workouts = report
    }
    for fixes in rest.recordings {
      let taken = try take(recording: fixes, motion: rest.activities, isDryRun: request.isDryRun)
      result.fixCount.new += taken.added
      result.fixCount.known += taken.known
      result.problemCount += taken.problems.count
      result.problems += taken.problems.map { ImportProblem(place: "the track", reason: $0) }
      for found in taken.events { result.add(found.event, isTrip: found.isTrip, isNew: found.isNew) }
    }
    if !request.isDryRun {
      if result.fixCount.new > 0 { try noteReadings() }
      try finish()
    }
    return result
  }

  func take(recording fixes: [Location], motion: [MotionActivity], isDryRun: Bool) throws -> TakenRecording {
    var taken = TakenRecording()
    let latest = latestFix
    for fix in fixes where fix.timestamp > latest {
      taken.problems.append(
        "\(RFC3339.string(from: fix.timestamp)) is more than a day ahead of this machine's clock: ignored")
    }
    guard let recording = Recording(fixes: fixes.filter { $0.timestamp <= latest }, motion: motion) else {
      return taken
    }
    let log = try isDryRun ? presentTrackLog() : openTrackLog()
    let compared =
      try log?.comparison(of: recording.readings, device: recording.device) ?? TrackComparison(of: recording.readings)
    for time in compared.displaced {
      taken.problems.append(
        "the store already has another position at \(RFC3339.string(from: time)); only one is kept")
    }
    let journal = try makeJournal()
    if isDryRun {
      (taken.added, taken.known) = (compared.new, compared.known)
      for event in recording.events(geofences: try journal.geofences(), tripTypeId: "", stop: try journal.tripStop()) {
        let isTrip = event.sourceType == .trip
        let isPresent = try isKnown(.event, id: event.id) || journal.twin(of: event) != nil
        // Skip the trip if another source has recorded it under another type.
        if !isPresent, isTrip, try journal.told(event) != nil { continue }
        taken.events.append((event, isTrip, !isPresent))
      }
      return taken
    }
    let (result, found) = try makeTrackIntake().take(fixes, motion: motion)
    (taken.added, taken.known) = (result.added, result.known)
    let new = Set(result.changes.created).union(try restore(found.map(\.id), of: recording, journal))
    for (id, isTrip) in found {
      // `nil` if the user has deleted the event, which then counts as already recorded.
      let event = try event(id: id)
      if let event, isTrip, event.sourceType != .trip { continue }
      taken.events.append((event, isTrip, new.contains(id)))
    }
    return taken
  }

  private func restore(_ ids: [String], of recording: Recording, _ journal: any DetectedEventStore) throws -> Set<
    String
  > {
    let missing = try ids.filter { try event(id: $0) == nil && isTakenBack(.event, id: $0) }
    guard !missing.isEmpty else { return [] }
    let type = try journal.tripTypeId()
    let events = try recording.events(geofences: journal.geofences(), tripTypeId: type, stop: journal.tripStop())
      .filter { missing.contains($0.id) }
      .map { try $0.sourceType == .trip ? journal.completed($0, device: recording.device) : $0 }
    let areNew = try save(events.map { .event($0) })
    return Set(zip(events, areNew).filter(\.1).map(\.0.id))
  }
}

struct TakenRecording {
  var added = 0
  var known = 0
  var problems: [String] = []
  /// Detected trips and visits. The event is `nil` if the user has deleted it.
  var events: [(event: Event?, isTrip: Bool, isNew: Bool)] = []
}

extension TrackImport {
  /// Whether the import stored anything new.
  public var isAnythingNew: Bool { fixCount.new + tripCount.new + visitCount.new + (workouts?.newCount ?? 0) > 0 }
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
