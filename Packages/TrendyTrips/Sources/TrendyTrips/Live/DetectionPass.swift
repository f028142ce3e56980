import TrendyFoundation
import TrendyModels
import TrendyProtocols

/// One run of detection over the readings from one device, from the last usable checkpoint to the last reading.
struct DetectionPass {
  let reader: DetectionRunner
  let device: String
  let now: Date
  /// The user's places, also by id in ``geofences``.
  let places: [Geofence]
  let geofences: [String: Geofence]
  let stop: TripStop
  var changes = DetectionRunner.Changes()

  init(reader: DetectionRunner, device: String) throws {
    self.reader = reader
    self.device = device
    now = reader.clock.now
    (places, geofences) = try reader.places(of: device)
    stop = try reader.journal.tripStop()
  }

  var store: any TrackStore { reader.store }
  var journal: any DetectedEventStore { reader.journal }

  /// Runs detection and writes the changes. Repeats detection if an event was edited between the comparison and the
  /// write.
  ///
  /// - Parameter onReading: called every 256 readings with the time reached. If it throws, the run ends without
  ///   writing.
  mutating func run(onReading: (Date) throws -> Void = { _ in }) throws -> DetectionRunner.Changes {
    for _ in 1..<Self.attempts {
      do {
        return try runOnce(onReading: onReading)
      } catch is EventChanged {}
    }
    return try runOnce(onReading: onReading)
  }

  private static let attempts = 4

  private mutating func runOnce(onReading: (Date) throws -> Void) throws -> DetectionRunner.Changes {
    let unread = try store.unread(device: device)
    let last = try reader.lastCheckpoint(of: device)
    var base = last
    if let since = unread?.since, let time = last?.machine.time, time >= since {
      base = try reader.keptCheckpoint(of: device, before: since, in: last?.kept ?? [])
    }
    // A checkpoint at or after the first new reading cannot be used.
    let baseTime = base?.machine.time
    var path = DetectionReplay(base: base, device: device)
    path.machine.update(geofences: places, stop: stop)
    var found = DetectionResult(geofences: geofences)
    var through: Date?
    if unread != nil || base != last || last == nil {
      through = try readOn(
        from: baseTime, last: last, newThrough: unread?.through, path: &path, found: &found, onReading)
    }
    guard let lastTime = path.machine.time else { return changes }
    var settled = path.machine
    let isOver = Recording.isRecording(device: device)
    for effect in isOver ? settled.finish() : settled.settle(at: now) { found.take(effect, at: nil) }
    found.takeOpen(settled.openVisits)

    let plan = try plan(
      for: found, since: baseTime, through: through, seenUntil: last?.machine.time ?? lastTime, lastTime: lastTime)
    var commit = TrackChanges()
    if !plan.operations.isEmpty {
      // Save the intent first, so that after a crash before the second save, the event is recognised as detected.
      commit.put = try plan.notes(isIntent: true)
      try store.commit(commit, device: device)
    }
    var finished = plan
    for index in finished.operations.indices { try carryOut(&finished.operations[index]) }
    commit = TrackChanges()
    commit.put = try finished.notes(isIntent: false)
    commit.removedFindings = finished.removedNotes
    if unread != nil || last != path.head {
      try path.save(last: last, into: &commit)
      commit.readThrough = unread?.generation
    }
    if commit != TrackChanges() { try store.commit(commit, device: device) }
    if let head = commit.put.last(where: { $0.kind == .checkpoint }) {
      reader.remember(path.head, content: head.content, of: device)
    }
    return changes
  }
}

/// Error thrown if an event was edited or deleted between the comparison and the write.
struct EventChanged: Error, CustomStringConvertible {
  var description: String { "an event is changed repeatedly by other writers; detection resumes with the next reading" }
}

extension DetectionPass {
  /// Processes the readings after the base checkpoint.
  ///
  /// Ends early if the state at a stored checkpoint after the last new reading equals that checkpoint, because the
  /// remaining readings would yield the same results as before.
  /// - Parameter newThrough: time of the last new reading, or `nil` if unknown.
  /// - Returns: The time of that checkpoint, or `nil` if all readings were read.
  private func readOn(
    from baseTime: Date?, last: DetectionRunner.Checkpoint?, newThrough: Date?, path: inout DetectionReplay,
    found: inout DetectionResult, _ onReading: (Date) throws -> Void
  ) throws -> Date? {
    var position = baseTime
    for stop in last?.kept ?? [] {
      guard let newThrough, stop >= newThrough, stop > baseTime ?? .distantPast else { continue }
      try readOn(after: position, through: stop, path: &path, found: &found, onReading)
      position = stop
      if let last, try isAsBefore(path.machine, at: stop, found) {
        path.goOn(from: stop, as: last, places: places, stop: self.stop)
        return stop
      }
    }
    try readOn(after: position, through: nil, path: &path, found: &found, onReading)
    return nil
  }

  private func readOn(
    after: Date?, through: Date?, path: inout DetectionReplay, found: inout DetectionResult,
    _ onReading: (Date) throws -> Void
  ) throws {
    var count = 0
    try store.forEach(device: device, after: after, through: through) { reading in
      count += 1
      if count % 256 == 0 { try onReading(reading.timestamp) }
      for effect in path.take(reading) { found.take(effect, at: reading.timestamp) }
    }
  }

  /// Returns whether the state equals the checkpoint at `stop`, and no event completed later is detected differently
  /// now.
  private func isAsBefore(_ machine: DetectionStateMachine, at stop: Date, _ found: DetectionResult) throws -> Bool {
    guard machine.time == stop else { return false }
    guard let note = try store.note(.checkpoint, id: DetectionRunner.checkpointId(device: device, at: stop))?.note,
      let checkpoint = DetectionRunner.decode(note.content)
    else { return false }
    guard checkpoint.machine == machine.withoutSettings else { return false }
    let later = try store.notes(
      .finding, device: device, after: stop, through: stop + Self.reopeningSeconds, isDescending: false, limit: .max)
    for note in later {
      let key = try DetectedEvent(note).key
      if found.byKey[key] != nil || found.refused.contains(key) { return false }
    }
    return try !found.byKey.keys.contains { key in
      try store.note(.finding, id: key).map { try DetectedEvent($0.note).standing == .withdrawn } ?? false
    }
  }

  /// Time in seconds after which a finished trip can no longer be reopened.
  static let reopeningSeconds: TimeInterval = 3 * 86_400
}

/// State machine during a detection run, with the checkpoints that it creates for later runs.
struct DetectionReplay {
  var machine: DetectionStateMachine
  private let device: String
  private var kept: [Date]
  /// Checkpoints at times in `kept` that have not been stored yet.
  private var new: [Date: DetectionStateMachine] = [:]
  private var readings = 0

  init(base: DetectionRunner.Checkpoint?, device: String) {
    self.device = device
    machine = base?.machine ?? DetectionStateMachine(device: device)
    kept = base?.kept ?? []
    // Keep the base checkpoint, because a later run may need it.
    if let time = base?.machine.time, isDue(time) {
      kept.append(time)
      new[time] = machine
    }
  }

  var head: DetectionRunner.Checkpoint { DetectionRunner.Checkpoint(machine: machine.withoutSettings, kept: kept) }

  /// Continues with the last checkpoint. At `time`, the state must equal that of the previous detection.
  mutating func goOn(from time: Date, as last: DetectionRunner.Checkpoint, places: [Geofence], stop: TripStop) {
    machine = last.machine
    machine.update(geofences: places, stop: stop)
    kept = kept.filter { $0 < time } + last.kept.filter { $0 >= time }
    new = new.filter { $0.key < time }
  }

  mutating func take(_ reading: TrackReading) -> [DetectionStateMachine.Effect] {
    let before = machine.time
    readings += 1
    if readings >= Self.spacing, let before, reading.timestamp > before, isDue(before) {
      readings = 0
      kept.append(before)
      new[before] = machine
      thin()
    }
    return machine.take(reading)
  }

  private func isDue(_ time: Date) -> Bool {
    kept.last.map { time.timeIntervalSince($0) >= Self.interval } ?? true
  }

  /// Removes every other older checkpoint, because most late readings are only slightly late.
  private mutating func thin() {
    guard kept.count > Self.limit else { return }
    let old = kept.prefix(Self.limit / 2)
    for time in old.enumerated().filter({ $0.offset % 2 == 1 }).map(\.element) {
      new[time] = nil
      kept.removeAll { $0 == time }
    }
  }

  mutating func save(last: DetectionRunner.Checkpoint?, into commit: inout TrackChanges) throws {
    thin()
    var stays = Set(kept)
    if let time = machine.time { stays.insert(time) }
    for time in (last?.kept ?? []) + [last?.machine.time].compactMap(\.self) where !stays.contains(time) {
      commit.removedCheckpoints.append(DetectionRunner.checkpointId(device: device, at: time))
    }
    for time in kept {
      guard let machine = new[time] else { continue }
      let earlier = kept.filter { $0 < time }
      commit.put.append(try note(DetectionRunner.Checkpoint(machine: machine.withoutSettings, kept: earlier), at: time))
    }
    if let time = machine.time { commit.put.append(try note(head, at: time)) }
  }

  private func note(_ checkpoint: DetectionRunner.Checkpoint, at time: Date) throws -> TrackNote {
    TrackNote(
      kind: .checkpoint, id: DetectionRunner.checkpointId(device: device, at: time), time: time,
      content: Array(try WireJSON.encode(checkpoint)))
  }

  /// Minimum number of readings between two checkpoints.
  private static let spacing = 500
  /// Minimum number of seconds between two checkpoints.
  private static let interval: TimeInterval = 6 * 3600
  /// Number of checkpoints above which old checkpoints are thinned.
  private static let limit = 48
}
