import Synchronization
public import TrendyFoundation
public import TrendyInterchange
public import TrendyModels
public import TrendyPersistence
public import TrendyProtocols
public import TrendyTrips

/// Receives readings from devices: stores them in the track log, then writes the detected trips and visits.
///
/// Calls block one another across all processes. A server with many callers uses ``IntakeQueue``, whose callers wait
/// without blocking a thread.
public struct TrackIntake: Sendable {
  private let log: TrackLog
  private let reader: DetectionRunner
  private let clock: any TimeSource
  /// Posts that were not stored completely.
  public let refusedPosts: RejectedPosts

  /// Opens or creates the track log in a directory. Readings more than a day ahead of `clock` are rejected.
  /// - Throws: `StorageError`.
  public init(directory: URL, journal: any DetectedEventStore, clock: any TimeSource) throws {
    refusedPosts = RejectedPosts(directory: directory)
    log = try TrackLog(directory: directory)
    reader = DetectionRunner(store: log, journal: journal, clock: clock)
    self.clock = clock
  }

  /// Creates an intake whose track log and rejected posts are rows in another storage. Readings more than a day ahead
  /// of `clock` are rejected.
  public init(rows: any TrackRows, journal: any DetectedEventStore, clock: any TimeSource) {
    refusedPosts = RejectedPosts(rows: rows)
    log = TrackLog(rows: rows)
    reader = DetectionRunner(store: log, journal: journal, clock: clock)
    self.clock = clock
  }

  /// Result of storing a batch.
  public struct Taken: Hashable, Sendable {
    /// Number of new readings.
    public var added = 0
    /// Number of readings that were already stored.
    public var known = 0
    /// Messages for the first ten invalid or rejected readings.
    public var problems: [String] = []
    /// Number of invalid or rejected readings.
    public var problemCount = 0
    /// Number of valid readings that were rejected, because they are dated in the future.
    public var refused = 0
    /// Changes to detected events.
    public var changes = DetectionRunner.Changes()
    /// Whether any event was created, changed or deleted.
    public var isRecordChanged: Bool { !changes.isEmpty }
    /// Reason why none of the readings could be stored, so that the sender must keep the batch and send it again. `nil`
    /// if at least one reading was stored, or if the batch had no readings.
    public var refusal: String?
    /// Error that prevented detection in the stored readings. The next batch or ``tick()`` runs detection.
    public var delay: String?

    public init() {}
  }

  /// Stores a batch from a device, and writes the trips and visits detected in it. Stored readings are durable even if
  /// detection fails.
  /// - Returns: Counts of readings, and changes to detected events.
  /// - Throws: `StorageError` if the batch could not be stored.
  public func take(_ batch: DeviceBatch, calls: [TripCommand] = [], device: String) throws -> Taken {
    var taken = Taken()
    taken.problemCount = batch.problemCount
    taken.problems = batch.problems.prefix(10).map { "\($0)" }
    var readings = batch.activities.map { TrackReading.motion($0) } + batch.fixes.map { TrackReading.fix($0) }
    readings += calls.map { TrackReading.call($0) }
    let kept = taken.refusingFuture(readings, after: clock.now)
    guard !kept.isEmpty else { return taken }
    let device = Self.name(device)
    let result = try log.append(kept, device: device)
    taken.added = result.added
    taken.known = result.known
    do {
      taken.changes = try reader.read(device: device)
    } catch {
      taken.delay = "\(error)"
    }
    return taken
  }

  /// Stores a posted batch like ``take(_:calls:device:)``, and updates ``refusedPosts``.
  /// - Returns: Counts of readings, and changes to detected events.
  /// - Throws: `StorageError` if the batch could not be stored.
  public func takePost(_ batch: DeviceBatch, calls: [TripCommand] = [], device: String) throws -> Taken {
    var taken = try take(batch, calls: calls, device: device)
    let isKept = taken.added + taken.known > 0
    if !isKept, taken.refused + batch.encryptedMessages > 0 {
      taken.refusal =
        batch.encryptedMessages > 0
        ? DeviceBatch.encryptionAdvice : taken.problems.first ?? "no reading could be stored"
    }
    if let reason = taken.refusal ?? taken.problems.first {
      refusedPosts.note(device: device, reason: reason, isHeldBySender: taken.refusal != nil, at: clock.now)
    } else if isKept {
      refusedPosts.clear(device: device)
    }
    return taken
  }

  /// Stores a track recorded elsewhere, and writes its trips and visits.
  /// - Returns: Counts of readings, and all events of the recording in chronological order, including events that the
  ///   user has edited or deleted.
  /// - Throws: `StorageError` if the track could not be stored.
  public func take(_ fixes: [Location], motion: [MotionActivity]) throws
    -> (taken: Taken, events: [(id: String, isTrip: Bool)])
  {
    var taken = Taken()
    let kept = taken.refusingFuture(fixes.map { .fix($0) }, after: clock.now).compactMap { reading in
      if case .fix(let fix) = reading { fix } else { nil }
    }
    guard let recording = Recording(fixes: kept, motion: motion) else { return (taken, []) }
    let (result, changes) = try reader.take(recording.readings, device: recording.device)
    taken.added = result.added
    taken.known = result.known
    taken.changes = changes
    return (taken, try reader.events(device: recording.device))
  }

  /// Performs maintenance of the track log, and writes the trips and visits that end because of a gap. Returns whether
  /// any event was written.
  @discardableResult
  public func tick() throws -> Bool {
    while try log.maintain() {}
    return try !reader.readAll().isEmpty
  }

  func findAll() throws -> DetectionRunner.Changes { try reader.readAll() }

  /// Repeats detection on all stored readings, or on the readings since a given time.
  /// - Parameters:
  ///   - since: Time from which readings are processed, or `nil` for all readings.
  ///   - onProgress: Called every few hundred readings. If it throws, detection ends. Events detected so far remain,
  ///     and the next ``tick()`` processes the remaining readings.
  /// - Returns: Changes to detected events.
  /// - Throws: Errors from the store or `onProgress`.
  public func readAgain(
    since: Date? = nil, onProgress: (DetectionRunner.Progress) throws -> Void = { _ in }
  ) throws -> DetectionRunner.Changes {
    try reader.readAgain(since: since, onProgress: onProgress)
  }

  /// Returns the current state of each device.
  public func presences() throws -> [DevicePresence] { try reader.presences() }

  /// Returns the names of devices that have stored readings, excluding imported recordings and display-only tracks.
  public func devices() throws -> [String] {
    try log.devices().map(\.name).filter {
      !Recording.isRecording(device: $0) && !DisplayOnlyTrack.isKept(device: $0)
    }
  }

  /// Returns the time of the newest reading of any device, or `nil` if there are no readings.
  public func lastReading() throws -> Date? { try log.devices().map(\.lastTime).max() }

  /// Returns the trips of a device that ended after a time.
  public func trips(device: String, since: Date) throws -> [(eventId: String, start: Date, end: Date)] {
    try reader.trips(device: Self.name(device), since: since)
  }

  /// Returns the trip in progress of a device, or `nil`.
  public func openTrip(device: String) throws -> TripRecord? {
    try reader.presences().first { $0.device == Self.name(device) }?.trip
  }

  /// Returns the fixes in a period if exactly one device has any, or an empty array if not.
  public func fixesOfOneDevice(in span: ClosedRange<Date>) throws -> [Location] {
    try log.fixesOfOneDevice(in: span)
  }

  /// Returns one part of the stored readings for an export (see `TrackLog.part(in:after:)`).
  /// - Parameters:
  ///   - span: Period, or `nil` for all readings.
  ///   - position: End of the previous part, or `nil` for the first part.
  /// - Returns: Records and the end of the part. The end is `nil` after the last part.
  public func part(
    in span: ClosedRange<Date>?, after position: (device: String, moment: Date)?
  ) throws -> (records: [InterchangeRecord], end: (device: String, moment: Date)?) {
    try log.part(in: span, after: position)
  }

  /// Returns an explanation of why an event was detected, or `nil` if the event was not detected in this log.
  public func explanation(eventId: String) throws -> FindingExplanation? {
    try reader.explanation(eventId: eventId)
  }

  /// Returns a device name that the track log accepts: 1 to 128 bytes, and different from the names of recordings.
  static func name(_ device: String) -> String {
    let isTaken = device.isEmpty || Recording.isRecording(device: device) || DisplayOnlyTrack.isKept(device: device)
    var name = isTaken ? "device" + device : device
    while name.utf8.count > 128 { name.removeLast() }
    return name
  }
}

extension TrackIntake.Taken {
  /// Returns the readings that are not dated in the future. Counts readings dated in the future as rejected, except
  /// motion samples.
  fileprivate mutating func refusingFuture(_ readings: [TrackReading], after now: Date) -> [TrackReading] {
    let latest = now.addingTimeInterval(Self.longestLead)
    return readings.filter { reading in
      if reading.timestamp <= latest { return true }
      if case .motion = reading { return false }
      problemCount += 1
      refused += 1
      if problems.count < 10 {
        problems.append(
          "\(RFC3339.string(from: reading.timestamp)) is more than a day ahead of this machine's clock: ignored")
      }
      return false
    }
  }

  /// Maximum time in seconds by which a reading may be ahead of the clock. Clocks of devices are usually wrong by
  /// either minutes or years.
  private static let longestLead: TimeInterval = 86_400
}

/// Shared queue for the track intake of a record within one process. Created on first use.
public actor SharedIntake {
  private let record: DeviceRecord
  private var queue: IntakeQueue?

  /// Creates a queue for the readings of a record.
  public init(_ record: DeviceRecord) { self.record = record }

  /// Returns the queue. The first call opens the track log.
  public func make() throws -> IntakeQueue {
    if let queue { return queue }
    let queue = IntakeQueue(try record.makeTrackIntake())
    self.queue = queue
    return queue
  }

  /// Returns the queue, or `nil` if no device has ever sent readings.
  public func present() throws -> IntakeQueue? { queue == nil && !record.hasTracks ? nil : try make() }
}

/// Runs calls on a track intake one at a time. Opens the intake on demand.
public actor IntakeQueue {
  private enum State {
    case closed
    case open(TrackIntake)
    case inUse
  }

  private let make: @Sendable () throws -> TrackIntake
  private nonisolated let state: Mutex<State>

  public init(_ intake: TrackIntake) {
    make = { intake }
    state = Mutex(.open(intake))
  }

  /// Creates a queue. `make` opens the intake, and is called again after ``closeIfIdle()`` or after an error.
  public init(opening make: @escaping @Sendable () throws -> TrackIntake) {
    self.make = make
    state = Mutex(.closed)
  }

  /// Runs `body` with the intake, after all earlier calls. Opens the intake if necessary.
  public func run<Result: Sendable>(_ body: @Sendable (TrackIntake) throws -> Result) throws -> Result {
    let known: TrackIntake? = state.withLock { state in
      defer { state = .inUse }
      return if case .open(let intake) = state { intake } else { nil }
    }
    let intake: TrackIntake
    do {
      intake = try known ?? make()
    } catch {
      state.withLock { $0 = .closed }
      throw error
    }
    defer { state.withLock { $0 = .open(intake) } }
    return try body(intake)
  }

  /// Closes the track log unless a call is in progress. Never waits.
  /// - Returns: Whether the track log is closed.
  public nonisolated func closeIfIdle() -> Bool {
    state.withLock { state in
      if case .inUse = state { return false }
      state = .closed
      return true
    }
  }
}
