#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
public import TrendyModels
import TrendyProtocols
import TrendySync
import TrendyTrips

/// One thing that a person did, and what it changed, so that it can be taken back.
public struct UndoStep: Hashable, Sendable, Codable {
  /// An entity before and after: the fields that make it, or nothing.
  public struct Change: Hashable, Sendable, Codable {
    public var kind: MutationEntityType
    public internal(set) var id: String
    public var before: JSONValue?
    public var after: JSONValue?
  }

  /// What was done, in the words of the command: `split trip 0199f3c2`.
  public var label: String
  public var date: Date
  public var changes: [Change]

  mutating func rename(_ old: String, to new: String) {
    for index in changes.indices where changes[index].id == old { changes[index].id = new }
  }
}

/// The last things that were done, in a file beside the store, the latest last.
///
/// A step is written before it is carried out. One that did not come so far is told by the entities being as they were before,
/// and passed over.
struct UndoLog {
  static let limit = 50
  private let url: URL

  init(storeDirectory: URL) { url = storeDirectory.appending(path: "undo.json") }

  /// Runs `body` while no other process does: of two things done at once both are in the log, and one is taken back once.
  func exclusively<Result>(_ body: () throws -> Result) throws -> Result {
    let path = url.deletingLastPathComponent().appending(path: "undo.lock").path
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw OwnerOnlyFile.WriteError(path: path, code: errno) }
    // Freed by the kernel, whatever ends the process.
    defer { close(descriptor) }
    while flock(descriptor, LOCK_EX) != 0 {
      guard errno == EINTR else { throw OwnerOnlyFile.WriteError(path: path, code: errno) }
    }
    return try body()
  }

  func load() throws -> [UndoStep] {
    guard FileManager.default.fileExists(atPath: url.path) else { return [] }
    do {
      return try WireJSON.decode([UndoStep].self, from: Data(contentsOf: url))
    } catch {
      throw UndoError.unreadable(path: url.path)
    }
  }

  func save(_ steps: [UndoStep]) throws {
    try OwnerOnlyFile.replace(url, with: WireJSON.encode(Array(steps.suffix(Self.limit))))
  }
}

/// Something that an entity of the store is, or is to be.
public enum Undoable: Hashable, Sendable {
  case event(Event)
  case record(SyncedRecord)

  var kind: MutationEntityType {
    switch self {
    case .event: .event
    case .record(let record): record.kind
    }
  }

  var id: String {
    switch self {
    case .event(let event): event.id
    case .record(let record): record.id
    }
  }

  /// What makes it, without what the store adds.
  var value: JSONValue {
    get throws {
      switch self {
      case .event(let event):
        var members = try WireJSON.decode([String: JSONValue].self, from: WireJSON.encode(event.createRequest))
        members.removeValue(forKey: "id")
        return .object(members)
      case .record(let record): return .object(record.fields)
      }
    }
  }
}

/// Why something cannot be taken back.
public enum UndoError: Error, Hashable, CustomStringConvertible {
  case nothing
  case changedSince(label: String)
  /// The file that says what was done is damaged, or this user may not read it.
  case unreadable(path: String)

  public var description: String {
    switch self {
    case .nothing: "There is nothing to take back."
    case .unreadable(let path): "\(path), which says what can be taken back, cannot be read."
    case .changedSince(let label): "'\(label)' cannot be taken back: what it changed was changed again since."
    }
  }
}

extension DeviceRecord {
  /// Carries out what a person does, all of it or what can be taken back: new things first, what is deleted last, so that nothing
  /// is lost where it breaks off.
  /// - Parameters:
  ///   - label: what is done, in the words of the command.
  ///   - changes: each entity as it is to be; one of `before` that is not among them is deleted.
  ///   - before: those that are there now.
  public func perform(_ label: String, _ changes: [Undoable], before: [Undoable] = []) throws {
    let log = UndoLog(storeDirectory: directory)
    try log.exclusively { try perform(label, changes, before: before, in: log) }
    onChange()
  }

  private func perform(_ label: String, _ changes: [Undoable], before: [Undoable], in log: UndoLog) throws {
    let held = Dictionary(before.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    let kept = Set(changes.map(\.id))
    var steps: [UndoStep.Change] = []
    for change in changes {
      steps.append(
        UndoStep.Change(
          kind: change.kind, id: change.id, before: try held[change.id]?.value, after: try change.value))
    }
    for gone in before where !kept.contains(gone.id) {
      steps.append(UndoStep.Change(kind: gone.kind, id: gone.id, before: try gone.value, after: nil))
    }
    // A log that cannot be read must not keep a person from working; what it held is lost to undo, and to nothing else.
    let past = (try? log.load()) ?? []
    try log.save(past + [UndoStep(label: label, date: clock.now, changes: steps)])
    for change in changes where held[change.id] == nil {
      switch change {
      case .event(let event): try recorder.record(event)
      case .record(let record): try recorder.record(record)
      }
    }
    for change in changes {
      guard let old = held[change.id] else { continue }
      try turn(old, into: change)
    }
    for gone in before where !kept.contains(gone.id) { try delete(gone.kind, id: gone.id) }
  }

  /// Takes the last thing back.
  /// - Returns: what it was.
  public func undo() throws -> UndoStep {
    let log = UndoLog(storeDirectory: directory)
    let step = try log.exclusively { try undo(in: log) }
    onChange()
    return step
  }

  private func undo(in log: UndoLog) throws -> UndoStep {
    var steps = try log.load()
    while let step = steps.popLast() {
      var undone: [(UndoStep.Change, now: Undoable?)] = []
      for change in step.changes {
        let now = try held(change.kind, id: change.id)
        let value = try now?.value
        if value == change.before { continue }
        guard value == change.after else { throw UndoError.changedSince(label: step.label) }
        undone.append((change, now))
      }
      if undone.isEmpty {
        try log.save(steps)
        continue
      }
      // What was deleted comes first, so that nothing is lost where it breaks off.
      for (change, now) in undone where now == nil {
        let id = try bringBack(change)
        // What was done to it before can be taken back as well.
        for index in steps.indices { steps[index].rename(change.id, to: id) }
      }
      for (change, now) in undone {
        guard let now, let before = change.before else { continue }
        try turn(now, into: Self.entity(change, before))
      }
      for (change, now) in undone where now != nil && change.before == nil { try delete(change.kind, id: change.id) }
      try log.save(steps)
      return step
    }
    throw UndoError.nothing
  }

  private func held(_ kind: MutationEntityType, id: String) throws -> Undoable? {
    let store = makeStore()
    if kind == .event { return try store.findEvent(id: id).map { .event($0) } }
    return try store.findRecord(kind: kind, id: id).map { .record($0) }
  }

  private static func entity(_ change: UndoStep.Change, _ value: JSONValue, id: String? = nil) throws -> Undoable {
    if change.kind == .event {
      var members = value.objectValue ?? [:]
      members["id"] = .string(id ?? change.id)
      let bytes = try WireJSON.encode(JSONValue.object(members))
      return .event(Event(try WireJSON.decode(CreateEventRequest.self, from: bytes)))
    }
    return .record(SyncedRecord(id: id ?? change.id, kind: change.kind, fields: value.objectValue ?? [:]))
  }

  private func turn(_ old: Undoable, into new: Undoable) throws {
    switch (old, new) {
    case (.event(let old), .event(let new)):
      // Only what differs: the event may have gone on meanwhile in another process.
      guard let request = new.updateRequest(from: old) else { return }
      try recorder.edit(eventId: old.id) { $0.apply(request) }
    case (.record(let old), .record(let new)):
      try recorder.edit(old.kind, id: old.id) { record in
        for (name, value) in new.fields where old.fields[name] != value { record.fields[name] = value }
        for name in old.fields.keys where new.fields[name] == nil { record.fields.removeValue(forKey: name) }
      }
    default: preconditionFailure("an entity does not change its kind: \(old.id)")
    }
  }

  private func delete(_ kind: MutationEntityType, id: String) throws {
    if kind == .event { try recorder.delete(eventId: id) } else { try recorder.delete(kind, id: id) }
  }

  /// Gives what was deleted another life; under a new id only where that cannot be, as while its deletion is on its way.
  private func bringBack(_ change: UndoStep.Change) throws -> String {
    guard let value = change.before else { return change.id }
    do {
      try recorder.restore(change.kind, id: change.id)
      if let now = try held(change.kind, id: change.id) {
        try turn(now, into: Self.entity(change, value))
        return change.id
      }
    } catch is RecorderError {}
    let id = makeID()
    switch try Self.entity(change, value, id: id) {
    case .event(let event): try recorder.record(event)
    case .record(let record): try recorder.record(record)
    }
    if change.kind == .vehicle {
      for trip in try makeStore().trips(in: nil) where trip.vehicleId == change.id {
        try recorder.edit(eventId: trip.event.id) {
          $0.properties[TripRecord.PropertyKey.vehicle.rawValue]?.value = .string(id)
        }
      }
    }
    return id
  }
}
