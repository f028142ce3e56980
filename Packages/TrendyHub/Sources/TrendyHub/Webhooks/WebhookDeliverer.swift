import Foundation
import TrendyModels
import TrendyProtocols

/// Delivers changes to the webhooks of all users.
///
/// Each change is delivered at least once, in the order of versions, and each webhook independently: a slow or
/// unreachable receiver does not delay the others and is retried forever, after one second, then two, up to an hour.
/// Of several hubs on one storage the hub that has claimed a webhook delivers; a claim lasts a minute, after which
/// another hub may repeat the delivery.
struct WebhookDeliverer: Sendable {
  let records: HubRecords
  let metrics: HubMetrics

  private var store: HubStore { records.store }
  private var clock: any TimeSource { records.clock }
  private var bells: WebhookBells { records.bells }

  /// How often the directory is asked for webhooks that were added or removed.
  private static let reloadInterval: Duration = .seconds(10)
  /// Longer than a delivery takes; clocks of hubs that share a storage have to agree better than that.
  static let claimPeriod: Duration = .seconds(60)
  /// How often a webhook looks for changes that other hubs on the same storage wrote.
  private static let lookInterval: Duration = .seconds(60)

  /// Delivers until the task is cancelled.
  /// - Parameters:
  ///   - sender: sends requests over the network.
  ///   - report: receives failures of the hub's own storage as text.
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
          report("the webhooks could not be read: \(error)")
        }
        // Cancelled is seen by the loop.
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
      // In pieces, so that one that is removed meanwhile ends. Cancelled is seen by the loop.
      case .rest(let pause): try? await clock.sleep(for: min(pause, Self.reloadInterval))
      }
    }
  }

  /// One delivery, if there is something to deliver.
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
      let post = WebhookPost(
        due.changes, of: due.life, to: webhook, isIncomplete: due.isIncomplete, now: clock.now)
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
      standing.life = due.life
    }
    let now = clock.now
    standing.claim = nil
    try await store.write(person: webhook.person) { [standing, core = records.core] transaction in
      // Removed meanwhile, or another hub took it over: what that one notes stands.
      guard let held = try transaction.webhookStanding(of: webhook.id), held.claim?.hub == due.standing.claim?.hub
      else { return }
      try transaction.put(standing)
      guard standing.failures == 0 else { return }
      // As a device that stands there: what was deleted after it stays in the feed.
      let device = "webhook:\(webhook.id)"
      let contact = core.contact(
        device: device, cursor: standing.cursor, seen: standing.cursor, after: try transaction.contact(device: device),
        in: try transaction.state(), now: now)
      if let contact { try transaction.putContact(contact) }
    }
    return .again
  }

  /// What there is to deliver by now; where several hubs may serve the storage, it is claimed for this one.
  private func nextWork(of webhook: HubWebhook) async throws -> WebhookWork {
    let now = clock.now
    let (work, isShared) = try await store.read(person: webhook.person) { reading in
      (try WebhookWork(webhook, in: reading, at: now), try reading.epoch() != nil)
    }
    guard isShared, case .due = work else { return work }
    let claim = HubWebhookStanding.Claim(
      hub: records.process, until: now.addingTimeInterval(Double(Self.claimPeriod.components.seconds)))
    return try await store.write(person: webhook.person) { transaction in
      // Looked at again behind the lock: another hub may have delivered it meanwhile.
      guard case .due(var due) = try WebhookWork(webhook, in: transaction, at: now) else { return .nothing }
      // No claim lasts longer, but for clocks that differ; one by a clock that was far ahead is over.
      if let held = due.standing.claim, held.hub != claim.hub, held.until > now,
        held.until <= now + 2 * Self.claimPeriod.seconds
      {
        return .notBefore(held.until)
      }
      due.standing.claim = claim
      // Only the claim: where the cursor was put back, that is noted with what was delivered.
      guard var standing = try transaction.webhookStanding(of: webhook.id) else { return .nothing }
      standing.claim = claim
      try transaction.put(standing)
      return .due(due)
    }
  }
}

/// What a webhook is owed by now.
private enum WebhookWork: Sendable {
  case nothing
  case notBefore(Date)
  case due(WebhookDue)

  init(_ webhook: HubWebhook, in reading: any HubReading, at now: Date) throws {
    guard let due = try WebhookDue(webhook, in: reading), !due.isIdle else {
      self = .nothing
      return
    }
    if let next = due.standing.nextAttempt, next > now, next <= now + HubWebhookStanding.longestPause.seconds {
      self = .notBefore(next)
    } else {
      // Also where it was noted by a clock that was ahead: no pause is as long as that.
      self = .due(due)
    }
  }
}

/// What the deliveries to a webhook do next.
private enum WebhookStep {
  /// There may be more to deliver.
  case again
  /// They wait for the next change.
  case idle
  /// The receiver is left alone for a while.
  case rest(Duration)
}

/// What a webhook is to be told next.
private struct WebhookDue: Sendable {
  /// Changes of one delivery at most, and bytes of them after which no further one is added.
  static let most = (changes: 100, bytes: 1 << 20)

  var standing: HubWebhookStanding
  /// Of the kinds that are told.
  private(set) var changes: [HubLine] = []
  /// The version of the last change that was looked at, and the life it belongs to.
  let end: Int64
  let life: String?
  /// Whether deletions before the first may be gone from the feed.
  let isIncomplete: Bool

  var isIdle: Bool { end == standing.cursor }

  /// - Returns: `nil` for a webhook whose standing is not there: it was removed.
  init?(_ webhook: HubWebhook, in reading: any HubReading) throws {
    guard var standing = try reading.webhookStanding(of: webhook.id) else { return nil }
    let state = try reading.state()
    if let life = state.epochs.epoch(of: standing.cursor)?.id, life != standing.life {
      // The hub was restored and wrote its versions anew: from where the lives parted, all is told once more.
      let known = state.epochs.firstIndex { $0.id == standing.life }
      let next = known.map { state.epochs.index(after: $0) } ?? state.epochs.startIndex
      standing.cursor = min(standing.cursor, state.epochs[next].first - 1)
    }
    var end = standing.cursor
    var bytes = 0
    for entry in try reading.entries(after: standing.cursor, limit: Self.most.changes) where bytes < Self.most.bytes {
      end = entry.version
      guard webhook.kinds.isEmpty || webhook.kinds.contains(entry.kind) else { continue }
      let line = entry.line(person: webhook.person)
      bytes += line.text.count
      changes.append(line)
    }
    self.standing = standing
    self.end = end
    life = state.epochs.epoch(of: end)?.id
    isIncomplete = standing.cursor < state.horizon
  }
}

extension HubWebhookStanding {
  fileprivate static let longestPause: Duration = .seconds(3600)

  /// - Parameter retryAfter: what the receiver asked for, an hour at most.
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
  /// Whole seconds, as a date counts them.
  fileprivate var seconds: TimeInterval { TimeInterval(components.seconds) }
}
