import TrendyModels

extension InsightHandlers {
  var routes: [HubRoute] {
    [
      HubRoute(
        .get, "insights", name: "getInsights",
        summary: "Returns correlations, the week-over-week comparison, typical times and streaks.",
        query: [
          .init("days", .integer(14...366), "number of days for correlations and patterns; default 90"),
          Self.weekStart,
        ] + .days, answers: [.json(200, "the findings", .named("Insights"))], .record(showInsights)),
      HubRoute(
        .get, "insights/habits", name: "getHabits",
        summary: "Returns streaks, goal scores and typical times of every type with events.", query: .days,
        answers: [.json(200, "the habits", .named("Habits"))], .record(showHabits)),
      HubRoute(
        .get, "insights/goals", name: "getGoals",
        summary: "Returns the progress of each goal in the current day or week.",
        query: [Self.weekStart] + .days, answers: [.json(200, "the goals", .named("Goals"))], .record(showGoals)),
      HubRoute(
        .get, "insights/types/{id}", name: "getTypeInsights",
        summary: "Returns the findings, the values by day, week or month and the property values of one type.",
        query: [
          .init("days", .integer(14...36_525), "number of days up to today; default 84"),
          .init(
            "step", .words(["day", "week", "month"]),
            "period of one point; default day. For day and week, days must be at most 1500"), Self.weekStart,
        ] + .days, answers: [.json(200, "the type", .named("TypeInsights"))], .record(showType)),
      HubRoute(
        .get, "insights/places/{id}", name: "getPlaceInsights",
        summary: "Returns the time at a place in each of the last weeks, and the last arrival and departure.",
        query: [
          .init("weeks", .integer(1...52), "number of weeks including the current one; default 12"),
          Self.weekStart,
        ] + .days, answers: [.json(200, "the place", .named("PlaceInsights"))], .record(showPlace)),
      HubRoute(
        .get, "insights/streaks", name: "getStreaks",
        summary: "Returns the current streaks of types with a daily goal.",
        query: .days,
        answers: [
          .json(
            200, "the streaks",
            .object([
              .required(
                "streaks",
                .list(
                  .object([
                    .required("event_type_id", .string), .required("current", .counter), .required("period", .period),
                  ])))
            ]))
        ], .record(showStreaks)),
    ]
  }

  private static let weekStart = HubRoute.Parameter(
    "week_start", .integer(0...6), "first day of the week, 0 for Sunday; default 1")
}

extension HubSchema {
  private static let real = HubSchema.number(-Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude)
  fileprivate static let period = HubSchema.words(Goal.Period.allCases.map(\.rawValue))
  private static let confidence = HubSchema.words(["low", "medium", "high"])
  private static let direction = HubSchema.words(["up", "down", "steady", "new"])
  private static let habit = HubSchema.nullable(
    .object([
      .required("peak", .counter), .required("share", real), .required("consistency", real),
      .required("confidence", confidence),
    ]))

  static let insights = HubSchema.object([
    .required("today", .string), .required("days", .counter), .required("first_date", .nullable(.string)),
    .required("needs_days", .counter), .required("relations", .list(relation)), .required("types", .list(typeFindings)),
    .required("words", .list(.string)),
  ])

  static let habits = HubSchema.object([
    .required("today", .string),
    .required(
      "habits",
      .list(
        .object([
          .required("event_type_id", .string), .required("streak", streak), .required("score", .nullable(real)),
          .required("usual", usual),
        ]))),
  ])

  static let goals = HubSchema.object([
    .required("today", .string),
    .required(
      "goals",
      .list(
        .object([
          .required("event_type_id", .string), .required("from", .string), .required("through", .string),
          .required("amount", real), .required("target", .counter), .required("left", real),
          .required("is_met", .boolean), .required("is_excused", .boolean), .required("streak", .nullable(.counter)),
        ]))),
  ])

  static let typeInsights = HubSchema.object([
    .required("today", .string), .required("findings", .nullable(typeFindings)),
    .required(
      "points",
      .list(
        .object([
          .required("from", .string), .required("through", .string), .required("events", .counter),
          .required("mean", .nullable(real)), .required("lower", .nullable(real)), .required("upper", .nullable(real)),
        ]))),
    .required("properties_of", .counter), .required("properties", .list(propertyShares)),
  ])

  static let placeInsights = HubSchema.object([
    .required("here_since", .nullable(.date)), .required("last_enter", .nullable(.date)),
    .required("last_exit", .nullable(.date)), .required("today_s", real),
    .required(
      "weeks",
      .list(
        .object([
          .required("from", .string), .required("through", .string), .required("seconds", real),
          .required("visits", .counter),
        ]))),
  ])

  private static let propertyShares = HubSchema.object([
    .required("key", .string), .required("label", .string), .required("property_type", .string),
    .required("events", .counter), .required("others", .counter),
    .required(
      "parts",
      .list(
        .object([
          .required("value", .any), .required("end", .nullable(real)), .required("events", .counter),
          .required("share", real),
        ]))),
    .required(
      "distribution",
      .nullable(
        .object(
          ["minimum", "lower", "median", "upper", "maximum", "mean"].map { .required($0, real) }))),
  ])

  private static let streak = HubSchema.nullable(
    .object([
      .required("period", period), .required("current", .counter), .required("longest", .counter),
      .required("longest_end", .nullable(.string)),
    ]))

  private static let usual = HubSchema.nullable(
    .object([.required("from", .counter), .required("through", .counter), .required("share", real)]))

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
        .required("usual", usual),
      ])),
    .required("streak", streak),
    .required("score", .nullable(real)),
  ])
}
