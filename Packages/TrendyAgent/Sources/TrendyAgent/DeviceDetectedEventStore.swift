public import TrendyFoundation
import TrendyInterchange
public import TrendyModels
import TrendyPersistence
public import TrendyProtocols
import TrendySync
import TrendyTrips

extension DeviceRecord {
  private var tracks: URL { directory.appending(path: "tracks") }

  func openTrackLog() throws -> TrackLog { try TrackLog(directory: tracks) }

  /// Whether the track log exists, because some device has sent readings.
  public var hasTracks: Bool { FileManager.default.fileExists(atPath: tracks.path) }

  /// Returns the devices that have stored readings, ordered by name.
  public func trackDevices() throws -> [TrackDevice] {
    hasTracks ? try TrackLog(directory: tracks).devices() : []
  }

  /// Returns the number of stored fixes of a device.
  public func fixCount(of device: String) throws -> Int {
    var count = 0
    try TrackLog(directory: tracks).forEach(device: device, after: nil, through: nil) { reading in
      if case .fix = reading { count += 1 }
    }
    return count
  }

  /// Calls `body` for the fixes of a device in chronological order.
  ///
  /// The range is inclusive. A range that starts at `distantPast` has no lower bound, and a range that ends at
  /// `distantFuture` has no upper bound.
  public func forEachFix(of device: String, in range: ClosedRange<Date>, _ body: (Location) throws -> Void) throws {
    let after = range.lowerBound == .distantPast ? nil : range.lowerBound.addingTimeInterval(-0.001)
    let through = range.upperBound == .distantFuture ? nil : range.upperBound
    try TrackLog(directory: tracks).forEach(device: device, after: after, through: through) { reading in
      if case .fix(let fix) = reading, range.contains(fix.timestamp) { try body(fix) }
    }
  }

  /// Creates an intake for device readings, and the track log if it does not exist.
  /// - Parameter act: Undo step for the detected events, or `nil` for automatic readings, which cannot be undone.
  /// - Throws: `StorageError`.
  public func makeTrackIntake(for act: UndoableAction? = nil) throws -> TrackIntake {
    try TrackIntake(directory: tracks, journal: journal(for: act), clock: clock)
  }

  func makeTrackIntake(of importStore: DeviceImportStore) throws -> TrackIntake {
    try TrackIntake(directory: tracks, journal: journal(of: importStore), clock: clock)
  }

  func journal(for act: UndoableAction?) -> any DetectedEventStore {
    DeviceDetectedEventStore(record: self, act: act, importStore: nil)
  }

  func journal(of importStore: DeviceImportStore) -> any DetectedEventStore {
    DeviceDetectedEventStore(record: self, act: nil, importStore: importStore)
  }
}

extension DeviceRecord {
  /// Returns the id of an event from another recording that describes the same trip or visit, or `nil`.
  func twin(of event: Event) throws -> String? {
    // Search a wider range, because rounding can change the times of such events by up to one second.
    let range = event.timestamp.addingTimeInterval(-2)..<event.timestamp.addingTimeInterval(2)
    return try makeStore().events(in: range, ofType: nil, limit: nil).first { $0.isTwin(of: event) }?.id
  }
}

extension DeviceRecord {
  /// Returns the id of an imported event that describes the same journey as a detected trip, or `nil`.
  func told(_ trip: Event) throws -> String? {
    guard let range = ExternalEvent.DuplicateRule.time(metres: 150).range(around: trip) else { return nil }
    return try makeStore().events(in: range, ofType: nil, limit: nil).first { $0.tells(of: trip) }?.id
  }
}

extension Event {
  /// Returns whether an event from another source, such as a workout, describes the same journey as a detected trip.
  public func tells(of trip: Event) -> Bool {
    // Imported trips have a transport mode, whereas detected trips do not.
    if sourceType == .trip {
      return properties[ExternalEvent.modeKey] != nil
        && ExternalEvent.DuplicateRule.time(metres: 150).isMet(by: trip, and: self)
    }
    return isOneActivity(with: trip)
  }
}

/// Writes detected events and their mutations to the record of this device.
///
/// `@unchecked`: ``importStore`` is mutable, but only the thread that reads the imported file uses an instance with an
/// import store.
private struct DeviceDetectedEventStore: DetectedEventStore, @unchecked Sendable {
  let record: DeviceRecord
  let act: UndoableAction?
  let importStore: DeviceImportStore?

  private func inOneSave<Result>(_ body: (RecorderChanges) throws -> Result) throws -> Result {
    try act?.inOneSave(body) ?? record.recorder.inOneSave(body)
  }

  func geofences() throws -> [Geofence] { try record.makeStore().fetchAllGeofences() }

  func tripStop() throws -> TripStop {
    TripStop(setting: try record.makeStore().syncedSettings()[TripStop.key])
  }

  func tripTypeId() throws -> String { try record.type(.trip).id }

  func event(id: String) throws -> Event? { try record.makeStore().findEvent(id: id) }

  func twin(of event: Event) throws -> String? { try record.twin(of: event) }

  func told(_ trip: Event) throws -> String? { try record.told(trip) }

  func create(_ event: Event) throws -> Bool {
    // Do not add events to a type that the user has deleted.
    guard try record.makeStore().findEventType(id: event.eventTypeId) != nil else { return false }
    return try inOneSave { save in
      if let importStore { return try importStore.create(event, in: save) }
      return try save.record(event)
    }
  }

  func update(_ event: Event, from held: Event) throws -> Bool {
    guard let request = event.updateRequest(from: held) else { return true }
    return try inOneSave { save in
      guard try save.localStore.findEvent(id: held.id) == held else { return false }
      try save.edit(eventId: held.id) { $0.apply(request) }
      return true
    }
  }

  func delete(_ held: Event) throws -> Bool {
    try inOneSave { save in
      guard try save.localStore.findEvent(id: held.id) == held else { return false }
      return try save.delete(.event, id: held.id)
    }
  }

  func completed(_ trip: Event, device: String) throws -> Event { try record.completed(trip, devices: [device]) }
}
