#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import Synchronization
import TrendyModels
public import TrendyProtocols

/// Reads what devices told, as it comes in, and writes the trips and visits in it as events.
///
/// However the readings come (one by one, in batches, late, again after a restart), the events end as if they had been read in
/// one go: a reading that is older than what was read leads back to a checkpoint before it. What is over is written; what a later
/// reading shows to be otherwise is changed or taken back. An event that the person changed or deleted is theirs: it
/// is not written to any more, and nothing is written in its place.
public final class TrackReader: Sendable {
  fileprivate let store: any TrackStore
  fileprivate let journal: any FindingJournal
  fileprivate let clock: any TimeSource
  /// The last checkpoint of each device as it lies in the store, and what it says.
  private let known = Mutex<[String: (content: [UInt8], checkpoint: Checkpoint)]>([:])

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
  public func read(device: String) throws -> Changes {
    try store.withReader {
      var pass = try Pass(reader: self, device: device)
      return try pass.run()
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
      var pass = try Pass(reader: self, device: device)
      return (kept, try pass.run())
    }
  }

  /// The same for every device.
  @discardableResult
  public func readAll() throws -> Changes {
    var all = Changes()
    for device in try store.devices() {
      // Of recordings, which may be thousands, time alone decides nothing.
      if Recording.isRecording(device: device.name), try store.unread(device: device.name) == nil { continue }
      all.add(try read(device: device.name))
    }
    return all
  }

  /// Reads everything again, or what was told since a moment.
  @discardableResult
  public func readAgain(since: Date? = nil) throws -> Changes {
    for device in try store.devices() {
      var changes = TrackChanges()
      changes.unreadSince = max(since ?? device.firstTime, device.firstTime)
      try store.commit(changes, device: device.name)
    }
    return try readAll()
  }

  /// Why an event is there; `nil` for one that was not made of readings.
  public func explanation(eventId: String) throws -> FindingExplanation? {
    guard let (device, note) = try store.note(.finding, id: eventId) else { return nil }
    let finding = try TrackFinding(note)
    var readings = 0
    try store.forEach(device: device, after: finding.start - 0.001, through: finding.end) { _ in readings += 1 }
    return FindingExplanation(
      device: device, start: finding.start, end: finding.end, isPersonal: finding.standing == .personal,
      isSettled: finding.settledAt != nil, decisions: finding.decisions, readings: readings)
  }

  /// The events that were made of a device's readings, also those that the person changed or deleted since; by their time.
  public func events(device: String) throws -> [(id: String, isTrip: Bool)] {
    try store.notes(.finding, device: device, after: nil, isDescending: false, limit: .max)
      .map { try TrackFinding($0) }.filter { $0.standing != .withdrawn }
      .sorted { ($0.start, $0.key) < ($1.start, $1.key) }.map { ($0.eventId, $0.kind == .trip) }
  }

  /// The trips of a device that were over after a moment, as they were written; also those that the person changed or deleted since.
  public func trips(device: String, since: Date) throws -> [(eventId: String, start: Date, end: Date)] {
    // What is settled was so by its last reading, which is no earlier than its end.
    try store.notes(.finding, device: device, after: since, isDescending: false, limit: .max)
      .map { try TrackFinding($0) }
      .filter { $0.kind == .trip && $0.standing != .withdrawn && $0.intended == nil }
      .compactMap { finding in
        guard let end = finding.end, end > since else { return nil }
        return (finding.eventId, finding.start, end)
      }
  }

  /// Where each device is in its day by now, by device: what was read of it, and what time alone decides since.
  public func presences() throws -> [DevicePresence] {
    try store.devices().compactMap { device in
      guard !Recording.isRecording(device: device.name), var machine = try lastCheckpoint(of: device.name)?.machine
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
}

// MARK: Checkpoints

extension TrackReader {
  struct Checkpoint: Hashable, Sendable, Codable {
    var machine: TrackMachine
    /// Times of the checkpoints before this one that were kept for late readings, rising.
    var kept: [Date]
  }

  fileprivate static func checkpointId(device: String, at time: Date) -> String {
    NaturalKey.id(for: "checkpoint", device, NaturalKey.part(time))
  }

  /// The newest; one that this version cannot read is none.
  fileprivate func lastCheckpoint(of device: String) throws -> Checkpoint? {
    let notes = try store.notes(.checkpoint, device: device, after: nil, isDescending: true, limit: 1)
    guard let content = notes.first?.content else { return nil }
    if let known = known.withLock({ $0[device] }), known.content == content { return known.checkpoint }
    return Self.decode(content)
  }

  fileprivate func keptCheckpoint(of device: String, before time: Date, in times: [Date]) throws -> Checkpoint? {
    for kept in times.reversed() where kept < time {
      guard let found = try store.note(.checkpoint, id: Self.checkpointId(device: device, at: kept)),
        var checkpoint = Self.decode(found.note.content)
      else { continue }
      checkpoint.kept = times.filter { $0 < kept }
      return checkpoint
    }
    return nil
  }

  private static func decode(_ content: [UInt8]) -> Checkpoint? {
    // What another version wrote is read anew from the readings.
    try? WireJSON.decode(Checkpoint.self, from: Data(content))
  }

  fileprivate func remember(_ checkpoint: Checkpoint, content: [UInt8], of device: String) {
    known.withLock { $0[device] = (content, checkpoint) }
  }
}

// MARK: One pass

/// One reading of one device, from the checkpoint before the first new reading to the end.
private struct Pass {
  let reader: TrackReader
  let device: String
  private let now: Date
  private let geofences: [String: Geofence]
  private var changes = TrackReader.Changes()

  init(reader: TrackReader, device: String) throws {
    self.reader = reader
    self.device = device
    now = reader.clock.now
    geofences = Dictionary(
      try reader.journal.geofences().map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  private var store: any TrackStore { reader.store }
  private var journal: any FindingJournal { reader.journal }

  mutating func run() throws -> TrackReader.Changes {
    let unread = try store.unread(device: device)
    let last = try reader.lastCheckpoint(of: device)
    var base = last
    if let since = unread?.since, let time = last?.machine.time, time >= since {
      base = try reader.keptCheckpoint(of: device, before: since, in: last?.kept ?? [])
    }
    // What the checkpoint says is not to be believed where its time is not known to be before everything new.
    let baseTime = base?.machine.time
    var path = Path(base: base, device: device)
    path.machine.update(geofences: Array(geofences.values))
    var found = Findings(geofences: geofences)
    if unread != nil || base != last || last == nil {
      try store.forEach(device: device, after: baseTime, through: nil) { reading in
        for effect in path.take(reading) { found.take(effect, at: reading.timestamp) }
      }
    }
    guard path.machine.time != nil else { return changes }
    var settled = path.machine
    let isOver = Recording.isRecording(device: device)
    for effect in isOver ? settled.finish() : settled.settle(at: now) { found.take(effect, at: nil) }
    found.takeOpen(settled.openVisits)

    let plan = try plan(for: found, since: baseTime)
    var commit = TrackChanges()
    if !plan.operations.isEmpty {
      // Said before it is done: after a crash in between, what stands in the journal is known for its own.
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

/// The machine on its way through the readings, and the checkpoints it leaves behind for readings that will come late.
private struct Path {
  var machine: TrackMachine
  private let device: String
  private var kept: [Date]
  /// Those of ``kept`` that are not in the store yet.
  private var new: [Date: TrackMachine] = [:]
  private var readings = 0

  init(base: TrackReader.Checkpoint?, device: String) {
    self.device = device
    machine = base?.machine ?? TrackMachine(device: device)
    kept = base?.kept ?? []
    // What it goes out from may be needed again.
    if let time = base?.machine.time, isDue(time) {
      kept.append(time)
      new[time] = machine
    }
  }

  var head: TrackReader.Checkpoint { TrackReader.Checkpoint(machine: machine, kept: kept) }

  mutating func take(_ reading: TrackReading) -> [TrackMachine.Effect] {
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

  /// The older they are, the farther apart: late readings are mostly a little late.
  private mutating func thin() {
    guard kept.count > Self.limit else { return }
    let old = kept.prefix(Self.limit / 2)
    for time in old.enumerated().filter({ $0.offset % 2 == 1 }).map(\.element) {
      new[time] = nil
      kept.removeAll { $0 == time }
    }
  }

  mutating func save(last: TrackReader.Checkpoint?, into commit: inout TrackChanges) throws {
    thin()
    var stays = Set(kept)
    if let time = machine.time { stays.insert(time) }
    for time in (last?.kept ?? []) + [last?.machine.time].compactMap(\.self) where !stays.contains(time) {
      commit.removedCheckpoints.append(TrackReader.checkpointId(device: device, at: time))
    }
    for time in kept {
      guard let machine = new[time] else { continue }
      let earlier = kept.filter { $0 < time }
      commit.put.append(try note(TrackReader.Checkpoint(machine: machine, kept: earlier), at: time))
    }
    if let time = machine.time { commit.put.append(try note(head, at: time)) }
  }

  private func note(_ checkpoint: TrackReader.Checkpoint, at time: Date) throws -> TrackNote {
    TrackNote(
      kind: .checkpoint, id: TrackReader.checkpointId(device: device, at: time), time: time,
      content: Array(try WireJSON.encode(checkpoint)))
  }

  /// Readings, and seconds of them, between two checkpoints at least.
  private static let spacing = 500
  private static let interval: TimeInterval = 6 * 3600
  private static let limit = 48
}

/// What the readings of a pass say should be in the journal.
struct Findings {
  private let geofences: [String: Geofence]
  private(set) var byKey: [String: (finding: TrackFinding, record: TripRecord?, event: Event?)] = [:]
  private(set) var refused: Set<String> = []

  init(geofences: [String: Geofence]) { self.geofences = geofences }

  mutating func take(_ effect: TrackMachine.Effect, at time: Date?) {
    switch effect {
    case .trip(let record):
      var finding = TrackFinding(
        key: record.trip.id, kind: .trip, start: record.trip.startTime, end: record.trip.endTime)
      finding.decisions = record.decisions
      finding.settledAt = time
      byKey[finding.key] = (finding, record, nil)
      refused.remove(finding.key)
    case .noTrip(let id):
      byKey[id] = nil
      refused.insert(id)
    case .entered:
      // Whether it is still open shows at the end.
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
    _ event: Event, _ kind: TrackFinding.Kind, _ geofence: Geofence, end: Date?, at time: Date?
  ) {
    var finding = TrackFinding(key: event.id, kind: kind, start: event.timestamp, end: end)
    finding.geofenceId = geofence.id
    finding.circle = geofence.circle
    finding.settledAt = time
    byKey[event.id] = (finding, nil, event)
  }
}

extension Geofence {
  fileprivate var circle: [Double] { [latitude, longitude, radius] }
}

// MARK: What is to be done

private struct Plan {
  struct Operation {
    enum What {
      case create(Event)
      /// The event as it is held, and as it is to be.
      case update(Event, Event)
      case delete
    }

    var finding: TrackFinding
    var what: What
  }

  var operations: [Operation] = []
  /// Findings of which nothing is to be done in the journal.
  var remarks: [TrackFinding] = []
  var removedNotes: [String] = []

  func notes(isIntent: Bool) throws -> [TrackNote] {
    let findings = operations.map(\.finding) + (isIntent ? [] : remarks)
    return try findings.map { try $0.note() }
  }
}

extension Pass {
  private func plan(for found: Findings, since baseTime: Date?) throws -> Plan {
    var plan = Plan()
    var held = try store.notes(.finding, device: device, after: baseTime, isDescending: false, limit: .max)
      .map { try TrackFinding($0) }
    let keys = Set(held.map(\.key))
    for key in found.byKey.keys.sorted() + found.refused.sorted() where !keys.contains(key) {
      // A ride that went on after it was closed: told before the checkpoint.
      if let note = try store.note(.finding, id: key), note.device == device {
        held.append(try TrackFinding(note.note))
      }
    }
    var events: [String: Event] = [:]
    for index in held.indices where held[index].standing == .own {
      let finding = held[index]
      let event = try journal.event(id: finding.eventId)
      events[finding.eventId] = event
      let ours = [finding.written, finding.intended].compactMap(\.self)
      if let event {
        if !ours.contains(where: { event.isAsWritten($0) }) { held[index].standing = .personal }
      } else if finding.written != nil {
        // The person deleted it; the intent alone may not have been carried out.
        held[index].standing = .personal
      }
    }

    var free = Set(held.indices)
    var byKey: [String: Int] = [:]
    for index in held.indices where held[index].standing != .withdrawn { byKey[held[index].key] = index }
    var open: [TrackFinding] = []
    for key in found.byKey.keys.sorted() {
      guard let finding = found.byKey[key]?.finding else { continue }
      if let index = byKey[key] {
        free.remove(index)
        try settle(finding, over: held[index], event: events[held[index].eventId], in: found, into: &plan)
      } else {
        open.append(finding)
      }
    }
    let ids = Set(held.map(\.eventId))
    // What moved keeps its event: the earlier begun takes the one it has most in common with.
    for finding in open.sorted(by: { ($0.start, $0.key) < ($1.start, $1.key) }) {
      let alike = free.filter { index in
        held[index].kind == finding.kind && held[index].geofenceId == finding.geofenceId
          && held[index].standing != .withdrawn && held[index].overlap(with: finding) > 0
      }
      if let index = alike.max(by: {
        (held[$0].overlap(with: finding), held[$1].key) < (held[$1].overlap(with: finding), held[$0].key)
      }) {
        free.remove(index)
        try settle(finding, over: held[index], event: events[held[index].eventId], in: found, into: &plan)
        continue
      }
      let isTheirs = held.contains { other in
        other.standing == .personal && other.kind == finding.kind && other.geofenceId == finding.geofenceId
          && other.overlap(with: finding) > (finding.end ?? now).timeIntervalSince(finding.start) / 2
      }
      if !isTheirs { try create(finding, used: ids, in: found, into: &plan) }
    }
    for index in free.sorted() { withdraw(held[index], event: events[held[index].eventId], into: &plan) }
    return plan
  }

  /// A finding that was made before, perhaps otherwise.
  private func settle(
    _ finding: TrackFinding, over held: TrackFinding, event: Event?, in found: Findings, into plan: inout Plan
  ) throws {
    var settled = finding
    settled.eventId = held.eventId
    settled.standing = held.standing
    settled.written = held.written
    guard held.standing == .own else {
      if settled != held { plan.remarks.append(settled) }
      return
    }
    let wanted = try wanted(finding, id: held.eventId, in: found)
    guard let event else {
      // It was to be written when the process ended.
      create(settled, as: try completed(wanted, of: finding), into: &plan)
      return
    }
    // As it stands it was written last, also where a crash came before that was noted.
    if let intended = held.intended, event.isAsWritten(intended) { settled.written = intended }
    if event.isAsWritten(wanted.createRequest) {
      if settled != held { plan.remarks.append(settled) }
      return
    }
    let updated = event.updated(by: wanted)
    settled.intended = updated.createRequest
    plan.operations.append(.init(finding: settled, what: .update(event, updated)))
  }

  private func create(
    _ finding: TrackFinding, used ids: Set<String>, in found: Findings, into plan: inout Plan
  ) throws {
    var finding = finding
    // An id that was taken back cannot come again: the next in its row.
    var times = 0
    while try ids.contains(finding.eventId) || isWithdrawn(finding.eventId) {
      times += 1
      finding.eventId = NaturalKey.id(for: finding.key, "again", String(times))
    }
    create(finding, as: try completed(wanted(finding, id: finding.eventId, in: found), of: finding), into: &plan)
  }

  private func create(_ finding: TrackFinding, as event: Event, into plan: inout Plan) {
    var finding = finding
    finding.intended = event.createRequest
    plan.operations.append(.init(finding: finding, what: .create(event)))
  }

  private func completed(_ event: Event, of finding: TrackFinding) throws -> Event {
    finding.kind == .trip ? try journal.completed(event, device: device) : event
  }

  private func isWithdrawn(_ id: String) throws -> Bool {
    try store.note(.finding, id: id).map { try TrackFinding($0.note).standing == .withdrawn } ?? false
  }

  /// A finding that the readings do not bear out any more.
  private func withdraw(_ held: TrackFinding, event: Event?, into plan: inout Plan) {
    var finding = held
    guard held.standing != .withdrawn else { return }
    if let id = held.geofenceId, geofences[id]?.circle != held.circle || geofences[id]?.isActive != true {
      // The place is not what it was: its readings say nothing of the visits of then.
      guard held.settledAt == nil else { return }
      finding.settledAt = now
      plan.remarks.append(finding)
      return
    }
    guard held.standing == .own, let event else {
      if held.standing == .own { plan.removedNotes.append(held.eventId) } else { plan.remarks.append(finding) }
      return
    }
    guard [held.written, held.intended].contains(where: { $0.map { event.isUntouched(since: $0) } ?? false }) else {
      finding.standing = .personal
      plan.remarks.append(finding)
      return
    }
    finding.standing = .withdrawn
    finding.settledAt = finding.settledAt ?? now
    plan.operations.append(.init(finding: finding, what: .delete))
  }

  /// The event of a finding as the journal gives such back: in the wire's own numbers.
  private func wanted(_ finding: TrackFinding, id: String, in found: Findings) throws -> Event {
    guard let (_, record, event) = found.byKey[finding.key],
      var request = try event?.createRequest
        ?? record?.event(eventTypeId: journal.tripTypeId())?.createRequest
    else { preconditionFailure("\(finding.key) was found and has no event") }
    if id != finding.key { request = request.with(id: id) }
    return Event(try WireJSON.decode(CreateEventRequest.self, from: WireJSON.encode(request)))
  }

  private mutating func carryOut(_ operation: inout Plan.Operation) throws {
    let id = operation.finding.eventId
    switch operation.what {
    case .create(let event):
      if let held = try journal.event(id: id) {
        // Written before a crash, or by another hand.
        if !held.isAsWritten(event.createRequest) { operation.finding.standing = .personal }
      } else if try journal.create(event) {
        changes.created.append(id)
      } else {
        operation.finding.standing = .personal
      }
    case .update(let held, let event):
      try journal.update(event, from: held)
      changes.updated.append(id)
    case .delete:
      try journal.delete(eventId: id)
      changes.deleted.append(id)
    }
    operation.finding.written = operation.finding.intended ?? operation.finding.written
    operation.finding.intended = nil
    if case .delete = operation.what { operation.finding.written = nil }
  }
}

extension CreateEventRequest {
  fileprivate func with(id: String) -> CreateEventRequest {
    CreateEventRequest(
      id: id, eventTypeId: eventTypeId, timestamp: timestamp, notes: notes, isAllDay: isAllDay, endDate: endDate,
      sourceType: sourceType, externalId: externalId, originalTitle: originalTitle, geofenceId: geofenceId,
      locationLatitude: locationLatitude, locationLongitude: locationLongitude, locationName: locationName,
      healthKitSampleId: healthKitSampleId, healthKitCategory: healthKitCategory, timeZone: timeZone,
      properties: properties, unknownFields: unknownFields)
  }
}
