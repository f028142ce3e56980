import Foundation
import TrendyModels
import TrendyProtocols

extension HubRoutes {
  /// Every operation under `/api/v1`.
  static let api = HubRoutes(general + sync + companions + insights + trips + imports + exports + entities)

  /// Made once: it says the same as long as the program runs.
  private static let openAPI = JSONText.write(OpenAPIDocument(api).value)

  private static let general: [HubRoute] = [
    HubRoute(
      .get, "health", name: "getHealth", summary: "Whether the process answers.",
      answers: [.json(200, "it does", .named("Status"))],
      .anybody { _, _ in .json(["status": "ok", "version": "1"]) }),
    HubRoute(
      .get, "ready", name: "getReadiness", summary: "Whether a write would be taken.",
      answers: [.json(200, "it would", .named("Status"))], .anybody { server, _ in try await server.answerReady() }),
    HubRoute(
      .get, "openapi.json", name: "getOpenAPI", summary: "This document.",
      answers: [.json(200, "the document", .map(.any))],
      .anybody { _, _ in
        HTTPResponse(
          status: 200, headers: HTTPHeaders([("Content-Type", "application/json")]), body: .data(openAPI))
      }),
    HubRoute(
      .post, "pair", name: "pair", summary: "Takes a pairing code, and gives a device its token.",
      body: .named("PairRequest"), answers: [.json(201, "paired", .named("PairResponse"))],
      .anybody { server, call in try await server.pair(call) }),
    HubRoute(
      .get, "session", name: "getSession", summary: "Who asks; of a browser that is nobody's yet, how it comes in.",
      answers: [.json(200, "who, or nobody", .named("Session"))],
      .anybody { server, call in try await server.showSession(call) }),
    HubRoute(
      .post, "session", name: "beginSession",
      summary: "Takes a pairing code, and gives a browser a cookie that stands for its device's token.",
      body: .named("PairRequest"), answers: [.json(201, "paired", .named("BrowserPairing"))],
      .anybody { server, call in try await server.beginSession(call) }),
    HubRoute(
      .delete, "session", name: "endSession", summary: "Revokes the device that asks.",
      answers: [.nothing(204, "it is revoked")],
      .device { server, call, sender in try await server.endSession(call, sender) }),
    HubRoute(
      .post, "me/pairing-codes", name: "createPairingCode",
      summary: "Makes a code that pairs one more device of the person.",
      answers: [
        .json(
          201, "the code, and a picture of it for a camera",
          .object([
            .required("code", .string), .required("expires_at", .date),
            .optional(
              "picture",
              .object([.required("link", .string), .required("size", .counter), .required("path", .string)])),
          ]))
      ], .device { server, call, sender in try await server.makePairingCode(call, sender) }),
    HubRoute(
      .post, "me/tokens", name: "createToken",
      summary:
        "Makes a device of the person with a token, for a program that cannot take a code. It is shown this once.",
      body: .object([.required("name", .string)]),
      answers: [
        .json(
          201, "the token, and its device",
          .object([.required("token", .string), .required("device_id", .string), .required("name", .string)]))
      ], .device { server, call, sender in try await server.makeToken(call, sender) }),
    HubRoute(
      .patch, "me", name: "changePerson", summary: "Calls the person by another name.",
      body: .object([.required("name", .string)]),
      answers: [.json(200, "who it is then", .object([.required("id", .string), .required("name", .string)]))],
      .device { server, call, sender in try await server.changePerson(call, sender) }),
    HubRoute(
      .delete, "me/devices/{id}", name: "revokeDevice", summary: "Revokes a device of the person.",
      answers: [.nothing(204, "it is revoked")],
      .device { server, call, sender in try await server.revokeDevice(call.path[2], sender) }),
    HubRoute(
      .get, "me/devices", name: "listDevices", summary: "The person's devices that may come in.",
      answers: [.json(200, "the devices", .list(.named("Device")))],
      .device { server, call, sender in
        try await server.listDevices(sender).taggedByContent(for: call.request)
      }),
    HubRoute(
      .get, "me/storage", name: "getStorage", summary: "How much is kept of the person, and how much may be.",
      answers: [
        .json(
          200, "what lives, what that takes, and the quota",
          .object([
            .required("rows", .counter), .required("bytes", .counter), .required("quota_rows", .nullable(.counter)),
            .required("quota_bytes", .nullable(.counter)), .required("stored_bytes", .nullable(.counter)),
          ]))
      ], .device { server, call, sender in try await server.showStorage(sender) }),
    HubRoute(
      .get, "me/live", name: "getLiveTrips", summary: "What goes on, as far as devices post to the hub.",
      answers: [.json(200, "the trips that go on", .named("LiveTrips"))],
      .device { server, call, sender in try await server.answerLive(call, sender) }),
    HubRoute(
      .get, "me/live/{id}/route", name: "getLiveRoute", summary: "The way so far of a trip that goes on.",
      answers: [.json(200, "an encoded polyline of five decimals", .object([.required("route", .string)]))],
      .device { server, call, sender in try await server.answerLiveRoute(call.path[2], sender) }),
    HubRoute(
      .get, "me/explanations/{id}", name: "getExplanation",
      summary: "How a trip or a visit was found in what a device posted to the hub.",
      answers: [.json(200, "what was decided, in order", .named("Explanation"))],
      .device { server, call, sender in try await server.answerExplanation(call.path[2], sender) }),
  ]

  private static let sync: [HubRoute] = [
    HubRoute(
      .get, "changes", name: "listChanges", summary: "A page of the feed: the entries after a version.",
      query: [
        HubRoute.Query(name: "since", schema: .counter, meaning: "the version after which it begins; 0 unless told"),
        HubRoute.Query(name: "limit", schema: .integer(1...500), meaning: "at most so many; 100 unless told"),
      ] + position, answers: [.json(200, "the page", .changePage)],
      .device { server, call, sender in try await server.changes(call, sender) }),
    HubRoute(
      .get, "changes/latest-cursor", name: "getLatestCursor", summary: "The version of the last write.",
      answers: [.json(200, "where the hub stands", .named("LatestCursor"))],
      .device { server, call, sender in try await server.latestCursor(call, sender) }),
    HubRoute(
      .get, "changes/stream", name: "streamHeads", summary: "Tells the head each time it moves, without an end.",
      answers: [HubRoute.Answer(status: 200, meaning: "events called head", body: .events)],
      .device { server, _, sender in try await server.changeStream(sender) }),
    HubRoute(
      .get, "snapshot", name: "getSnapshot",
      summary: "All that lives: a header, then an entry a line; whole or in parts.",
      query: [
        HubRoute.Query(name: "part", schema: .string, meaning: "first, or the next that the part before named")
      ] + position, answers: [HubRoute.Answer(status: 200, meaning: "the lines", body: .lines)],
      .device { server, call, sender in try await server.snapshot(call, sender) }),
    HubRoute(
      .get, "me/sync", name: "getSyncSummary", summary: "What the hub holds, added up by kind.",
      query: [HubRoute.Query(name: "device", schema: .identifier, meaning: "the store that asks")],
      answers: [.json(200, "the sums", .syncSummary)],
      .device { server, call, sender in try await server.syncStatus(call, sender) }),
    HubRoute(
      .post, "mutations", name: "pushMutations", summary: "Judges a device's mutations in their order, each once.",
      body: .pushRequest, answers: [.json(200, "what became of each", .pushResponse)],
      .device { server, call, sender in try await server.mutations(call, sender) }),
  ]

  private static let position: [HubRoute.Query] = [
    HubRoute.Query(name: "device", schema: .identifier, meaning: "the store that asks"),
    HubRoute.Query(name: "seen", schema: .counter, meaning: "the highest head in any answer it has had"),
    HubRoute.Query(name: "epoch", schema: .string, meaning: "the life of the hub in which that lies"),
    HubRoute.Query(name: "last_seq", schema: .counter, meaning: "the highest sequence it has ever sent"),
  ]

  private static let companions: [HubRoute] = [
    HubRoute(
      .get, "companions", name: "listCompanions",
      summary: "Those in which the device tells, or is told; ended ones too.",
      answers: [.json(200, "the links", .list(.companion))],
      .device { server, call, sender in
        try await server.listCompanions(sender).taggedByContent(for: call.request)
      }),
    HubRoute(
      .post, "companions", name: "makeCompanion",
      summary: "Lets a device be told by this one (companion_id), or this one by another (tracker_id).",
      body: .object([.optional("companion_id", .string), .optional("tracker_id", .string)]),
      answers: [.json(201, "the link", .companion)],
      .device { server, call, sender in try await server.makeCompanion(call, sender) }),
    HubRoute(
      .delete, "companions/{id}", name: "removeCompanion", summary: "Ends a link, from either side.",
      answers: [.nothing(204, "it is ended")],
      .device { server, call, sender in try await server.removeCompanion(call.path[1], sender) }),
    HubRoute(
      .get, "companions/{id}/notices", name: "listNotices", summary: "What is there for a companion after a sequence.",
      query: [
        HubRoute.Query(name: "after", schema: .counter, meaning: "up to here the device has them for good"),
        HubRoute.Query(name: "limit", schema: .integer(1...500), meaning: "at most so many; 100 unless told"),
      ], answers: [.json(200, "the notices", .named("NoticesResponse"))],
      .device { server, call, sender in try await server.deliver(call, sender) }),
    HubRoute(
      .post, "companions/{id}/notices", name: "sendNotices", summary: "Hands over what a companion is to be told.",
      body: .named("NoticesRequest"), answers: [.json(200, "the link", .companion)],
      .device { server, call, sender in try await server.receive(call, sender) }),
  ]

  // MARK: Plain REST

  static let entities: [HubRoute] =
    SyncedKind.all.flatMap { kind in kind.path.map { routes(of: kind, at: $0) } ?? [] } + [
      HubRoute(
        .post, "events/batch", name: "createEvents", summary: "Makes up to 500 events; one that fails fails no other.",
        body: .named("EventBatchRequest"), answers: [.json(200, "what was made", .named("EventBatchResponse"))],
        .record { server, call, sender in try server.batch(call, sender) }),
      HubRoute(
        .get, "events/days", name: "countEventsByDay", summary: "How many events of each type each day had.",
        query: [
          HubRoute.Query(name: "from", schema: .day, meaning: "the first date, like 2026-11-01"),
          HubRoute.Query(name: "to", schema: .day, meaning: "the last date, at most 800 days later"),
        ] + days,
        answers: [
          .json(
            200, "the days that have any",
            .object([
              .required("days", .list(.object([.required("date", .string), .required("counts", .map(.counter))]))),
              .required("first_date", .nullable(.string)),
              .required("levels", .map(.list(.number(0...Double.greatestFiniteMagnitude)))),
              .required("weekdays", .map(.integer(0...6))),
            ]))
        ], .record { server, call, sender in try server.countByDay(call, sender) }),
      HubRoute(
        .get, "events/search", name: "searchEvents",
        summary: "Looks for events by text and type, the newest first, through a part of them at a time.",
        query: [
          HubRoute.Query(name: "text", schema: .string, meaning: "words of notes, titles, places, properties, types"),
          HubRoute.Query(name: "event_type_id", schema: .string, meaning: "of one type of event"),
          HubRoute.Query(name: "geofence_id", schema: .string, meaning: "of one place"),
          HubRoute.Query(name: "before", schema: .date, meaning: "the next that the part before named"),
          HubRoute.Query(name: "limit", schema: .integer(1...200), meaning: "at most so many; 50 unless told"),
        ],
        answers: [
          .json(
            200, "what was found, and where to go on",
            .object([.required("events", .list(.entity(.event))), .required("next", .nullable(.date))]))
        ], .record { server, call, sender in try server.search(call, sender) }),
      HubRoute(
        .post, "events/{id}/stop", name: "stopEvent", summary: "Ends a running event; one that has an end keeps it.",
        body: .object([.required("end_date", .date)]),
        answers: [.json(200, "it, as it is then", .entity(.event))], headers: edit,
        .record { server, call, sender in try server.stop(call.path[1], call, sender) }),
      HubRoute(
        .get, "conflicts", name: "listConflicts", summary: "Values that were replaced or buried unseen.",
        answers: [.json(200, "the conflicts", .list(.entity(.conflict)))],
        .record { server, call, sender in try server.list(.conflict, call, sender) }),
      HubRoute(
        .delete, "conflicts/{id}", name: "deleteConflict", summary: "Resolves it.",
        answers: [.nothing(204, "it is resolved")],
        headers: edit, .record { server, call, sender in try server.delete(.conflict, call.path[1], call, sender) }),
      HubRoute(
        .get, "event-types/{id}/properties", name: "listPropertiesOfEventType",
        summary: "The properties of a type of event, in their order.",
        answers: [.json(200, "the properties", .list(.entity(.propertyDefinition)))],
        .record { server, call, sender in server.listDefinitions(ofType: call.path[1], sender) }),
      HubRoute(
        .post, "event-types/{id}/properties", name: "createPropertyOfEventType",
        summary: "Gives a type of event a property.",
        body: .named("PropertyOfEventTypeCreate"), answers: [.json(201, "the property", .entity(.propertyDefinition))],
        .record { server, call, sender in try server.createDefinition(ofType: call.path[1], call, sender) }),
      HubRoute(
        .post, "event-types/{id}/merge", name: "mergeEventTypes",
        summary: "Makes two types one: what is recorded under the first becomes of the second, and the first goes.",
        body: typeMerge, answers: [.json(200, "how many events it moved", .object([.required("events", .counter)]))],
        .record { server, call, sender in try server.mergeTypes(call, sender) }),
      HubRoute(
        .post, "event-types/{id}/unmerge", name: "unmergeEventTypes",
        summary: "Takes a merge back: the first type is there again, with what was moved and nobody moved since.",
        body: typeMerge,
        answers: [.json(200, "how many events came back", .object([.required("events", .counter)]))],
        .record { server, call, sender in try server.unmergeTypes(call, sender) }),
    ]

  private static let typeMerge = HubSchema.object([.required("into", .identifier), .required("act", .identifier)])

  /// What an edit says of itself.
  private static let edit: [HubRoute.Query] = [
    HubRoute.Query(name: "Idempotency-Key", schema: .string, meaning: "names the edit: sent again, it changes nothing"),
    HubRoute.Query(
      name: "Trendy-Version", schema: .string, meaning: "the version that the user saw, from the header of a response"),
    HubRoute.Query(name: "Trendy-Time", schema: .stamp, meaning: "hub time of the action"),
    HubRoute.Query(name: "Trendy-Incarnation", schema: .counter, meaning: "of a delete: the incarnation that was seen"),
  ]

  private static func routes(of kind: SyncedKind, at path: String) -> [HubRoute] {
    let entity = HubSchema.entity(kind)
    let update: HubRoute.Answering = .record { server, call, sender in
      try server.update(kind, call.path[1], call, sender)
    }
    return [
      HubRoute(
        .get, path, name: "list\(kind.schemaName)s", summary: "The living, of events the newest first.",
        query: listQuery(of: kind), answers: [.json(200, "the living", .list(entity))],
        .record { server, call, sender in try server.list(kind, call, sender) }),
      HubRoute(
        .post, path, name: "create\(kind.schemaName)", summary: "Makes one; with Idempotency-Key, once.",
        body: .create(kind), answers: [.json(201, "it, as it is", entity)], headers: edit,
        .record { server, call, sender in try server.create(kind, try call.body().members, call, sender) }),
      HubRoute(
        .get, "\(path)/{id}", name: "get\(kind.schemaName)", summary: "One of the living.",
        answers: [.json(200, "it, as it is", entity)],
        .record { server, call, sender in server.show(kind, call.path[1], sender) }),
      HubRoute(
        .patch, "\(path)/{id}", name: "update\(kind.schemaName)", summary: "Changes what is named (RFC 7396).",
        body: .patch(kind), answers: [.json(200, "it, as it is then", entity)], headers: edit, update),
      HubRoute(
        .put, "\(path)/{id}", name: "put\(kind.schemaName)", summary: "The same as PATCH.", body: .patch(kind),
        answers: [.json(200, "it, as it is then", entity)], headers: edit, update),
      HubRoute(
        .delete, "\(path)/{id}", name: "delete\(kind.schemaName)", summary: "Deletes it, also where it is not there.",
        answers: [.nothing(204, "it is deleted")],
        headers: edit, .record { server, call, sender in try server.delete(kind, call.path[1], call, sender) }),
      HubRoute(
        .post, "\(path)/{id}/restore", name: "restore\(kind.schemaName)",
        summary: "Brings one back that was deleted, with the values it had.", query: restoreQuery(of: kind),
        answers: [.json(200, "it, as it is then", entity)], headers: edit,
        .record { server, call, sender in
          kind == .eventType
            ? try server.restoreType(call, sender) : try server.restore(kind, call.path[1], call, sender)
        }),
    ]
  }

  /// What a person's days are.
  static let days = [
    HubRoute.Query(name: "zone", schema: .string, meaning: "the IANA name of a time zone; UTC unless told"),
    HubRoute.Query(
      name: "day_start", schema: .integer(0...86_399), meaning: "seconds after midnight at which a day begins"),
  ]

  private static let moments = [
    HubRoute.Query(name: "from", schema: .date, meaning: "not before this moment"),
    HubRoute.Query(name: "to", schema: .date, meaning: "before this moment"),
  ]

  private static func restoreQuery(of kind: SyncedKind) -> [HubRoute.Query] {
    kind == .eventType
      ? [HubRoute.Query(name: "with", schema: .words(["entries"]), meaning: "and all that was deleted with it")] : []
  }

  private static func listQuery(of kind: SyncedKind) -> [HubRoute.Query] {
    switch kind.name {
    case SyncedKind.event.name:
      [
        HubRoute.Query(name: "limit", schema: .integer(1...1000), meaning: "at most so many; 50 unless told"),
        HubRoute.Query(name: "offset", schema: .counter, meaning: "after so many"),
        HubRoute.Query(
          name: "source_type", schema: .words(EventSourceType.allCases.map(\.rawValue)),
          meaning: "what brought them"),
      ] + moments
    case SyncedKind.geofence.name:
      [HubRoute.Query(name: "active_only", schema: .words(["true", "false"]), meaning: "without those that are off")]
    case SyncedKind.propertyDefinition.name:
      [HubRoute.Query(name: "event_type_id", schema: .string, meaning: "of one type of event")]
    default: []
    }
  }
}

extension HubRoute.Answer {
  static func json(_ status: Int, _ meaning: String, _ schema: HubSchema) -> HubRoute.Answer {
    HubRoute.Answer(status: status, meaning: meaning, body: .json(schema))
  }

  static func nothing(_ status: Int, _ meaning: String) -> HubRoute.Answer {
    HubRoute.Answer(status: status, meaning: meaning, body: .nothing)
  }
}

extension HubRoute.Answering {
  /// One that reads or writes the person's record: what it comes to is found out first, a large body in its sender's turn.
  static func record(
    _ work: @escaping @Sendable (HubServer, HubCall, HubDevice) throws -> HubWork
  ) -> HubRoute.Answering {
    .device { server, call, sender in
      try await server.carryOut(
        try await server.prepared(call, sender) { try work(server, call, sender) }, for: sender.person,
        request: call.request)
    }
  }
}
