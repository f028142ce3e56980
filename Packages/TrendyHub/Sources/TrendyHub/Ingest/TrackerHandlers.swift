import Foundation
import TrendyModels
import TrendyProtocols
import TrendyTrips

struct TrackerHandlers: Sendable {
  let records: HubRecords
  let readings: PostedTracks

  var routes: [HubRoute] {
    [
      HubRoute(
        .get, "me/live", name: "getLiveTrips", summary: "Lists the current trips of devices that post to the hub.",
        answers: [.json(200, "the current trips", .named("LiveTrips"))], .device(showLiveTrips)),
      HubRoute(
        .get, "me/live/{id}/route", name: "getLiveRoute", summary: "Returns the route of a current trip so far.",
        answers: [
          .json(
            200, "an encoded polyline with five decimals, and its start",
            .object([.required("route", .string), .required("start_place", .tripEnd)]))
        ],
        .device(showLiveRoute)),
      HubRoute(
        .get, "me/explanations/{id}", name: "getExplanation",
        summary: "Explains how a trip or visit was detected from the fixes that a device posted to the hub.",
        answers: [.json(200, "the decisions in order", .named("Explanation"))], .device(showExplanation)),
    ]
  }

  func take(_ posted: IngestRequest, _ sender: HubDevice) async throws -> IngestResponse {
    // Reject readings if the user's record is full: trips detected in accepted readings are always written.
    if case .webhook(.status) = posted.form {
    } else if let error = try await records.store.read(
      user: sender.user,
      { [quota = records.core.quota] in
        try $0.isFull(quota)
      })
    {
      throw error
    }
    let answer = try await readings.ask(of: sender.user) { ingest, desk in
      try await ingest.take(posted, from: IngestSender(user: desk.user, device: sender.id, desk: desk))
    }
    guard let answer else { preconditionFailure("a hub without ingest received readings") }
    return answer
  }

  private func showExplanation(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    guard let explanation = try await readings.explanation(ofEvent: call.id, of: sender.user) else {
      throw Problem.notFound("this hub did not detect the event, so it has no explanation")
    }
    return try .wire(explanation)
  }

  private func showLiveTrips(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    let live = try await readings.ask(of: sender.user) { ingest, desk in
      (trips: try await ingest.liveTrips(for: desk), leftOut: try await ingest.leftOut(for: desk))
    }
    func answer(at now: Date) -> LiveTripsResponse {
      LiveTripsResponse(now: now, trips: live?.trips ?? [], leftOut: live?.leftOut ?? [])
    }
    return try HTTPResponse.wire(answer(at: records.clock.now))
      .taggedByContent(WireJSON.encode(answer(at: .distantPast)))
  }

  private func showLiveRoute(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    let route = try await readings.ask(of: sender.user) { try await $0.route(ofLiveTrip: call.id, for: $1) }
    guard let route else { throw Problem.notFound("current trip \"\(call.id.prefix(128))\" not found") }
    let places = try await records.store.read(user: sender.user) { try $0.geofences() }
    return .json(["route": .string(Polyline.encode(route)), "start_place": TripEvent.end(route.first, places)])
  }
}
