import Synchronization
public import TrendyFoundation
import TrendyModels
public import TrendyProtocols

/// Reads what devices told, as it comes in, and writes the trips and visits in it as events.
///
/// However the readings come (one by one, in batches, late, again after a restart), the events end as if they had been read in
/// one go: a reading that is older than what was read leads back to a checkpoint before it. What is over is written; what a later
/// reading shows to be otherwise is changed or taken back. An event that the person changed or deleted is theirs: it
/// is not written to any more, and nothing is written in its place.
public final class TrackReader: Sendable {
  let store: any TrackStore
  let journal: any FindingJournal
  let clock: any TimeSource
  /// The last checkpoint of each device as it lies in the store, and what it says.
  private let known = Mutex<[String: (content: [UInt8], checkpoint: Checkpoint)]>([:])
  /// The places as they were last, as given and put in order.
  private let lastPlaces = Mutex<(given: [Geofence], sorted: [Geofence], byId: [String: Geofence])>(([], [], [:]))

  public init(store: any TrackStore, journal: any FindingJournal, clock: any TimeSource) {
    self.store = store
    self.journal = journal
    self.clock = clock
  }

  /// What reading changed in the journal, by event ids.
  public struct Changes: Hashable, Sendable {
    public var created: [String] = []
    public var updated: [String] = []
    public var deleted: [String] = []

    public init() {}

    public mutating func add(_ other: Changes) {
      created += other.created
      updated += other.updated
      deleted += other.deleted
    }

    public var isEmpty: Bool { created.isEmpty && updated.isEmpty && deleted.isEmpty }
  }

  /// Reads what is new of one device, and closes what has been silent for long enough by now.
  @discardableResult
  public func read(device: String) throws -> Changes { try read(device: device) { _ in } }

  private func read(device: String, onReading: (Date) throws -> Void) throws -> Changes {
    try store.withReader {
      var pass = try TrackPass(reader: self, device: device)
      return try pass.run(onReading: onReading)
    }
  }

  /// Keeps readings of a device and reads them while nobody else does: what is said to be new is so by these.
  public func take(_ readings: [TrackReading], device: String) throws -> (kept: TrackAppend, changes: Changes) {
    try store.withReader {
      var kept = TrackAppend()
      // A long track in steps, so that none is too large for a save.
      var rest = readings[...]
      while !rest.isEmpty {
        let part = try store.append(Array(rest.prefix(20_000)), device: device)
        kept.added += part.added
        kept.known += part.known
        kept.invalid += part.invalid
        rest = rest.dropFirst(20_000)
      }
      var pass = try TrackPass(reader: self, device: device)
      return (kept, try pass.run())
    }
  }

  /// The same for every device.
  @discardableResult
  public func readAll() throws -> Changes {
    var all = Changes()
    for device in try store.devices() where !KeptPath.isKept(device: device.name) {
      // Of recordings, which may be thousands, time alone decides nothing.
      if Recording.isRecording(device: device.name), try store.unread(device: device.name) == nil { continue }
      all.add(try read(device: device.name))
    }
    return all
  }

  /// How much recorded time was read, of how much there is: seconds, over all devices.
  public struct Progress: Hashable, Sendable {
    public var done: TimeInterval
    public var total: TimeInterval

    public init(done: TimeInterval, total: TimeInterval) {
      self.done = done
      self.total = total
    }
  }

  /// Reads everything again, or what was told since a moment.
  /// - Parameters:
  ///   - since: the moment; `nil` for everything.
  ///   - onProgress: is called every few hundred readings. What it throws ends the reading: what was read until then stands, and
  ///     the rest is read by the next ``readAll()``.
  @discardableResult
  public func readAgain(since: Date? = nil, onProgress: (Progress) throws -> Void = { _ in }) throws -> Changes {
    let spans = try store.devices().filter { !KeptPath.isKept(device: $0.name) }.map { device in
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
        // A device may have told more since the devices were listed, and is read from a checkpoint before the moment on.
        progress.done = before + min(max(time.timeIntervalSince(span.start), 0), span.length)
        try onProgress(progress)
      }
      all.add(changes)
      progress.done = before + span.length
    }
    try onProgress(progress)
    return all
  }

  /// Why an event is there; `nil` for one that was not made of readings.
  public func explanation(eventId: String) throws -> FindingExplanation? {
    guard let (device, note) = try store.note(.finding, id: eventId) else { return nil }
    let finding = try TrackFinding(note)
    var readings = 0
    try store.forEach(device: device, after: finding.start - 0.001, through: finding.end) { _ in readings += 1 }
    // As they are of: one about a fix may be taken before one about the rest that the trip began in.
    let decisions = finding.decisions.enumerated()
      .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    return FindingExplanation(
      device: device, start: finding.start, end: finding.end, isPersonal: finding.standing == .personal,
      isSettled: finding.settledAt != nil, decisions: decisions, readings: readings)
  }

  /// The events that were made of a device's readings, also those that the person changed or deleted since; by their time.
  public func events(device: String) throws -> [(id: String, isTrip: Bool)] {
    let findings = try store.notes(.finding, device: device, after: nil, isDescending: false, limit: .max)
      .map { try TrackFinding($0) }
    return findings.filter { $0.standing != .withdrawn }
      .sorted { ($0.start, $0.key) < ($1.start, $1.key) }.map { ($0.twin ?? $0.eventId, $0.kind == .trip) }
  }

  /// The trips of a device that were over after a moment, as they were written; also those that the person changed or deleted since.
  public func trips(device: String, since: Date) throws -> [(eventId: String, start: Date, end: Date)] {
    // What is settled was so by its last reading, which is no earlier than its end.
    let notes = try store.notes(.finding, device: device, after: since, isDescending: false, limit: .max)
    var trips: [(eventId: String, start: Date, end: Date)] = []
    for finding in try notes.map({ try TrackFinding($0) }) where finding.kind == .trip && finding.intended == nil {
      guard finding.standing != .withdrawn, let end = finding.end, end > since else { continue }
      trips.append((finding.eventId, finding.start, end))
    }
    return trips
  }

  /// Where each device is in its day by now, by device: what was read of it, and what time alone decides since.
  public func presences() throws -> [DevicePresence] {
    try store.devices().compactMap { device in
      guard !Recording.isRecording(device: device.name), !KeptPath.isKept(device: device.name),
        var machine = try lastCheckpoint(of: device.name)?.machine
      else { return nil }
      _ = machine.settle(at: clock.now)
      return machine.presence(of: device.name)
    }
  }
}

/// What is known of why an event was made.
public struct FindingExplanation: Hashable, Sendable {
  public var device: String
  public var start: Date
  public var end: Date?
  /// The person changed or deleted it, so that it is not written to any more.
  public var isPersonal: Bool
  /// Later readings do not change it, unless they come late.
  public var isSettled: Bool
  /// Empty where the device itself said when it drove, and for visits.
  public var decisions: [TripDecision]
  /// How many were kept from start to end.
  public var readings: Int

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

extension TrackReader {
  struct Checkpoint: Hashable, Sendable, Codable {
    var machine: TrackMachine
    /// Times of the checkpoints before this one that were kept for late readings, rising.
    var kept: [Date]
  }

  static func checkpointId(device: String, at time: Date) -> String {
    NaturalKey.id(for: "checkpoint", device, NaturalKey.part(time))
  }

  /// The newest; one that this version cannot read is none.
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

  /// The places by now, in the order of their ids and by them. Mostly they are those of the pass before.
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
    // What another version wrote is read anew from the readings.
    try? WireJSON.decode(Checkpoint.self, from: Data(content))
  }

  func remember(_ checkpoint: Checkpoint, content: [UInt8], of device: String) {
    known.withLock { $0[device] = (content, checkpoint) }
  }
}
