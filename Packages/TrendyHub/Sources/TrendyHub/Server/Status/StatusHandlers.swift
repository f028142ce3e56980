import Foundation
import TrendyModels
import TrendyProtocols

extension HubServer {
  /// Answers `/metrics`; `nil` for every other request.
  ///
  /// This machine asks without a token; any other one, and whoever comes through a proxy, shows one.
  func answerMetrics(_ request: HTTPRequest, device: inout HubDevice?) async throws -> HTTPResponse? {
    guard request.path == "/metrics" else { return nil }
    try configuration.check(namesOf: request)
    guard request.method == "GET" || request.method == "HEAD" else {
      throw Problem(
        "method_not_allowed", status: 405, title: "Method not allowed",
        detail: "/metrics takes GET, HEAD, found \(request.method)", allow: "GET, HEAD")
    }
    if !isOfThisMachine(request) {
      let sender = try await authenticate(request)
      device = sender
      try limit(sender)
    }
    return HTTPResponse(
      status: 200, headers: HTTPHeaders([("Content-Type", PrometheusText.mediaType)]),
      body: .data(Data(metricsText().description.utf8)))
  }

  func metricsText() -> PrometheusText {
    metrics.text(
      streams: streams.count,
      // A hub without threads lets nothing wait.
      queues: [("reading", store.threads?.waitingCount(.reading)), ("writing", store.threads?.waitingCount(.writing))]
        .map { ($0, $1 ?? 0) },
      uptime: clock.uptime - startedAt)
  }

  /// A proxy on this machine that the hub was not told of gives itself away by what it adds.
  func isOfThisMachine(_ request: HTTPRequest) -> Bool {
    let isForwarded = ["Forwarded", "X-Forwarded-For", "Via"].contains { request.headers[$0] != nil }
    return !isForwarded
      && (request.remoteAddress == NetworkAddress.unixSocket
        || NetworkAddress(request.remoteAddress)?.isLoopback ?? false)
  }
}
