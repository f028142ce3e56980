import TrendyModels
import TrendyTrips

extension TripHandlers {
  var routes: [HubRoute] {
    [
      HubRoute(
        .get, "fixes", name: "getFixedDay",
        summary: "Returns the number of fixes of a day by interval, and the gaps.",
        query: [.init("date", .day, "day, such as 2026-11-22")] + .days,
        answers: [.json(200, "the day", .named("FixedDay"))], .device(showFixes)),
      HubRoute(
        .post, "trips", name: "addTrip", summary: "Adds a trip manually.",
        body: .object([
          .required("id", .identifier), .required("start", .date), .required("end", .date),
          .required("distance_m", Self.anyLength), .optional("time_zone", .string),
          .optional("start_place", Self.place),
          .optional("end_place", Self.place), .optional("vehicle_id", .nullable(.identifier)),
          .optional("category", .nullable(.words(TripCategory.allCases.map(\.rawValue)))),
          .optional("notes", .nullable(.string)),
        ]), answers: [.json(201, "the trip", .entity(.event))], .record(addTrip)),
      HubRoute(
        .get, "trips", name: "listTripSummaries",
        summary: "Returns ends and average speed of the trips that begin in a period, latest first.",
        query: [
          .init("from", .date, "start of the period, inclusive"), .init("to", .date, "end of the period, exclusive"),
          .init("limit", .integer(1...1000), "maximum number of trips; default 1000"),
        ],
        answers: [.json(200, "the trips", .object([.required("trips", .list(.named("TripSummary")))]))],
        .record(listTrips)),
      HubRoute(
        .patch, "trips/{id}", name: "updateTrip",
        summary: "Changes a trip (RFC 7396) and updates its duration, speed, vehicle name and rule.",
        body: .patch(.event), answers: [.json(200, "the updated trip", .entity(.event))], headers: EntityHandlers.edit,
        .record(editTrip)),
      HubRoute(
        .get, "trips/{id}", name: "getTrip",
        summary: "Returns a trip, its neighbours within a week, and its explanation if the hub detected it.",
        answers: [
          .json(
            200, "the trip and its neighbours",
            .object([
              .required("trip", .entity(.event)), .required("previous", .nullable(.entity(.event))),
              .required("next", .nullable(.entity(.event))), .required("summaries", .list(.named("TripSummary"))),
              .required("explanation", .nullable(.named("Explanation"))),
              .required("speed", .nullable(Self.speed)), .required("detour", .nullable(Self.anyLength)),
            ]))
        ], .device(showTrip)),
      HubRoute(
        .get, "trips/{id}/split", name: "showSplit",
        summary: "Returns the two trips that a split would create; nothing is written.",
        query: [
          .init("at", .date, "time of the split"),
          .init("part", .number(0...1), "fraction of the route, instead of a time"),
        ],
        answers: [
          .json(
            200, "the split point and both trips",
            .object([.required("at", .date), .required("first", Self.half), .required("second", Self.half)]))
        ], .device(showSplit)),
      HubRoute(
        .post, "trips/{id}/split", name: "splitTrip", summary: "Splits a trip in two at a given time.",
        body: .object([.required("at", .date), .required("id", .identifier)]),
        answers: [.json(200, "both trips", .object([.required("trips", .list(.entity(.event)))]))],
        .device(split)),
      HubRoute(
        .post, "trips/{id}/merge", name: "mergeTrips", summary: "Merges two consecutive trips.",
        body: .object([.required("with", .identifier)]), answers: [.json(200, "the merged trip", .entity(.event))],
        .device(merge)),
    ]
  }

  private static let half = HubSchema.object([
    .required("start", .date), .required("end", .date),
    .required("distance_m", .number(0...Double.greatestFiniteMagnitude)), .required("start_place", .tripEnd),
    .required("end_place", .tripEnd),
  ])

  private static let speed = HubSchema.object([
    .required("start", .date), .required("step_s", anyLength), .required("top_mps", anyLength),
    .required("standing_s", anyLength),
    .required("steps", .list(.object(coordinates + [.required("mps", .nullable(anyLength))]))),
    .required(
      "stops",
      .list(
        .object(
          coordinates + [.required("start", .date), .required("end", .date), .required("name", .nullable(.string))]))),
  ])
  private static let anyLength = HubSchema.number(0...Double.greatestFiniteMagnitude)
  private static let coordinates: [HubSchema.Member] = [
    .required("latitude", .number(-90...90)), .required("longitude", .number(-180...180)),
  ]

  private static let place = HubSchema.nullable(
    .object([.required("latitude", .number(-90...90)), .required("longitude", .number(-180...180))]))
}

extension HubSchema {
  private static let length = HubSchema.number(0...Double.greatestFiniteMagnitude)
  private static let sums: [Member] = [
    .required("trips", .counter), .required("total_m", length), .required("business_m", length),
    .required("private_m", length), .required("unclassified_m", length),
  ]

  static let mileage = HubSchema.object([
    .required("year", .counter), .required("zone", .string), .required("vehicle_id", .nullable(.string)),
    .required("years", .list(.integer(-10_000...10_000))), .required("total", .object(sums)),
    .required("months", .list(.object([.required("month", .integer(1...12))] + sums))),
    .required(
      "vehicles",
      .list(.object([.required("vehicle_id", .nullable(.string)), .required("name", .string)] + sums))),
    .required("odometers", .list(odometer)), .required("rows", .list(mileageRow)),
  ])

  private static let reading = HubSchema.object([.required("date", .date), .required("odometer_m", length)])
  private static let stretch = HubSchema.object([
    .required("from", reading), .required("to", reading), .required("driven_m", length), .required("trips_m", length),
    .required("deviation", .number(-Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude)),
    .required("warning", .boolean),
  ])
  private static let odometer = HubSchema.object([
    .required("vehicle_id", .string), .required("name", .string), .required("warning", .boolean),
    .required("whole", .nullable(stretch)), .required("stretches", .list(stretch)), .required("ignored", .counter),
  ])
  private static let mileageRow = HubSchema.object([
    .required("id", .string), .required("start", .date), .required("end", .date), .required("from", .string),
    .required("to", .string), .required("distance_m", length), .required("category", .nullable(.string)),
    .required("business_m", .nullable(length)), .required("rule", .nullable(.string)), .required("vehicle", .string),
    .required("start_odometer_m", .nullable(length)), .required("end_odometer_m", .nullable(length)),
    .required("notes", .string),
  ])

  static let fixedDay = HubSchema.object([
    .required("start", .date), .required("step_s", .counter), .required("counts", .list(.counter)),
    .required(
      "gaps",
      .list(
        .object([
          .required("from", .date), .required("to", .date),
          .required("distance_m", .number(0...Double.greatestFiniteMagnitude)),
        ]))),
  ])
}
