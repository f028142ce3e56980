import Synchronization
public import TrendyFoundation
public import TrendyInterchange
public import TrendyModels
public import TrendyPersistence
public import TrendyProtocols
public import TrendyTrips

/// Takes in what devices tell: first into the track log, then what comes of it into a journal.
///
/// Its calls wait for one another, in this process and others. Where many come at once, an ``IntakeQueue`` lets them wait without
/// a thread.
public struct TrackIntake: Sendable {
  private let log: TrackLog
  private let reader: TrackReader
  private let clock: any TimeSource
  /// What was sent and not kept.
  public let refusedPosts: RefusedPosts

  /// Opens the log in the folder, or makes it.
  public init(directory: URL, journal: any FindingJournal, clock: any TimeSource) throws {
    refusedPosts = RefusedPosts(directory: directory)
    log = try TrackLog(directory: directory)
    reader = TrackReader(store: log, journal: journal, clock: clock)
    self.clock = clock
  }

  /// Takes in to rows that are kept elsewhere, what was refused included.
  public init(rows: any TrackRows, journal: any FindingJournal, clock: any TimeSource) {
    refusedPosts = RefusedPosts(rows: rows)
    log = TrackLog(rows: rows)
    reader = TrackReader(store: log, journal: journal, clock: clock)
    self.clock = clock
  }

  /// What became of a batch.
  public struct Taken: Hashable, Sendable {
    public var added = 0
    public var known = 0
    public var problems: [String] = []
    public var problemCount = 0
    /// Readings that were understood and not kept.
    public var refused = 0
    public var changes = TrackReader.Changes()
    public var isRecordChanged: Bool { !changes.isEmpty }
    /// Why its sender has to keep it and send it again: all that was understood of it could not be kept. `nil` where something was, or
    /// there was nothing to keep.
    public var refusal: String?
    /// Why it was kept and not looked through at once; the next batch, or ``tick()``, does.
    public var delay: String?

    public init() {}
  }

  /// Keeps a batch, and writes the trips and visits that come of it. What is kept is durable, whatever becomes of the rest.
  /// - Throws: `StorageError` where it could not be kept.
  public func take(_ batch: DeviceBatch, calls: [TripCall] = [], device: String) throws -> Taken {
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

  /// As ``take(_:calls:device:)``, of what a device posted: what was not kept of it is noted for the person in ``refusedPosts``, until a
  /// later post is kept whole.
  public func takePost(_ batch: DeviceBatch, calls: [TripCall] = [], device: String) throws -> Taken {
    var taken = try take(batch, calls: calls, device: device)
    let isKept = taken.added + taken.known > 0
    if !isKept, taken.refused + batch.encryptedMessages > 0 {
      taken.refusal =
        batch.encryptedMessages > 0
        ? DeviceBatch.encryptionAdvice : taken.problems.first ?? "nothing of it could be kept"
    }
    if let reason = taken.refusal ?? taken.problems.first {
      refusedPosts.note(device: device, reason: reason, isHeldBySender: taken.refusal != nil, at: clock.now)
    } else if isKept {
      refusedPosts.clear(device: device)
    }
    return taken
  }

  /// Keeps a track that was recorded elsewhere, and writes the trips and visits in it.
  /// - Returns: what became of it, and the events that are of it by now, those that the person changed or deleted included; by time.
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

  /// Keeps the log quick, and writes what time alone decides: trips that silence closed, visits of which nothing more was heard.
  /// - Returns: whether anything was written.
  @discardableResult
  public func tick() throws -> Bool {
    while try log.maintain() {}
    return try !reader.readAll().isEmpty
  }

  /// Finds trips and visits in what was kept and not looked through yet.
  func findAll() throws -> TrackReader.Changes { try reader.readAll() }

  /// Finds trips and visits again in what was kept, all of it or since a moment.
  /// - Parameters:
  ///   - since: the moment; `nil` for all.
  ///   - onProgress: is called every few hundred readings. What it throws ends the work; what was found until then stands, and
  ///     the next ``tick()`` reads the rest.
  public func readAgain(
    since: Date? = nil, onProgress: (TrackReader.Progress) throws -> Void = { _ in }
  ) throws -> TrackReader.Changes {
    try reader.readAgain(since: since, onProgress: onProgress)
  }

  /// Where each device is in its day by now.
  public func presences() throws -> [DevicePresence] { try reader.presences() }

  /// Those of whom anything was kept, recordings and paths not counted.
  public func devices() throws -> [String] {
    try log.devices().map(\.name).filter {
      !Recording.isRecording(device: $0) && !KeptPath.isKept(device: $0)
    }
  }

  /// The time of the newest reading of all devices; `nil` where there is none.
  public func lastReading() throws -> Date? { try log.devices().map(\.lastTime).max() }

  /// The trips of a device that were over after a moment.
  public func trips(device: String, since: Date) throws -> [(eventId: String, start: Date, end: Date)] {
    try reader.trips(device: Self.name(device), since: since)
  }

  /// The trip of a device that goes on.
  public func openTrip(device: String) throws -> TripRecord? {
    try reader.presences().first { $0.device == Self.name(device) }?.trip
  }

  /// The fixes of a span of time, in their order, where exactly one device has some.
  public func fixesOfOneDevice(in span: ClosedRange<Date>) throws -> [Location] {
    try log.fixesOfOneDevice(in: span)
  }

  /// A part of what devices told, as the log gives it.
  public func part(
    in span: ClosedRange<Date>?, after position: (device: String, moment: Date)?
  ) throws -> (records: [InterchangeRecord], end: (device: String, moment: Date)?) {
    try log.part(in: span, after: position)
  }

  public func explanation(eventId: String) throws -> FindingExplanation? {
    try reader.explanation(eventId: eventId)
  }

  /// What a device calls itself, as far as a log takes it: 1 to 128 bytes, and not what a recording is called.
  static func name(_ device: String) -> String {
    let isTaken = device.isEmpty || Recording.isRecording(device: device) || KeptPath.isKept(device: device)
    var name = isTaken ? "device" + device : device
    while name.utf8.count > 128 { name.removeLast() }
    return name
  }
}

extension TrackIntake.Taken {
  /// Readings that can be of their time; of the others it is noted that they were refused.
  fileprivate mutating func refusingFuture(_ readings: [TrackReading], after now: Date) -> [TrackReading] {
    let latest = now.addingTimeInterval(Self.longestLead)
    return readings.filter { reading in
      // Also not a number.
      if reading.timestamp <= latest { return true }
      if case .motion = reading { return false }
      problemCount += 1
      refused += 1
      if problems.count < 10 {
        problems.append(
          "\(RFC3339.string(from: reading.timestamp)) is more than a day ahead of this machine's clock: not kept")
      }
      return false
    }
  }

  /// Seconds: clocks of devices go wrong by minutes or by years.
  private static let longestLead: TimeInterval = 86_400
}

/// The one queue to a store's intake, for all who use it in a process; made when there is something to take in or to read.
public actor SharedIntake {
  private let record: DeviceRecord
  private var queue: IntakeQueue?

  public init(_ record: DeviceRecord) { self.record = record }

  public func make() throws -> IntakeQueue {
    if let queue { return queue }
    let queue = IntakeQueue(try record.makeTrackIntake())
    self.queue = queue
    return queue
  }

  /// `nil` where no device ever told something.
  public func present() throws -> IntakeQueue? { queue == nil && !record.hasTracks ? nil : try make() }
}

/// Lets the calls of a server come to an intake one after the other, and opens it when it is asked for.
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

  /// - Parameter make: opens the intake; called again after ``closeIfIdle()``, and after a call in which it threw.
  public init(opening make: @escaping @Sendable () throws -> TrackIntake) {
    self.make = make
    state = Mutex(.closed)
  }

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

  /// Closes the log where no call is at work; never waits.
  /// - Returns: whether it is closed.
  public nonisolated func closeIfIdle() -> Bool {
    state.withLock { state in
      if case .inUse = state { return false }
      state = .closed
      return true
    }
  }
}
