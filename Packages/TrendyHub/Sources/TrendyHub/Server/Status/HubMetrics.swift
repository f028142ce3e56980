import Synchronization

/// Operational counters since the hub's start. They contain no personal data.
package final class HubMetrics: Sendable {
  /// Group of requests, used as a metric label.
  package enum Route: String, CaseIterable, Sendable {
    case account, companions, entities, ingest, insights, live, page, probe, snapshot, stream, sync
    /// Unknown paths and paths without a group.
    case other
  }

  private struct Key: Hashable {
    let route: Route
    let status: Int
  }

  private struct State {
    var requests: [Key: Int] = [:]
    var durations: [Route: MetricHistogram] = [:]
    var commits = 0
    var commitDurations = MetricHistogram(bounds: MetricHistogram.durations)
    var commitWrites = MetricHistogram(bounds: [1, 2, 4, 8, 16, 32])
    var errors: [String: Int] = [:]
    var deliveries: [Bool: Int] = [:]
    var quotaRefusals = 0
  }

  private let state = Mutex(State())

  func onRequest(_ route: Route, status: Int, duration: Duration) {
    state.withLock {
      $0.requests[Key(route: route, status: status), default: 0] += 1
      $0.durations[route, default: MetricHistogram(bounds: MetricHistogram.durations)].add(duration.seconds)
    }
  }

  func onCommit(writes: Int, duration: Duration) {
    state.withLock {
      $0.commits += 1
      $0.commitDurations.add(duration.seconds)
      $0.commitWrites.add(Double(writes))
    }
  }

  /// Counts a storage error. Other errors, such as refusals, are ignored.
  func onError(_ error: any Error) {
    guard let reason = (error as? HubStorageError)?.reason else { return }
    state.withLock { $0.errors[reason, default: 0] += 1 }
  }

  func onQuota() { state.withLock { $0.quotaRefusals += 1 } }

  func onDelivery(isTaken: Bool) { state.withLock { $0.deliveries[isTaken, default: 0] += 1 } }

  /// Returns the metrics in the Prometheus text format. `queues` contains the pending storage calls per group of
  /// workers.
  func text(streams: Int, queues: [(lane: String, count: Int)], uptime: Duration) -> PrometheusText {
    let state = state.withLock { $0 }
    var text = PrometheusText()
    text.gauge("trendy_hub_uptime_seconds", "Time since the start of this process.", uptime.seconds)
    text.counter(
      "trendy_hub_requests_total", "Requests by route and response status.",
      state.requests.map { ([("route", $0.key.route.rawValue), ("status", "\($0.key.status)")], Double($0.value)) }
        .sorted { ($0.0[0].1, $0.0[1].1) < ($1.0[0].1, $1.0[1].1) })
    text.histogram(
      "trendy_hub_request_duration_seconds", "Time from a request to the start of its response.",
      state.durations.sorted { $0.key.rawValue < $1.key.rawValue }.map { ([("route", $0.key.rawValue)], $0.value) })
    text.counter("trendy_hub_storage_commits_total", "Storage commits.", [([], Double(state.commits))])
    text.histogram(
      "trendy_hub_storage_commit_duration_seconds", "Time from the first write of a commit until it is durable.",
      [([], state.commitDurations)])
    text.histogram(
      "trendy_hub_storage_commit_writes", "Writes of one user in a shared commit.", [([], state.commitWrites)])
    text.counter(
      "trendy_hub_storage_errors_total", "Failed storage operations by reason.",
      HubStorageError.reasons.map { ([("reason", $0)], Double(state.errors[$0] ?? 0)) })
    text.gauge(
      "trendy_hub_storage_waiting", "Calls waiting for a storage thread.",
      queues.map { ([("lane", $0.lane)], Double($0.count)) })
    text.counter(
      "trendy_hub_quota_refusals_total", "Requests rejected because of a quota.",
      [([], Double(state.quotaRefusals))])
    text.gauge("trendy_hub_streams", "Open change streams.", Double(streams))
    text.counter(
      "trendy_hub_webhook_deliveries_total", "Webhook deliveries by success.",
      [true, false].map { ([("taken", "\($0)")], Double(state.deliveries[$0] ?? 0)) })
    return text
  }
}

extension Duration {
  fileprivate var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}

extension HubStorageError {
  static let reasons = ["busy", "erased", "exhausted", "failed", "full", "occupied", "unreachable"]

  fileprivate var reason: String {
    switch self {
    case .busy: "busy"
    case .erased: "erased"
    case .exhausted: "exhausted"
    case .unreadable, .store, .file, .refused, .newerSchema, .invalidAddress, .unsupported: "failed"
    case .full: "full"
    case .occupied: "occupied"
    case .unreachable: "unreachable"
    }
  }
}
