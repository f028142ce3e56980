import TrendyModels

extension HubRoutes {
  /// Findings over the record.
  static let insights: [HubRoute] = [
    HubRoute(
      .get, "insights", name: "getInsights",
      summary: "What goes with what, the week against the one before, when things happen, and streaks.",
      query: [
        HubRoute.Query(
          name: "days", schema: .integer(14...366), meaning: "that relations and patterns look at; 90 unless told"),
        HubRoute.Query(
          name: "week_start", schema: .integer(0...6), meaning: "the first day of a week, 0 is Sunday; 1 unless told"),
      ] + days, answers: [.json(200, "the findings", .named("Insights"))],
      .record { server, call, sender in try server.showInsights(call, sender) }),
    HubRoute(
      .get, "insights/streaks", name: "getStreaks", summary: "Days in a row up to today, of types with a daily goal.",
      query: days,
      answers: [
        .json(
          200, "the streaks",
          .object([
            .required(
              "streaks", .list(.object([.required("event_type_id", .string), .required("current", .counter)])))
          ]))
      ], .record { server, call, sender in try server.showStreaks(call, sender) }),
  ]
}

extension HubSchema {
  private static let real = HubSchema.number(-Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude)
  private static let confidence = HubSchema.words(["low", "medium", "high"])
  private static let direction = HubSchema.words(["up", "down", "steady", "new"])
  private static let habit = HubSchema.nullable(
    .object([
      .required("peak", .counter), .required("share", real), .required("consistency", real),
      .required("confidence", confidence),
    ]))

  /// The answer of `/insights`.
  static let insights = HubSchema.object([
    .required("today", .string), .required("days", .counter), .required("first_date", .nullable(.string)),
    .required("needs_days", .counter), .required("relations", .list(relation)), .required("types", .list(typeFindings)),
  ])

  private static let relation = HubSchema.object([
    .required("first", .string), .required("second", .string), .required("lag_days", .counter), .required("r", real),
    .required("p", real), .required("adjusted_p", real), .required("days", .counter),
    .required("confidence", confidence), .required("sentence", .string),
  ])

  private static let typeFindings = HubSchema.object([
    .required("event_type_id", .string), .required("name", .string),
    .required(
      "basis",
      .object([
        .required("active_days", .counter), .required("events", .counter), .required("from", .string),
        .required("through", .string), .required("days", .counter),
      ])),
    .required(
      "week",
      .object([
        .required("from", .string), .required("through", .string), .required("now", .counter),
        .required("before", .counter), .required("percent", .nullable(real)), .required("direction", direction),
      ])),
    .required(
      "trend",
      .nullable(
        .object([
          .required("recent", .counter), .required("before", .counter), .required("change", .nullable(real)),
          .required("direction", direction), .required("sentence", .string),
        ]))),
    .required(
      "pattern",
      .object([
        .required("events", .counter), .required("grid", .list(.list(.counter))), .required("hour", habit),
        .required("weekday", habit), .required("needs_events", .counter),
        .required(
          "usual",
          .nullable(.object([.required("from", .counter), .required("through", .counter), .required("share", real)]))),
      ])),
    .required(
      "streak",
      .object([
        .required("current", .counter), .required("longest", .counter), .required("longest_end", .nullable(.string)),
      ])),
    .required("score", .nullable(real)),
  ])
}
