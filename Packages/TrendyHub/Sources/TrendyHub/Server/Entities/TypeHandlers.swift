import Foundation
import TrendyInsights
import TrendyModels
import TrendyProtocols
import TrendyTrips

struct TypeHandlers: Sendable {
  let records: HubRecords
  let entities: EntityHandlers

  private var core: HubCore { records.core }
  private var clock: any TimeSource { records.clock }

  var routes: [HubRoute] {
    [
      HubRoute(
        .get, "event-types/{id}/properties", name: "listPropertiesOfEventType",
        summary: "Lists the properties of an event type in display order.",
        answers: [.json(200, "the properties", .list(.entity(.propertyDefinition)))], .record(listDefinitions)),
      HubRoute(
        .get, "insights/types", name: "listTypeActions",
        summary: "Returns the action that records an event of each type, and whether the type is built in.",
        answers: [.json(200, "the types", .named("TypeActions"))], .record(listActions)),
      HubRoute(
        .post, "event-types/{id}/properties", name: "createPropertyOfEventType",
        summary: "Adds a property to an event type.",
        body: .named("PropertyOfEventTypeCreate"), answers: [.json(201, "the property", .entity(.propertyDefinition))],
        .record(createDefinition)),
      HubRoute(
        .post, "event-types/{id}/merge", name: "mergeEventTypes",
        summary: "Merges two types: moves all entries of the first to the second and deletes the first.",
        body: Self.act, answers: [.json(200, "the number of moved events", .object([.required("events", .counter)]))],
        .record(merge)),
      HubRoute(
        .post, "event-types/{id}/unmerge", name: "unmergeEventTypes",
        summary: "Undoes a merge: restores the first type with all moved entries that have not been moved again.",
        body: Self.act,
        answers: [.json(200, "the number of events moved back", .object([.required("events", .counter)]))],
        .record(unmerge)),
    ]
  }

  private static let act = HubSchema.object([.required("into", .identifier), .required("act", .identifier)])

  private func listActions(_ call: HubCall, _ sender: HubDevice) -> HubWork {
    .read { reading in
      let record = HubUserRecord(reading)
      let types = try record.eventTypes()
      let builtIn = BuiltInType.ids(among: types, places: try reading.geofences())
      return .json([
        "types": .array(
          try record.actions(of: types).sorted { $0.key < $1.key }.map { type, action in
            [
              "event_type_id": .string(type), "built_in": .bool(builtIn.contains(type)),
              "action": .string(action.rawValue),
            ]
          })
      ])
    }
  }

  private func listDefinitions(_ call: HubCall, _ sender: HubDevice) -> HubWork {
    .read { [core] reading in
      _ = try core.entity(.eventType, id: call.id, in: reading)
      let entries = Dictionary(
        try reading.referring(toKind: SyncedKind.eventType.name, id: call.id)
          .filter { $0.kind == SyncedKind.propertyDefinition.name }.map { ($0.id, $0) },
        uniquingKeysWith: { first, _ in first })
      let ids = try entries.values.map { try $0.propertyDefinition() }.inOrder.map(\.id)
      return .json(.array(ids.compactMap { entries[$0] }.map { .object($0.document(user: sender.user)) }))
    }
  }

  private func createDefinition(_ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    var members = try call.body().members
    if let given = members["event_type_id"], given.stringValue != call.id {
      throw Problem.invalid(
        "event_type_id: expected the type in the path (\"\(call.id.prefix(60))\"), found \(given.kindInWords)")
    }
    members["event_type_id"] = .string(call.id)
    return try entities.create(.propertyDefinition, members, call, sender)
  }

  /// Moves all references from the first type to the second, then deletes the first. A repeated request has no effect.
  private func merge(_ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    let act = try TypeMerge(call, of: sender)
    let now = clock.now
    return .write { [core, accounts = records.accounts] transaction in
      _ = try core.entity(.eventType, id: act.into, in: transaction)
      let isThere = try transaction.entry(kind: SyncedKind.eventType.name, id: act.from)?.isAlive ?? false
      var events = isThere ? 0 : try act.moved(in: transaction).events
      if events == 0 {
        events = try core.merge(act, in: transaction, now: now) { accounts.random.identifier(at: now) }
      }
      return .json(["events": .int(Int64(events))])
    }
  }

  /// Restores the first type and moves its entities back to it, unless they have been moved again since.
  private func unmerge(_ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    let act = try TypeMerge(call, of: sender)
    let now = clock.now
    return .write { [core] transaction in
      try core.restoreType(act.from, by: act.author, in: transaction, now: now)
      let moved = try act.moved(in: transaction)
      try core.carryOut(moved.definitions, by: act.author, in: transaction, now: now)
      try core.carryOut(moved.back, by: sender.restDevice, in: transaction, now: now)
      return .json(["events": .int(Int64(moved.events))])
    }
  }
}

/// A merge of one event type into another.
///
/// All its writes have the same author, unique to this merge, so an undo can find them.
private struct TypeMerge {
  let from: String
  let into: String
  let author: String

  private static let references = ["event_type_id", "event_type_entry_id", "event_type_exit_id"]

  init(_ call: HubCall, of sender: HubDevice) throws(Problem) {
    let body = try call.body()
    from = call.id
    into = try body.identifier("into")
    guard from != into else { throw .invalid("into: a type cannot be merged with itself") }
    let act = try body.identifier("act")
    guard act.utf8.count <= 64 else { throw .invalid("act: expected at most 64 bytes") }
    author = "\(sender.restDevice):\(act)"
  }

  /// Changes by this merge that are still in place: the number of moved events, mutations that delete the properties
  /// that the merge created, and mutations that move all other entities back.
  struct Moved {
    var events = 0
    var definitions: [HubMutation] = []
    var back: [HubMutation] = []
  }

  func moved(in reading: any HubReadTransaction) throws -> Moved {
    var moved = Moved()
    try reading.eachReferring(toKind: SyncedKind.eventType.name, id: into) { entry in
      let names = names(of: entry)
      guard !names.isEmpty else { return }
      if entry.kind == SyncedKind.event.name { moved.events += 1 }
      if entry.kind == SyncedKind.propertyDefinition.name {
        moved.definitions.append(HubMutation(unmerging: entry, by: author))
      } else {
        moved.back.append(HubMutation(entry, naming: from, in: names))
      }
    }
    return moved
  }

  /// Returns the entry's reference fields that were set by this merge.
  private func names(of entry: HubEntry) -> [String] {
    Self.references.filter { entry.fields[$0]?.author == author && entry.fields[$0]?.value.stringValue == into }
  }

  /// Returns a mutation that redirects the entry's references from the first type to the second.
  func turned(_ entry: HubEntry) -> HubMutation {
    HubMutation(entry, naming: into, in: Self.references.filter { entry.fields[$0]?.value.stringValue == from })
  }
}

extension HubMutation {
  /// Creates a mutation that deletes a property created by a merge.
  ///
  /// Later edits to that property become a conflict, because the restored type has its own property without them.
  fileprivate init(unmerging entry: HubEntry, by author: String) {
    self.init(
      mutationId: "unmerge:\(author):\(entry.version)", kind: entry.kind, id: entry.id, operation: .delete,
      base: entry.createdVersion)
  }

  fileprivate init(_ entry: HubEntry, naming type: String, in references: [String]) {
    let members = Dictionary(uniqueKeysWithValues: references.map { ($0, JSONValue.string(type)) })
    self.init(kind: entry.kind, id: entry.id, operation: .update, content: .members(members))
  }
}

extension HubCore {
  /// Moves events, skips, places and properties from one type to another.
  ///
  /// Properties that both types have stay where they are.
  ///
  /// - Returns: The number of events moved.
  fileprivate func merge(
    _ act: TypeMerge, in transaction: any HubTransaction, now: Date, makeId: () -> String
  ) throws -> Int {
    _ = try entity(.eventType, id: act.from, in: transaction)
    var events = 0
    var definitions: [HubEntry] = []
    var turned: [HubMutation] = []
    try transaction.eachReferring(toKind: SyncedKind.eventType.name, id: act.from) { entry in
      if entry.kind == SyncedKind.event.name { events += 1 }
      if entry.kind == SyncedKind.propertyDefinition.name {
        definitions.append(entry)
      } else {
        turned.append(act.turned(entry))
      }
    }
    try merge(definitions, act, in: transaction, now: now, makeId: makeId)
    try carryOut(turned, by: act.author, in: transaction, now: now)
    try delete(.eventType, id: act.from, mergedInto: act.into, by: act.author, in: transaction, now: now)
    return events
  }

  /// Creates properties on the remaining type for the keys it lacks.
  private func merge(
    _ definitions: [HubEntry], _ act: TypeMerge, in transaction: any HubTransaction, now: Date, makeId: () -> String
  ) throws {
    var known: [HubEntry] = []
    try transaction.eachReferring(toKind: SyncedKind.eventType.name, id: act.into) {
      if $0.kind == SyncedKind.propertyDefinition.name { known.append($0) }
    }
    var order = known.compactMap { $0.fields["display_order"]?.value.intValue }.max() ?? -1
    for entry in definitions {
      let key = entry.fields["key"]?.value
      if let other = known.first(where: { $0.fields["key"]?.value == key }) {
        let types = [entry, other].map { $0.fields["property_type"]?.value.stringValue ?? "" }
        guard types[0] == types[1] else {
          throw Problem.invalid(
            "into: \"\(key?.stringValue ?? "")\" is a \(types[0]) in one type and a \(types[1]) in the other: rename one of them first"
          )
        }
        continue
      }
      order += 1
      var members = entry.fields.mapValues(\.value).filter { !$0.value.isNull }
      members["id"] = .string(makeId())
      members["event_type_id"] = .string(act.into)
      members["display_order"] = .int(order)
      _ = try create(.propertyDefinition, members, by: act.author, in: transaction, now: now)
    }
  }

  /// Restores a type, the entities deleted together with it, and the references cleared by its deletion.
  ///
  /// Other live entities are left unchanged.
  func restoreType(
    _ id: String, edit: HubEdit? = nil, by device: String, in transaction: any HubTransaction, now: Date
  ) throws {
    let tombstone = try transaction.entry(kind: SyncedKind.eventType.name, id: id)
    _ = try restore(.eventType, id: id, edit: edit, by: device, in: transaction, now: now)
    guard let tombstone, let deletedAt = tombstone.deletedAt else { return }
    let deletedEvents = try deletedEvents(with: tombstone, at: deletedAt, in: transaction)
    try carryOut(
      deletedEvents.lazy.map { HubMutation(restoring: $0, by: device) }, by: device, in: transaction, now: now)
    try restoreReferences(
      tombstone, deletedAt: deletedAt, with: deletedEvents.count, by: device, in: transaction, now: now)
  }

  /// Restores references to an undeleted entity that its deletion cleared, except those changed since.
  private func restoreReferences(
    _ tombstone: HubEntry, deletedAt: Date, with count: Int, by device: String, in transaction: any HubTransaction,
    now: Date
  ) throws {
    for kind in SyncedKind.all {
      let names = kind.references.filter { $0.reference.kind == tombstone.kind && $0.reference.onDelete == .clear }
        .map(\.field.name)
      guard !names.isEmpty else { continue }
      let living = try transaction.living(kind: kind.name, offset: 0, limit: .max)
      // The delete assigned these entries the versions immediately below the tombstone's.
      let versions = tombstone.version - Int64(count + living.count)..<tombstone.version
      for entry in living {
        let cleared = names.filter {
          guard let field = entry.fields[$0], field.value.isNull else { return false }
          return versions.contains(field.version) && field.stamp >= deletedAt.milliseconds
        }
        guard !cleared.isEmpty else { continue }
        let members = Dictionary(uniqueKeysWithValues: cleared.map { ($0, JSONValue.string(tombstone.id)) })
        _ = try update(kind, id: entry.id, members, by: device, in: transaction, now: now)
      }
    }
  }

  /// Returns the entities deleted together with an entity. Their versions are immediately below that entity's
  /// tombstone.
  private func deletedEvents(
    with tombstone: HubEntry, at deletedAt: Date, in reading: any HubReadTransaction
  ) throws -> [HubEntry] {
    let pageSize = 500
    var found: [HubEntry] = []
    var end = tombstone.version
    while end > 1 {
      let start = max(0, end - 1 - Int64(pageSize))
      let page = try reading.entries(after: start, limit: pageSize).filter { $0.version < end }
      found += page.filter {
        $0.deletedAt == deletedAt && $0.fields["event_type_id"]?.value.stringValue == tombstone.id
      }
      // Entries with earlier timestamps belong to earlier changes.
      guard page.allSatisfy({ $0.updatedAt >= deletedAt }) else { break }
      end = start + 1
    }
    return found.sorted { $0.version < $1.version }
  }
}

extension HubSchema {
  static let typeActions = HubSchema.object([
    .required(
      "types",
      .list(
        .object([
          .required("event_type_id", .string), .required("built_in", .boolean),
          .required("action", .words(TypeAction.allCases.map(\.rawValue))),
        ])))
  ])
}
