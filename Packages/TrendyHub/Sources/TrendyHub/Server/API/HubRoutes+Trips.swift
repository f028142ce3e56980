import TrendyModels

extension HubRoutes {
  /// What a person mends of trips.
  static let trips: [HubRoute] = [
    HubRoute(
      .get, "trips/{id}", name: "getTrip",
      summary: "A trip, those before and after it within a week, and how it was found where the hub found it.",
      answers: [
        .json(
          200, "the trip, and what is around it",
          .object([
            .required("trip", .entity(.event)), .required("previous", .nullable(.entity(.event))),
            .required("next", .nullable(.entity(.event))), .required("explanation", .nullable(.named("Explanation"))),
          ]))
      ], .device { server, call, sender in try await server.showTrip(call, sender) }),
    HubRoute(
      .get, "trips/{id}/split", name: "showSplit",
      summary: "The two trips that a split would make; nothing is written.",
      query: [
        HubRoute.Query(name: "at", schema: .date, meaning: "the moment at which it is parted"),
        HubRoute.Query(name: "part", schema: .number(0...1), meaning: "the part of the way, in place of a moment"),
      ],
      answers: [
        .json(
          200, "where it would be parted, and both halves",
          .object([.required("at", .date), .required("first", half), .required("second", half)]))
      ], .device { server, call, sender in try await server.showSplit(call, sender) }),
    HubRoute(
      .post, "trips/{id}/split", name: "splitTrip", summary: "Makes two trips of one, parted at a moment on the way.",
      body: .object([.required("at", .date), .required("id", .string)]),
      answers: [.json(200, "the first and the second", .object([.required("trips", .list(.entity(.event)))]))],
      .device { server, call, sender in try await server.splitTrip(call, sender) }),
    HubRoute(
      .post, "trips/{id}/merge", name: "mergeTrips", summary: "Makes one trip of two that follow one another.",
      body: .object([.required("with", .string)]), answers: [.json(200, "the one trip", .entity(.event))],
      .device { server, call, sender in try await server.mergeTrips(call, sender) }),
  ]

  private static let half = HubSchema.object([
    .required("start", .date), .required("end", .date),
    .required("distance_m", .number(0...Double.greatestFiniteMagnitude)), .required("start_place", place),
    .required("end_place", place),
  ])

  private static let place = HubSchema.nullable(
    .object([.required("latitude", .number(-90...90)), .required("longitude", .number(-180...180))]))
}
