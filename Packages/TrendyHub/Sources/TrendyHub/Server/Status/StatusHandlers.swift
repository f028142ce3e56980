import Foundation
import Synchronization
import TrendyModels
import TrendyProtocols

struct StatusHandlers: Sendable {
  let records: HubRecords
  let metrics: HubMetrics
  private let readiness = Readiness()
  private let startedAt: Duration

  init(records: HubRecords, metrics: HubMetrics) {
    self.records = records
    self.metrics = metrics
    startedAt = records.clock.uptime
  }

  var routes: [HubRoute] {
    [
      HubRoute(
        .get, "health", name: "getHealth", summary: "Reports that the process is running.",
        answers: [.json(200, "running", .named("Status"))],
        .open { _ in .json(["status": "ok", "version": "1"]) }),
      HubRoute(
        .get, "ready", name: "getReadiness", summary: "Reports whether the hub accepts writes.",
        answers: [.json(200, "ready", .named("Status"))], .open(showReadiness)),
      HubRoute(
        .get, "/metrics", name: "getMetrics", summary: "Returns metrics since the start of the process.",
        answers: [], isDocumented: false, .local(showMetrics)),
    ]
  }

  /// Reports whether the storage would accept a write, whereas `/health` only shows that the process is responding.
  private func showReadiness(_ call: HubCall) async throws -> HTTPResponse {
    try await readiness.check(now: records.clock.uptime) { [records] in
      try await records.store.perform(.writing, for: "readiness") { try records.storage.checkReady() }
    }
    return .json(["status": "ready", "version": "1"])
  }

  private func showMetrics(_ call: HubCall) async throws -> HTTPResponse {
    let threads = records.store.threads
    let text = metrics.text(
      streams: records.streams.count,
      queues: [("reading", threads?.waitingCount(.reading) ?? 0), ("writing", threads?.waitingCount(.writing) ?? 0)],
      uptime: records.clock.uptime - startedAt)
    return HTTPResponse(type: PrometheusText.mediaType, .data(Data(text.description.utf8)))
  }
}
