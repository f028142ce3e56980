import TrendyModels
import TrendyProtocols

extension EntityHandlers {
  var routes: [HubRoute] {
    SyncedKind.all.flatMap { kind in kind.path.map { routes(of: kind, at: $0) } ?? [] } + [
      HubRoute(
        .post, "events/batch", name: "createEvents", summary: "Makes up to 500 events; one that fails fails no other.",
        body: .named("EventBatchRequest"), answers: [.json(200, "what was made", .named("EventBatchResponse"))],
        .record(createEvents)),
      HubRoute(
        .post, "events/{id}/stop", name: "stopEvent", summary: "Ends a running event; one that has an end keeps it.",
        body: .object([.required("end_date", .date)]),
        answers: [.json(200, "it, as it is then", .entity(.event))], headers: Self.edit, .record(stop)),
      HubRoute(
        .get, "conflicts", name: "listConflicts", summary: "Values that were replaced or buried unseen.",
        answers: [.json(200, "the conflicts", .list(.entity(.conflict)))],
        .record { try list(.conflict, $0, $1) }),
      HubRoute(
        .delete, "conflicts/{id}", name: "deleteConflict", summary: "Resolves it.",
        answers: [.nothing("it is resolved")],
        headers: Self.edit, .record { try delete(.conflict, $0, $1) }),
    ]
  }

  private func routes(of kind: SyncedKind, at path: String) -> [HubRoute] {
    let entity = HubSchema.entity(kind)
    let changed = HubRoute.Handler.record { try update(kind, $0, $1) }
    return [
      HubRoute(
        .get, path, name: "list\(kind.schemaName)s", summary: "The living, of events the newest first.",
        query: Self.listQuery(of: kind), answers: [.json(200, "the living", .list(entity))],
        .record { try list(kind, $0, $1) }),
      HubRoute(
        .post, path, name: "create\(kind.schemaName)", summary: "Makes one; with Idempotency-Key, once.",
        body: .create(kind), answers: [.json(201, "it, as it is", entity)], headers: Self.edit,
        .record { try create(kind, try $0.body().members, $0, $1) }),
      HubRoute(
        .get, "\(path)/{id}", name: "get\(kind.schemaName)", summary: "One of the living.",
        answers: [.json(200, "it, as it is", entity)],
        .record { show(kind, $0, $1) }),
      HubRoute(
        .patch, "\(path)/{id}", name: "update\(kind.schemaName)", summary: "Changes what is named (RFC 7396).",
        body: .patch(kind), answers: [.json(200, "it, as it is then", entity)], headers: Self.edit, changed),
      HubRoute(
        .put, "\(path)/{id}", name: "put\(kind.schemaName)", summary: "The same as PATCH.", body: .patch(kind),
        answers: [.json(200, "it, as it is then", entity)], headers: Self.edit, changed),
      HubRoute(
        .delete, "\(path)/{id}", name: "delete\(kind.schemaName)", summary: "Deletes it, also where it is not there.",
        answers: [.nothing("it is deleted")],
        headers: Self.edit, .record { try delete(kind, $0, $1) }),
      HubRoute(
        .post, "\(path)/{id}/restore", name: "restore\(kind.schemaName)",
        summary: "Brings one back that was deleted, with the values it had.", query: Self.restoreQuery(of: kind),
        answers: [.json(200, "it, as it is then", entity)], headers: Self.edit,
        .record { try restore(kind, $0, $1) }),
    ]
  }

  /// Headers of an edit.
  private static let edit: [HubRoute.Parameter] = [
    .init("Idempotency-Key", .string, "names the edit: sent again, it changes nothing"),
    .init("Trendy-Version", .string, "the version that the user saw, from the header of a response"),
    .init("Trendy-Time", .stamp, "hub time of the action"),
    .init("Trendy-Incarnation", .counter, "of a delete: the incarnation that was seen"),
  ]

  private static let moments: [HubRoute.Parameter] = [
    .init("from", .date, "not before this moment"),
    .init("to", .date, "before this moment"),
  ]

  private static func restoreQuery(of kind: SyncedKind) -> [HubRoute.Parameter] {
    kind == .eventType
      ? [.init("with", .words(["entries"]), "and all that was deleted with it")] : []
  }

  private static func listQuery(of kind: SyncedKind) -> [HubRoute.Parameter] {
    switch kind.name {
    case SyncedKind.event.name:
      [
        .init("limit", .integer(1...1000), "at most so many; 50 unless told"),
        .init("offset", .counter, "after so many"),
        .init("source_type", .words(EventSourceType.allCases.map(\.rawValue)), "what brought them"),
      ] + moments
    case SyncedKind.geofence.name:
      [.init("active_only", .words(["true", "false"]), "without those that are off")]
    case SyncedKind.propertyDefinition.name:
      [.init("event_type_id", .string, "of one type of event")]
    default: []
    }
  }
}
