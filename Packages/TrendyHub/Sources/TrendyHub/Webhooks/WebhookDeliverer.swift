import Foundation
import TrendyModels
import TrendyProtocols

/// Delivers changes to all users' webhooks.
///
/// Each change is delivered at least once, in order of version. Webhooks are independent: a slow or unreachable
/// receiver does not delay other receivers, and is retried indefinitely, after one second, then two, up to an hour. If
/// several hubs share a storage, the hub that has claimed a webhook delivers to it. A claim lasts a minute, after which
/// another hub may repeat the delivery.
struct WebhookDeliverer: Sendable {
  let records: HubRecords
  let metrics: HubMetrics

  private var store: HubStore { records.store }
  private var clock: any TimeSource { records.clock }
  private var bells: WebhookWakeSignals { records.bells }

  /// Interval between checks of the directory for added and removed webhooks.
  private static let reloadInterval: Duration = .seconds(10)
  /// Duration of a claim.
  ///
  /// It exceeds both the time that a delivery takes and the clock difference between hubs on one storage.
  static let claimPeriod: Duration = .seconds(60)
  /// Interval between checks for changes written by other hubs on the same storage.
  private static let lookInterval: Duration = .seconds(60)

  /// Delivers until the task is cancelled. `report` receives descriptions of storage failures.
  func run(by sender: any WebhookSender, report: @escaping @Sendable (String) -> Void) async {
    await withDiscardingTaskGroup { group in
      while !Task.isCancelled {
        do {
          let webhooks = try await webhooks()
          bells.keepOnly(Set(webhooks.map(\.id)))
          for webhook in webhooks where bells.hang(webhook) {
            group.addTask { await deliver(to: webhook, by: sender, report: report) }
          }
        } catch {
          report("cannot read the webhooks: \(error)")
        }
        // The sleep throws only if it is cancelled, which ends the loop.
        try? await clock.sleep(for: Self.reloadInterval)
      }
      bells.keepOnly([])
    }
  }

  private func webhooks() async throws -> [HubWebhook] {
    try await store.perform(.reading, for: "directory") { [storage = records.storage] in
      try storage.readDirectory { try $0.webhooks() }
    }
  }

  private func deliver(
    to webhook: HubWebhook, by sender: any WebhookSender, report: @escaping @Sendable (String) -> Void
  ) async {
    while !Task.isCancelled, bells.hangs(webhook.id) {
      var next = WebhookStep.idle
      do {
        next = try await deliverNext(to: webhook, by: sender)
      } catch HubStorageError.erased {
        return
      } catch {
        report("webhook \(webhook.id): \(error)")
      }
      switch next {
      case .again: break
      case .idle: await bells.wait(at: webhook.id, atMost: Self.lookInterval, clock)
      // Sleep in short steps, so deliveries to a removed webhook end soon.
      case .rest(let pause): try? await clock.sleep(for: min(pause, Self.reloadInterval))
      }
    }
  }

  private func deliverNext(to webhook: HubWebhook, by sender: any WebhookSender) async throws -> WebhookStep {
    let due: WebhookDue
    switch try await nextWork(of: webhook) {
    case .nothing: return .idle
    case .notBefore(let moment):
      return .rest(.milliseconds(Int64((moment.timeIntervalSince(clock.now) * 1000).rounded(.up))))
    case .due(let work): due = work
    }
    var standing = due.standing
    if !due.changes.isEmpty {
      let post = WebhookDelivery(
        due.changes, of: due.epoch, to: webhook, isIncomplete: due.isIncomplete, now: clock.now)
      do {
        let answer = try await sender.send(post)
        metrics.onDelivery(isTaken: (200..<300).contains(answer.status))
        standing.note(.init(at: clock.now, status: answer.status), retryAfter: answer.retryAfter)
      } catch is CancellationError {
        return .idle
      } catch {
        metrics.onDelivery(isTaken: false)
        standing.note(.init(at: clock.now, status: nil, words: "\(error)"), retryAfter: nil)
      }
    }
    if standing.failures == 0 {
      standing.cursor = due.end
      standing.epoch = due.epoch
    }
    let now = clock.now
    standing.claim = nil
    try await store.write(user: webhook.user) { [standing, core = records.core] transaction in
      // If this check fails, the webhook was removed, or another hub has claimed it and stores the state.
      guard let held = try transaction.webhookStanding(of: webhook.id), held.claim?.hub == due.standing.claim?.hub
      else { return }
      try transaction.put(standing)
      guard standing.failures == 0 else { return }
      // Store a contact, as for a device, so that tombstones above the cursor are not compacted.
      let device = "webhook:\(webhook.id)"
      let contact = core.contact(
        device: device, cursor: standing.cursor, seen: standing.cursor, after: try transaction.contact(device: device),
        in: try transaction.state(), now: now)
      if let contact { try transaction.putContact(contact) }
    }
    return .again
  }

  /// Returns the next delivery, and claims the webhook if several hubs may serve the storage.
  private func nextWork(of webhook: HubWebhook) async throws -> WebhookWork {
    let now = clock.now
    let (work, isShared) = try await store.read(user: webhook.user) { reading in
      (try WebhookWork(webhook, in: reading, at: now), try reading.epoch() != nil)
    }
    guard isShared, case .due = work else { return work }
    let claim = WebhookDeliveryState.Claim(
      hub: records.process, until: now.addingTimeInterval(Double(Self.claimPeriod.components.seconds)))
    return try await store.write(user: webhook.user) { transaction in
      // Read again in the write transaction, because another hub may have delivered the changes in the meantime.
      guard case .due(var due) = try WebhookWork(webhook, in: transaction, at: now) else { return .nothing }
      // Ignore a claim that ends later than this, because it was set by a clock that was far ahead.
      if let held = due.standing.claim, held.hub != claim.hub, held.until > now,
        held.until <= now + 2 * Self.claimPeriod.seconds
      {
        return .notBefore(held.until)
      }
      due.standing.claim = claim
      // Store only the claim. A cursor that was moved back is stored after the delivery.
      guard var standing = try transaction.webhookStanding(of: webhook.id) else { return .nothing }
      standing.claim = claim
      try transaction.put(standing)
      return .due(due)
    }
  }
}

private enum WebhookWork: Sendable {
  case nothing
  case notBefore(Date)
  case due(WebhookDue)

  init(_ webhook: HubWebhook, in reading: any HubReadTransaction, at now: Date) throws {
    guard let due = try WebhookDue(webhook, in: reading), !due.isIdle else {
      self = .nothing
      return
    }
    if let next = due.standing.nextAttempt, next > now, next <= now + WebhookDeliveryState.longestPause.seconds {
      self = .notBefore(next)
    } else {
      // A later time for the next attempt was set by a clock that was ahead, so ignore it.
      self = .due(due)
    }
  }
}

private enum WebhookStep {
  /// Further changes may be pending.
  case again
  /// Wait for the next change.
  case idle
  /// Wait before the next attempt.
  case rest(Duration)
}

private struct WebhookDue: Sendable {
  /// Maximum number of changes in a delivery, and the size in bytes at which a delivery is full.
  static let most = (changes: 100, bytes: 1 << 20)

  var standing: WebhookDeliveryState
  /// Changes to entities of the webhook's kinds.
  private(set) var changes: [SerializedEntry] = []
  /// Version and epoch of the last examined change.
  let end: Int64
  let epoch: String?
  /// Whether tombstones before the first change may have been compacted.
  let isIncomplete: Bool

  var isIdle: Bool { end == standing.cursor }

  /// Collects the changes after the webhook's cursor, or returns `nil` if the webhook was removed.
  init?(_ webhook: HubWebhook, in reading: any HubReadTransaction) throws {
    guard var standing = try reading.webhookStanding(of: webhook.id) else { return nil }
    let state = try reading.state()
    if let epoch = state.epochs.epoch(of: standing.cursor)?.id, epoch != standing.epoch {
      // The hub was restored and has assigned the versions again, so repeat the changes after the last common version.
      let known = state.epochs.firstIndex { $0.id == standing.epoch }
      let next = known.map { state.epochs.index(after: $0) } ?? state.epochs.startIndex
      standing.cursor = min(standing.cursor, state.epochs[next].first - 1)
    }
    var end = standing.cursor
    var bytes = 0
    for entry in try reading.entries(after: standing.cursor, limit: Self.most.changes) where bytes < Self.most.bytes {
      end = entry.version
      guard webhook.kinds.isEmpty || webhook.kinds.contains(entry.kind) else { continue }
      let line = entry.line(user: webhook.user)
      bytes += line.text.count
      changes.append(line)
    }
    self.standing = standing
    self.end = end
    epoch = state.epochs.epoch(of: end)?.id
    isIncomplete = standing.cursor < state.horizon
  }
}

extension WebhookDeliveryState {
  fileprivate static let longestPause: Duration = .seconds(3600)

  /// Records the result of an attempt. `retryAfter`, the delay requested by the receiver, is capped at one hour.
  fileprivate mutating func note(_ attempt: Attempt, retryAfter: Duration?) {
    lastAttempt = attempt
    guard !attempt.isSuccess else {
      failures = 0
      nextAttempt = nil
      return
    }
    failures += 1
    let pause = max(.seconds(1 << min(failures - 1, 12)), retryAfter ?? .zero)
    nextAttempt = attempt.at.addingTimeInterval(Double(min(pause, Self.longestPause).components.seconds))
  }
}

extension Duration {
  /// Whole seconds.
  fileprivate var seconds: TimeInterval { TimeInterval(components.seconds) }
}
