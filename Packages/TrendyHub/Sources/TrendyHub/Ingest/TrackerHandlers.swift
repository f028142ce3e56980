import Foundation
import TrendyModels
import TrendyProtocols
import TrendyTrips

/// Handlers for posts of trackers, and for trips in progress.
struct TrackerHandlers: Sendable {
  let records: HubRecords
  let readings: PostedTracks

  var routes: [HubRoute] {
    [
      HubRoute(
        .get, "me/live", name: "getLiveTrips", summary: "What goes on, as far as devices post to the hub.",
        answers: [.json(200, "the trips that go on", .named("LiveTrips"))], .device(showLiveTrips)),
      HubRoute(
        .get, "me/live/{id}/route", name: "getLiveRoute", summary: "The way so far of a trip that goes on.",
        answers: [.json(200, "an encoded polyline of five decimals", .object([.required("route", .string)]))],
        .device(showLiveRoute)),
      HubRoute(
        .get, "me/explanations/{id}", name: "getExplanation",
        summary: "How a trip or a visit was found in what a device posted to the hub.",
        answers: [.json(200, "what was decided, in order", .named("Explanation"))], .device(showExplanation)),
    ]
  }

  /// Stores readings that a tracker posts.
  func take(_ posted: IngestRequest, _ sender: HubDevice) async throws -> IngestAnswer {
    // A full record rejects readings, because trips detected in accepted readings are always written.
    if case .webhook(.status) = posted.form {
    } else if let error = try await records.store.read(
      person: sender.person,
      { [quota = records.core.quota] in
        try $0.isFull(quota)
      })
    {
      throw error
    }
    let answer = try await readings.ask(of: sender.person) { ingest, desk in
      try await ingest.take(posted, from: IngestSender(person: desk.person, device: sender.id, desk: desk))
    }
    guard let answer else { preconditionFailure("readings were posted to a hub that takes none") }
    return answer
  }

  private func showExplanation(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    guard let explanation = try await readings.explanation(ofEvent: call.id, of: sender.person) else {
      throw Problem.notFound("the event was not found in what devices post to this hub")
    }
    return try .wire(explanation)
  }

  private func showLiveTrips(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    let live = try await readings.ask(of: sender.person) { ingest, desk in
      (trips: try await ingest.liveTrips(for: desk), leftOut: try await ingest.leftOut(for: desk))
    }
    func answer(at now: Date) -> LiveTripsResponse {
      LiveTripsResponse(now: now, trips: live?.trips ?? [], leftOut: live?.leftOut ?? [])
    }
    return try HTTPResponse.wire(answer(at: records.clock.now))
      .taggedByContent(WireJSON.encode(answer(at: .distantPast)))
  }

  private func showLiveRoute(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    let route = try await readings.ask(of: sender.person) { try await $0.route(ofLiveTrip: call.id, for: $1) }
    guard let route else { throw Problem.notFound("no trip \"\(call.id.prefix(128))\" goes on that is posted here") }
    return .json(["route": .string(Polyline.encode(route))])
  }
}
