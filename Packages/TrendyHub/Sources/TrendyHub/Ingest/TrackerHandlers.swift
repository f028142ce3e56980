import Foundation
import TrendyModels
import TrendyProtocols
import TrendyTrips

extension HubServer {
  /// Answers what trackers post outside `/api`; `nil` for every other request, and where the hub takes in none.
  func answerIngest(_ request: HTTPRequest, device: inout HubDevice?, failure: inout String?) async throws
    -> HTTPResponse?
  {
    guard let ingest, let asked = IngestRequest(request) else { return nil }
    try configuration.check(namesOf: request)
    try asked.check(method: request.method)
    guard let token = request.ingestToken else { throw Problem.noIngestToken }
    let sender = try await self.device(token: token, of: request)
    device = sender
    try limit(sender)
    // What is found in posts that were taken is written whatever there is; so none is taken for a record that is full.
    if case .webhook(.status) = asked.form {
    } else if let error = try await store.read(person: sender.person, { [quota = core.quota] in try $0.isFull(quota) })
    {
      throw error
    }
    let answer = try await store.run(person: sender.person) { [self] in
      try await ingest.take(
        asked, from: IngestSender(person: sender.person, device: sender.id, desk: ingestDesk(person: sender.person)))
    }
    failure = answer.delay
    return asked.response(to: answer)
  }

  /// Answers `/me/explanations/{id}`: how an event was found in what a device posted.
  /// - Throws: a ``Problem`` with status 404 for one that was not found here.
  func answerExplanation(_ id: String, _ sender: HubDevice) async throws -> HTTPResponse {
    let explanation = try await store.run(person: sender.person) { [self] in
      try await ingest?.explanation(ofEvent: id, for: ingestDesk(person: sender.person))
    }
    guard let explanation else {
      throw Problem(
        "not_found", status: 404, title: "Not found", detail: "the event was not found in what devices post to this hub"
      )
    }
    return try .wire(explanation)
  }

  /// Answers `/me/live`: what goes on, as far as devices post here.
  func answerLive(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    let (trips, leftOut) = try await store.run(person: sender.person) { [self] in
      let desk = ingestDesk(person: sender.person)
      return (try await ingest?.liveTrips(for: desk) ?? [], try await ingest?.leftOut(for: desk) ?? [])
    }
    func answer(at now: Date) -> LiveTripsResponse { LiveTripsResponse(now: now, trips: trips, leftOut: leftOut) }
    return try HTTPResponse.wire(answer(at: clock.now))
      .taggedByContent(WireJSON.encode(answer(at: .distantPast)), for: call.request)
  }

  /// Answers `/me/live/{id}/route`.
  func answerLiveRoute(_ id: String, _ sender: HubDevice) async throws -> HTTPResponse {
    let route = try await store.run(person: sender.person) { [self] in
      try await ingest?.route(ofLiveTrip: id, for: ingestDesk(person: sender.person))
    }
    guard let route else { throw Problem.notFound("no trip \"\(id.prefix(128))\" goes on that is posted here") }
    return .json(["route": .string(Polyline.encode(route))])
  }
}
