import Synchronization
public import TrendyFoundation
import TrendyModels
public import TrendyProtocols

/// Detects trips and visits in the readings from all devices and writes them as events.
///
/// The events do not depend on whether readings arrive one by one, in batches, late, or again after a restart. If a
/// reading is older than the last one, detection starts again from a checkpoint before that reading. Events are written
/// when they have ended, and updated or deleted if later readings contradict them. Events that the user edited or
/// deleted are neither changed nor detected again.
public final class DetectionRunner: Sendable {
  let store: any TrackStore
  let journal: any DetectedEventStore
  let clock: any TimeSource
  /// Last checkpoint for each device, with its stored bytes.
  private let known = Mutex<[String: (content: [UInt8], checkpoint: Checkpoint)]>([:])
  /// Places used by the previous run, as the store returned them, sorted, and by id.
  private let lastPlaces = Mutex<(given: [Geofence], sorted: [Geofence], byId: [String: Geofence])>(([], [], [:]))

  /// Creates a runner that writes detected events to `journal`. `clock` determines how long a device has been silent.
  public init(store: any TrackStore, journal: any DetectedEventStore, clock: any TimeSource) {
    self.store = store
    self.journal = journal
    self.clock = clock
  }

  /// Ids of the events that a run created, updated and deleted.
  public struct Changes: Hashable, Sendable {
    public var created: [String] = []
    public var updated: [String] = []
    public var deleted: [String] = []

    /// Creates an empty set of changes.
    public init() {}

    /// Appends the changes of another run.
    public mutating func add(_ other: Changes) {
      created += other.created
      updated += other.updated
      deleted += other.deleted
    }

    /// Whether the run changed no event.
    public var isEmpty: Bool { created.isEmpty && updated.isEmpty && deleted.isEmpty }
  }

  /// Runs detection over the new readings from one device. Ends trips and visits if the device has been silent for long
  /// enough.
  @discardableResult
  public func read(device: String) throws -> Changes { try read(device: device) { _ in } }

  private func read(device: String, onReading: (Date) throws -> Void) throws -> Changes {
    try store.withReader {
      var pass = try DetectionPass(reader: self, device: device)
      return try pass.run(onReading: onReading)
    }
  }

  /// Stores readings and runs detection over them. Holds one lock throughout, so that the returned changes are exactly
  /// the changes caused by these readings.
  public func take(_ readings: [TrackReading], device: String) throws -> (kept: TrackAppend, changes: Changes) {
    try store.withReader {
      var kept = TrackAppend()
      // Store long tracks in batches to limit the size of each write.
      var rest = readings[...]
      while !rest.isEmpty {
        let part = try store.append(Array(rest.prefix(20_000)), device: device)
        kept.added += part.added
        kept.known += part.known
        kept.invalid += part.invalid
        rest = rest.dropFirst(20_000)
      }
      var pass = try DetectionPass(reader: self, device: device)
      return (kept, try pass.run())
    }
  }

  /// Runs detection over the new readings from all devices.
  @discardableResult
  public func readAll() throws -> Changes {
    var all = Changes()
    for device in try store.devices() where !DisplayOnlyTrack.isKept(device: device.name) {
      // Skip recordings without new readings, which cannot change, because there may be thousands of them.
      if Recording.isRecording(device: device.name), try store.unread(device: device.name) == nil { continue }
      all.add(try read(device: device.name))
    }
    return all
  }

  /// Progress of a repeated detection over all devices, in seconds of recorded time.
  public struct Progress: Hashable, Sendable {
    public var done: TimeInterval
    public var total: TimeInterval

    /// Creates a progress value.
    public init(done: TimeInterval, total: TimeInterval) {
      self.done = done
      self.total = total
    }
  }

  /// Repeats detection over all readings, or over the readings since a given time.
  ///
  /// - Parameters:
  ///   - since: Time from which readings are processed again, or `nil` for all readings.
  ///   - onProgress: Called every 256 readings. If it throws, detection ends. Devices processed before then keep their
  ///     new events, and the next ``readAll()`` processes the remaining devices.
  @discardableResult
  public func readAgain(since: Date? = nil, onProgress: (Progress) throws -> Void = { _ in }) throws -> Changes {
    let spans = try store.devices().filter { !DisplayOnlyTrack.isKept(device: $0.name) }.map { device in
      let start = max(since ?? device.firstTime, device.firstTime)
      return (device: device.name, start: start, length: max(device.lastTime.timeIntervalSince(start), 0))
    }
    for span in spans {
      var changes = TrackChanges()
      changes.unreadSince = span.start
      try store.commit(changes, device: span.device)
    }
    var progress = Progress(done: 0, total: spans.reduce(0) { $0 + $1.length })
    var all = Changes()
    for span in spans {
      let before = progress.done
      try onProgress(progress)
      let changes = try read(device: span.device) { time in
        // Clamp the progress, because the device may have sent more readings since the list was created, and detection
        // starts at an earlier checkpoint.
        progress.done = before + min(max(time.timeIntervalSince(span.start), 0), span.length)
        try onProgress(progress)
      }
      all.add(changes)
      progress.done = before + span.length
    }
    try onProgress(progress)
    return all
  }

  /// Returns an explanation of why an event exists, or `nil` if it was not detected in readings.
  public func explanation(eventId: String) throws -> FindingExplanation? {
    guard let (device, note) = try store.note(.finding, id: eventId) else { return nil }
    let finding = try DetectedEvent(note)
    var readings = 0
    try store.forEach(device: device, after: finding.start - 0.001, through: finding.end) { _ in readings += 1 }
    // Sort by time, because the log may list a decision about a fix before an earlier decision about the stay point.
    let decisions = finding.decisions.enumerated()
      .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    return FindingExplanation(
      device: device, start: finding.start, end: finding.end, isPersonal: finding.standing == .personal,
      isSettled: finding.settledAt != nil, decisions: decisions, readings: readings)
  }

  /// Returns the events detected in a device's readings in order of start, including events that the user edited or
  /// deleted.
  public func events(device: String) throws -> [(id: String, isTrip: Bool)] {
    let findings = try store.notes(.finding, device: device, after: nil, isDescending: false, limit: .max)
      .map { try DetectedEvent($0) }
    return findings.filter { $0.standing != .withdrawn }
      .sorted { ($0.start, $0.key) < ($1.start, $1.key) }.map { ($0.twin ?? $0.eventId, $0.kind == .trip) }
  }

  /// Returns the trips detected for a device that ended after a given time.
  ///
  /// Includes trips that the user edited or deleted.
  public func trips(device: String, since: Date) throws -> [(eventId: String, start: Date, end: Date)] {
    // The log is sorted by the time of the last reading of a trip, which is never before its end.
    let notes = try store.notes(.finding, device: device, after: since, isDescending: false, limit: .max)
    var trips: [(eventId: String, start: Date, end: Date)] = []
    for finding in try notes.map({ try DetectedEvent($0) }) where finding.kind == .trip && finding.intended == nil {
      guard finding.standing != .withdrawn, let end = finding.end, end > since else { continue }
      trips.append((finding.eventId, finding.start, end))
    }
    return trips
  }

  /// Returns the current state of every device that may send more readings, which excludes recordings and display-only
  /// tracks.
  ///
  /// The state accounts for the time since the last reading.
  public func presences() throws -> [DevicePresence] {
    try store.devices().compactMap { device in
      guard !Recording.isRecording(device: device.name), !DisplayOnlyTrack.isKept(device: device.name),
        var machine = try lastCheckpoint(of: device.name)?.machine
      else { return nil }
      _ = machine.settle(at: clock.now)
      return machine.presence(of: device.name)
    }
  }
}

/// Explanation of why a detected event exists.
public struct FindingExplanation: Hashable, Sendable {
  /// Name of the device in the track log.
  public var device: String
  public var start: Date
  public var end: Date?
  /// Whether the user edited or deleted the event. If so, detection no longer changes it.
  public var isPersonal: Bool
  /// Whether the event is final unless a late reading arrives.
  public var isSettled: Bool
  /// Decisions of the trip detector in order of time. Empty for visits, and for trips created by commands.
  public var decisions: [TripDecision]
  /// Number of stored readings between start and end.
  public var readings: Int

  /// Creates an explanation.
  public init(
    device: String, start: Date, end: Date?, isPersonal: Bool, isSettled: Bool, decisions: [TripDecision], readings: Int
  ) {
    self.device = device
    self.start = start
    self.end = end
    self.isPersonal = isPersonal
    self.isSettled = isSettled
    self.decisions = decisions
    self.readings = readings
  }
}

// MARK: Checkpoints

extension DetectionRunner {
  /// Stored state of the state machine at one time.
  struct Checkpoint: Hashable, Sendable, Codable {
    var machine: DetectionStateMachine
    /// Times of the earlier checkpoints that are retained for late readings, ascending.
    var kept: [Date]
  }

  static func checkpointId(device: String, at time: Date) -> String {
    NaturalKey.id(for: "checkpoint", device, NaturalKey.part(time))
  }

  /// Returns the newest checkpoint, or `nil` if there is none or the newest one has another format version.
  func lastCheckpoint(of device: String) throws -> Checkpoint? {
    let notes = try store.notes(.checkpoint, device: device, after: nil, isDescending: true, limit: 1)
    guard let content = notes.first?.content else { return nil }
    if let known = known.withLock({ $0[device] }), known.content == content { return known.checkpoint }
    return Self.decode(content)
  }

  func keptCheckpoint(of device: String, before time: Date, in times: [Date]) throws -> Checkpoint? {
    for kept in times.reversed() where kept < time {
      guard let found = try store.note(.checkpoint, id: Self.checkpointId(device: device, at: kept)),
        var checkpoint = Self.decode(found.note.content)
      else { continue }
      checkpoint.kept = times.filter { $0 < kept }
      return checkpoint
    }
    return nil
  }

  /// Returns the user's places, sorted by id and as a dictionary. Sorts them again only if they have changed.
  func places(of device: String) throws -> (sorted: [Geofence], byId: [String: Geofence]) {
    let given = try journal.geofences()
    return lastPlaces.withLock { last in
      if last.given != given {
        let byId = Dictionary(given.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        last = (given, byId.values.sorted { $0.id < $1.id }, byId)
      }
      return (last.sorted, last.byId)
    }
  }

  static func decode(_ content: [UInt8]) -> Checkpoint? {
    // Decoding fails if the checkpoint has another format version. In this case, detection starts from the first
    // reading.
    try? WireJSON.decode(Checkpoint.self, from: Data(content))
  }

  func remember(_ checkpoint: Checkpoint, content: [UInt8], of device: String) {
    known.withLock { $0[device] = (content, checkpoint) }
  }
}
