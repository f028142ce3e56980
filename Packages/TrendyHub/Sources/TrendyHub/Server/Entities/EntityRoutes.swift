import TrendyModels
import TrendyProtocols

extension EntityHandlers {
  var routes: [HubRoute] {
    SyncedKind.all.flatMap { kind in kind.path.map { routes(of: kind, at: $0) } ?? [] } + [
      HubRoute(
        .post, "events/batch", name: "createEvents",
        summary: "Creates up to 500 events. Invalid events do not affect the others.",
        body: .named("EventBatchRequest"), answers: [.json(200, "the created events", .named("EventBatchResponse"))],
        .record(createEvents)),
      HubRoute(
        .post, "events/{id}/stop", name: "stopEvent", summary: "Ends a running event. An existing end is kept.",
        body: .object([.required("end_date", .date)]),
        answers: [.json(200, "the event", .entity(.event))], headers: Self.edit, .record(stop)),
      HubRoute(
        .get, "conflicts", name: "listConflicts",
        summary: "Lists values that were replaced or deleted by an author who had not seen them.",
        answers: [.json(200, "the conflicts", .list(.entity(.conflict)))],
        .record { try list(.conflict, $0, $1) }),
      HubRoute(
        .delete, "conflicts/{id}", name: "deleteConflict", summary: "Resolves a conflict.",
        answers: [.nothing("resolved")],
        headers: Self.edit, .record { try delete(.conflict, $0, $1) }),
    ]
  }

  private func routes(of kind: SyncedKind, at path: String) -> [HubRoute] {
    let entity = HubSchema.entity(kind)
    let changed = HubRoute.Handler.record { try update(kind, $0, $1) }
    return [
      HubRoute(
        .get, path, name: "list\(kind.schemaName)s", summary: "Lists all entities of this kind; events newest first.",
        query: Self.listQuery(of: kind), answers: [.json(200, "the entities", .list(entity))],
        .record { try list(kind, $0, $1) }),
      HubRoute(
        .post, path, name: "create\(kind.schemaName)", summary: "Creates an entity; idempotent with Idempotency-Key.",
        body: .create(kind), answers: [.json(201, "the entity", entity)], headers: Self.edit,
        .record { try create(kind, try $0.body().members, $0, $1) }),
      HubRoute(
        .get, "\(path)/{id}", name: "get\(kind.schemaName)", summary: "Returns an entity.",
        answers: [.json(200, "the entity", entity)],
        .record { show(kind, $0, $1) }),
      HubRoute(
        .patch, "\(path)/{id}", name: "update\(kind.schemaName)", summary: "Changes the given fields (RFC 7396).",
        body: .patch(kind), answers: [.json(200, "the updated entity", entity)], headers: Self.edit, changed),
      HubRoute(
        .put, "\(path)/{id}", name: "put\(kind.schemaName)", summary: "Same as PATCH.", body: .patch(kind),
        answers: [.json(200, "the updated entity", entity)], headers: Self.edit, changed),
      HubRoute(
        .delete, "\(path)/{id}", name: "delete\(kind.schemaName)",
        summary: "Deletes an entity. Succeeds if it does not exist.",
        answers: [.nothing("deleted")],
        headers: Self.edit, .record { try delete(kind, $0, $1) }),
      HubRoute(
        .post, "\(path)/{id}/restore", name: "restore\(kind.schemaName)",
        summary: "Restores a deleted entity with its last values.", query: Self.restoreQuery(of: kind),
        answers: [.json(200, "the updated entity", entity)], headers: Self.edit,
        .record { try restore(kind, $0, $1) }),
    ]
  }

  static let edit: [HubRoute.Parameter] = [
    .init("Idempotency-Key", .string, "identifies the edit, so that a repeated request changes nothing"),
    .init("Trendy-Version", .string, "version that the user saw: the Trendy-Version header of an earlier response"),
    .init("Trendy-Time", .stamp, "hub time of the action"),
    .init("Trendy-Incarnation", .counter, "for a delete: the incarnation that the user saw"),
  ]

  private static let moments: [HubRoute.Parameter] = [
    .init("from", .date, "start of the period, inclusive"),
    .init("to", .date, "end of the period, exclusive"),
  ]

  private static func restoreQuery(of kind: SyncedKind) -> [HubRoute.Parameter] {
    kind == .eventType
      ? [.init("with", .words(["entries"]), "also restore the entries that were deleted with it")] : []
  }

  private static func listQuery(of kind: SyncedKind) -> [HubRoute.Parameter] {
    switch kind.name {
    case SyncedKind.event.name:
      [
        .init("limit", .integer(1...1000), "maximum number of events; default 50"),
        .init("offset", .counter, "number of events to skip"),
        .init("source_type", .words(EventSourceType.allCases.map(\.rawValue)), "source of the events"),
      ] + moments
    case SyncedKind.geofence.name:
      [.init("active_only", .words(["true", "false"]), "only active places")]
    case SyncedKind.propertyDefinition.name:
      [.init("event_type_id", .string, "only properties of this event type")]
    default: []
    }
  }
}
