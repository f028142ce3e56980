import TrendyFoundation
import TrendyModels
import TrendyProtocols

/// Changes that one detection run makes to the stored events.
struct DetectionWritePlan {
  struct Operation {
    enum What {
      case create(Event)
      /// The stored event, then its replacement.
      case update(Event, Event)
      case delete(Event)
    }

    var finding: DetectedEvent
    var what: What
  }

  var operations: [Operation] = []
  /// Detected events whose stored state changes although the event itself does not.
  var remarks: [DetectedEvent] = []
  var removedNotes: [String] = []

  func notes(isIntent: Bool) throws -> [TrackNote] {
    let findings = operations.map(\.finding) + (isIntent ? [] : remarks)
    return try findings.map { try $0.note() }
  }
}

extension DetectionPass {
  /// Compares the detected events with the stored events and returns the changes to make.
  ///
  /// The detection read the readings after `baseTime` and up to `through`. A limit of `nil` means all readings. Events
  /// settled after `through` remain unchanged, but unsettled events are always compared. Events without an end lasted
  /// at least until `seenUntil`, the time of the last reading of the previous detection.
  func plan(
    for found: DetectionResult, since baseTime: Date?, through: Date?, seenUntil: Date, lastTime: Date
  ) throws -> DetectionWritePlan {
    var plan = DetectionWritePlan()
    var notes = try store.notes(
      .finding, device: device, after: baseTime, through: through, isDescending: false, limit: .max)
    if through != nil {
      notes += try store.notes(
        .finding, device: device, after: DetectedEvent.unsettled - 1, isDescending: false, limit: .max)
    }
    var held = try notes.map { try DetectedEvent($0) }
    let others = found.refused.union(found.byKey.keys).subtracting(held.map(\.key))
    if let baseTime, !others.isEmpty {
      // Include earlier trips, because a trip that ended before the checkpoint may have continued after it.
      let earlier = try store.notes(
        .finding, device: device, after: baseTime - Self.reopeningSeconds, through: baseTime, isDescending: false,
        limit: .max)
      held += try earlier.map { try DetectedEvent($0) }.filter { others.contains($0.key) }
    }
    var events: [String: Event] = [:]
    for index in held.indices where held[index].standing == .own || held[index].isToBeDeleted {
      let finding = held[index]
      let event = try journal.event(id: finding.eventId)
      if finding.isToBeDeleted {
        // An earlier process ended during the deletion, so delete the event unless it is already gone.
        if event == nil { continue }
        held[index].standing = .own
      }
      events[finding.eventId] = event
      let ours = [finding.written, finding.intended].compactMap { $0.map { Event($0) } }
      if let event {
        if !ours.contains(where: { event.isAsWritten($0) }) { held[index].standing = .personal }
      } else if finding.written != nil {
        // The user deleted the event. If only the intent was saved, the event may never have been written.
        held[index].standing = .personal
      }
    }

    var free = Set(held.indices)
    var byKey: [String: Int] = [:]
    for index in held.indices where held[index].standing != .withdrawn { byKey[held[index].key] = index }
    var open: [DetectedEvent] = []
    for key in found.byKey.keys.sorted() {
      guard let finding = found.byKey[key]?.finding else { continue }
      if let index = byKey[key] {
        free.remove(index)
        held[index] = try settle(
          finding, over: held[index], event: events[held[index].eventId], in: found, into: &plan)
      } else {
        open.append(finding)
      }
    }
    // An event whose start moved is recognised by overlap: in chronological order, each new event takes over the stored
    // event that it overlaps most.
    for finding in open.sorted(by: { ($0.start, $0.key) < ($1.start, $1.key) }) {
      let alike = free.filter { index in
        held[index].kind == finding.kind && held[index].geofenceId == finding.geofenceId
          && held[index].standing != .withdrawn
      }
      let overlaps = alike.map { (index: $0, seconds: held[$0].overlap(with: finding, openUntil: seenUntil)) }
      let longest = overlaps.filter { $0.seconds > 0 }
        .max { ($0.seconds, held[$1.index].key) < ($1.seconds, held[$0.index].key) }
      if let index = longest?.index {
        free.remove(index)
        held[index] = try settle(
          finding, over: held[index], event: events[held[index].eventId], in: found, into: &plan)
        continue
      }
      let isTheirs = held.contains { other in
        other.standing == .personal && other.kind == finding.kind && other.geofenceId == finding.geofenceId
          && other.overlap(with: finding, openUntil: seenUntil) > (finding.end ?? now).timeIntervalSince(finding.start)
            / 2
      }
      if isTheirs { continue }
      if let twin = try twin(of: finding, in: found) {
        var known = finding
        known.twin = twin
        known.standing = .personal
        plan.remarks.append(known)
      } else {
        try create(finding, in: found, into: &plan)
      }
    }
    for index in free.sorted() {
      withdraw(held[index], event: events[held[index].eventId], lastTime: lastTime, into: &plan)
    }
    return plan
  }

  /// Compares a detected event with its stored state and adds the required change to the plan.
  ///
  /// - Returns: The state to store.
  private func settle(
    _ finding: DetectedEvent, over held: DetectedEvent, event: Event?, in found: DetectionResult,
    into plan: inout DetectionWritePlan
  ) throws -> DetectedEvent {
    var settled = finding
    settled.eventId = held.eventId
    settled.standing = held.standing
    settled.twin = held.twin
    settled.written = held.written
    guard held.standing == .own else {
      // The user's version replaces this event. Keep its key and times, so that events detected separately later do not
      // affect it.
      if finding.key != held.key {
        (settled.key, settled.start, settled.end) = (held.key, held.start, held.end ?? finding.end)
      }
      if settled != held { plan.remarks.append(settled) }
      return settled
    }
    let wanted = try wanted(finding, id: held.eventId, in: found)
    guard let event else {
      // Create the event, because an earlier process ended before it did.
      create(settled, as: try completed(wanted, of: finding), into: &plan)
      return settled
    }
    // Record that the intended version was written, which a crash prevented.
    if let intended = held.intended, event.isAsWritten(Event(intended)) { settled.written = intended }
    if event.isAsWritten(wanted) {
      if settled != held { plan.remarks.append(settled) }
      return settled
    }
    let updated = event.updated(by: wanted)
    settled.intended = updated.createRequest
    plan.operations.append(.init(finding: settled, what: .update(event, updated)))
    return settled
  }

  /// Returns the id of an existing event that describes the same trip or visit, or `nil`.
  ///
  /// That event was imported or detected in another recording. Its id differs, because ids are derived from timestamps,
  /// which file formats round differently.
  private func twin(of finding: DetectedEvent, in found: DetectionResult) throws -> String? {
    guard let end = finding.end else { return nil }
    let event = try wanted(finding, id: finding.key, in: found)
    if event.sourceType == .trip, let told = try journal.told(event) { return told }
    guard Recording.isRecording(device: device) else { return nil }
    for other in try store.devices() where other.name != device && Recording.isRecording(device: other.name) {
      guard other.firstTime <= end, other.lastTime >= finding.start else { continue }
      let notes = try store.notes(.finding, device: other.name, after: nil, isDescending: false, limit: .max)
      // Search the notes, because they include events that the user edited or deleted.
      if let known = try notes.map({ try DetectedEvent($0) }).first(where: { $0.isTwin(of: finding, event) }) {
        return known.twin ?? known.eventId
      }
    }
    return try journal.twin(of: event)
  }

  private func create(
    _ finding: DetectedEvent, in found: DetectionResult, into plan: inout DetectionWritePlan
  ) throws {
    var finding = finding
    var times = 0
    while try isTaken(finding.eventId, for: finding) {
      times += 1
      finding.eventId = NaturalKey.id(for: finding.key, "again", String(times))
    }
    create(finding, as: try completed(wanted(finding, id: finding.eventId, in: found), of: finding), into: &plan)
  }

  private func create(_ finding: DetectedEvent, as event: Event, into plan: inout DetectionWritePlan) {
    var finding = finding
    finding.intended = event.createRequest
    plan.operations.append(.init(finding: finding, what: .create(event)))
  }

  private func completed(_ event: Event, of finding: DetectedEvent) throws -> Event {
    finding.kind == .trip ? try journal.completed(event, device: device) : event
  }

  /// Returns whether an event id is already used.
  ///
  /// The id may belong to a withdrawn event, to an event whose start has moved since, or to another device's event with
  /// the same start. A recording shares its ids with the device that recorded it.
  private func isTaken(_ id: String, for finding: DetectedEvent) throws -> Bool {
    guard let (owner, note) = try store.note(.finding, id: id) else { return false }
    let known = try DetectedEvent(note)
    if known.standing == .withdrawn { return true }
    if owner == device { return known.key != finding.key }
    return !Recording.isRecording(device: owner) && !Recording.isRecording(device: device)
  }

  /// Withdraws a detected event that the readings no longer support.
  ///
  /// If the user has edited the event, the event is kept as the user's own instead.
  /// - Parameter lastTime: time of the last reading.
  private func withdraw(_ held: DetectedEvent, event: Event?, lastTime: Date, into plan: inout DetectionWritePlan) {
    var finding = held
    guard held.standing != .withdrawn else { return }
    if let id = held.geofenceId, geofences[id]?.circle != held.circle || geofences[id]?.isActive != true {
      // Keep settled visits to a place that has since been moved, resized or deactivated, because they cannot be
      // verified.
      guard held.settledAt == nil else { return }
      finding.settledAt = now
      plan.remarks.append(finding)
      return
    }
    if held.standing == .own {
      guard let event else {
        plan.removedNotes.append(held.eventId)
        return
      }
      if [held.written, held.intended].contains(where: { $0.map { event.isUntouched(since: Event($0)) } ?? false }) {
        finding.standing = .withdrawn
        finding.settledAt = held.settledAt ?? now
        plan.operations.append(.init(finding: finding, what: .delete(event)))
        return
      }
    }
    finding.standing = .personal
    // The user's event covers the readings so far, but must not absorb later readings.
    finding.end = held.end ?? max(held.start, lastTime)
    finding.settledAt = held.settledAt ?? lastTime
    if finding != held { plan.remarks.append(finding) }
  }

  /// Returns the event to write, with timestamps rounded as the store will return them.
  private func wanted(_ finding: DetectedEvent, id: String, in found: DetectionResult) throws -> Event {
    guard let (_, record, visit) = found.byKey[finding.key],
      var event = try visit ?? record?.event(eventTypeId: journal.tripTypeId(), device: device)
    else { preconditionFailure("the detected event \(finding.key) has no stored event") }
    if id != finding.key { event = event.with(id: id) }
    event.timestamp = RFC3339.rounded(event.timestamp)
    event.endDate = event.endDate.map { RFC3339.rounded($0) }
    return event
  }

  mutating func carryOut(_ operation: inout DetectionWritePlan.Operation) throws {
    let id = operation.finding.eventId
    switch operation.what {
    case .create(let event):
      if let held = try journal.event(id: id) {
        // Another process, or this one before a crash, has created the event.
        if !held.isAsWritten(event) { operation.finding.standing = .personal }
      } else if try journal.create(event) {
        changes.created.append(id)
      } else {
        operation.finding.standing = .personal
      }
    case .update(let held, let event):
      guard try journal.update(event, from: held) else { throw EventChanged() }
      changes.updated.append(id)
    case .delete(let held):
      guard try journal.delete(held) else { throw EventChanged() }
      changes.deleted.append(id)
    }
    operation.finding.written = operation.finding.intended ?? operation.finding.written
    operation.finding.intended = nil
    if case .delete = operation.what { operation.finding.written = nil }
  }
}
