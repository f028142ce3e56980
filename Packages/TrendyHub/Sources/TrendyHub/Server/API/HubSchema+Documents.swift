import TrendyModels

extension HubSchema {
  static let problem = HubSchema.named("Problem")
  static let changePage = HubSchema.named("ChangePage")
  static let pushRequest = HubSchema.named("PushRequest")
  static let pushResponse = HubSchema.named("PushResponse")
  static let syncSummary = HubSchema.named("SyncSummary")
  static let companion = HubSchema.named("Companion")

  static func entity(_ kind: SyncedKind) -> HubSchema { .named(kind.schemaName) }
  static func create(_ kind: SyncedKind) -> HubSchema { .named(kind.schemaName + "Create") }
  static func patch(_ kind: SyncedKind) -> HubSchema { .named(kind.schemaName + "Patch") }

  /// Members for the hub position, included in every sync response.
  private static let position: [Member] = [
    .required("head", .counter), .optional("epoch", .string),
    .required("epochs", .list(.object([.required("id", .string), .required("first", .counter)]))),
    .required("now", .stamp),
  ]

  /// Schemas by the names under which they are referenced.
  static var components: [String: HubSchema] {
    var components: [String: HubSchema] = [
      "Problem": .object([
        .required("type", .string), .required("title", .string), .required("status", .integer(400...599)),
        .optional("detail", .string), .optional("instance", .string), .optional("request_id", .string),
      ]),
      "Status": .object([.required("status", .string), .required("version", .string)]),
      "Entry": entry,
      "ChangePage": .object(
        [
          .required("changes", .list(.named("Entry"))), .required("next_cursor", .counter),
          .required("has_more", .boolean),
        ] + position),
      "LatestCursor": .object([.required("cursor", .counter)] + position),
      "Mutation": mutation,
      "PushRequest": .object([
        .required("device", .identifier), .required("acked_through", .counter), .optional("seen", .nullable(.counter)),
        .optional("epoch", .nullable(.string)), .optional("last_seq", .nullable(.counter)),
        .required("mutations", .list(.named("Mutation"))),
      ]),
      "Outcome": outcome,
      "PushResponse": .object([.required("outcomes", .list(.named("Outcome")))] + position),
      "SyncSummary": summary,
      "PairRequest": .object([
        .required("code", .string), .required("device_name", .string), .optional("person", .string),
      ]),
      "BrowserPairRequest": .object([
        .required("code", .string), .required("device_name", .string), .optional("person", .string),
        .optional("replaces", .string),
      ]),
      "PairResponse": .object([
        .required("token", .string), .required("device_id", .string), .required("person", .string),
        .optional("hub", .string),
      ]),
      "Device": .object([
        .required("id", .string), .required("name", .string), .required("created_at", .date),
        .required("current", .boolean), .required("seen_at", .nullable(.date)),
        .required(
          "report",
          .nullable(
            .object([
              .required("version", .nullable(.string)), .required("waiting", .nullable(.counter)),
              .required("oldest_at", .nullable(.date)),
              .required(
                "clock_ahead_s",
                .nullable(.number(-Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude))),
              .required("at", .date),
            ]))),
      ]),
      "Session": .object([
        .required("paired", .boolean), .required("hub", .string), .required("has_people", .boolean),
        .optional("person", .object([.required("id", .string), .required("name", .string)])),
        .optional("device", .object([.required("id", .string), .required("name", .string)])),
        .optional(
          "tiles",
          .object([
            .required("address", .string), .required("deepest", .integer(0...22)), .required("credit", .string),
          ])),
      ]),
      "BrowserPairing": .object([
        .required("device_id", .string), .required("person", .string), .required("hub", .string),
      ]),
      "LiveTrips": liveTrips,
      "Insights": insights,
      "Habits": habits,
      "Goals": goals,
      "TypeInsights": typeInsights,
      "PlaceInsights": placeInsights,
      "FixedDay": fixedDay,
      "Mileage": mileage,
      "TripSummary": tripSummary,
      "TypeActions": typeActions,
      "Import": .importFile,
      "Explanation": explanation,
      "Companion": companionLink,
      "Notice": notice,
      "NoticesRequest": .object([
        .required("acked_through", .counter), .required("notices", .list(.named("Notice"))),
      ]),
      "NoticesResponse": .object([
        .required("notices", .list(.named("Notice"))), .required("has_more", .boolean),
      ]),
      "PropertyOfEventTypeCreate": SyncedKind.propertyDefinition.createSchema(known: "event_type_id"),
      "EventBatchRequest": .object([.required("events", .list(.create(.event)))]),
      "EventBatchResponse": eventBatch,
    ]
    for kind in SyncedKind.all {
      components[kind.schemaName] = kind.entitySchema
      guard kind.path != nil else { continue }
      components[kind.schemaName + "Create"] = kind.createSchema()
      components[kind.schemaName + "Patch"] = kind.patchSchema
    }
    return components
  }

  private static let entry = HubSchema.object([
    .required("id", .counter), .required("entity_type", .string),
    .required("operation", .words(["create", "update", "delete"])), .required("entity_id", .string),
    .optional("incarnation", .counter), .optional("data", .map(.any)), .optional("created_at", .date),
    .optional("deleted_at", .date), .optional("marks", .map(.list(.any))),
  ])

  private static let mutation = HubSchema.object([
    .required("id", .string), .required("seq", .integer(1...SyncRange.counter.upperBound)),
    .required("entity_type", .string), .required("entity_id", .string),
    .required("operation", .words(HubMutation.Operation.allCases.map(\.rawValue))), .optional("incarnation", .counter),
    .optional("base", .counter), .optional("payload", .map(.any)),
    .optional(
      "fields",
      .map(
        .object([
          .required("value", .any), .required("base", .counter), .required("stamp", .stamp),
          .optional("author", .string),
        ]))),
  ])

  private static let outcome = HubSchema.object([
    .required("seq", .counter), .required("status", .words(["accepted", "merged", "refused", "try_later"])),
    .optional("version", .counter), .optional("lost", .list(.string)), .optional("problem", .problem),
    .optional("retry_after_s", .counter),
  ])

  private static let summary = HubSchema.object(
    [
      .required("person", .string), .required("device_id", .string), .required("last_seq", .counter),
      .required("horizon", .counter), .required("counts", .map(.counter)),
      .required("kinds", .map(.object([.required("count", .counter), .required("hash", .string)]))),
    ] + position)

  private static let liveTrips = HubSchema.object([
    .required("now", .date), .optional("left_out", .list(.map(.any))),
    .required(
      "trips",
      .list(
        .object([
          .required("id", .string), .required("device_id", .string), .required("device_name", .string),
          .required("start", .date), .required("distance_m", .number(0...Double.greatestFiniteMagnitude)),
          .required("mode", .string), .required("paused", .boolean), .optional("fixed", .date),
          .optional("speed_mps", .number(0...Double.greatestFiniteMagnitude)),
        ]))),
  ])

  private static let explanation = HubSchema.object([
    .required("id", .string), .required("device_id", .string), .required("device_name", .string),
    .required("start", .date), .optional("end", .date), .required("readings", .counter),
    .required("settled", .boolean), .required("personal", .boolean),
    .required(
      "decisions",
      .list(
        .object([
          .required("time", .date), .required("rule", .string), .optional("seconds", .any), .optional("metres", .any),
          .optional("limit", .any), .optional("words", .string),
        ]))),
  ])

  private static let companionLink = HubSchema.object([
    .required("id", .string), .required("tracker_id", .string), .required("tracker_name", .string),
    .required("companion_id", .string), .required("companion_name", .string), .required("held_through", .counter),
    .required("acked_through", .counter), .required("removed", .boolean),
  ])

  private static let notice = HubSchema.object([
    .required("seq", .integer(1...SyncRange.counter.upperBound)), .required("kind", .string), .required("at", .date),
    .optional("data", .map(.any)),
  ])

  private static let eventBatch = HubSchema.object([
    .required("created", .list(.entity(.event))), .required("total", .counter), .required("success", .counter),
    .required("failed", .counter),
    .optional("errors", .list(.object([.required("index", .counter), .required("message", .string)]))),
  ])
}
