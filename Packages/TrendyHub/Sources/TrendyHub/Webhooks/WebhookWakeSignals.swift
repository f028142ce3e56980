import Synchronization
import TrendyProtocols

/// Wakes the deliveries to a user's webhooks when the record changes.
final class WebhookWakeSignals: Sendable {
  private struct Bell {
    let user: String
    /// Whether a change occurred while no delivery was waiting.
    var isRung = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let bells = Mutex<[String: Bell]>([:])

  /// Registers a webhook. Returns `false` if it was already registered.
  func hang(_ webhook: HubWebhook) -> Bool {
    bells.withLock { bells in
      guard bells[webhook.id] == nil else { return false }
      bells[webhook.id] = Bell(user: webhook.user)
      return true
    }
  }

  /// Unregisters all webhooks except the given ones, and wakes their deliveries.
  func keepOnly(_ ids: Set<String>) {
    let waiters = bells.withLock { bells in
      let gone = bells.filter { !ids.contains($0.key) }
      bells = bells.filter { ids.contains($0.key) }
      return gone.values.compactMap(\.waiter)
    }
    for waiter in waiters { waiter.resume() }
  }

  func hangs(_ webhook: String) -> Bool { bells.withLock { $0[webhook] != nil } }

  func ring(for user: String) {
    let waiters = bells.withLock { bells in
      var waiters: [CheckedContinuation<Void, Never>] = []
      for (id, bell) in bells where bell.user == user {
        if let waiter = bells[id]?.waiter.take() { waiters.append(waiter) } else { bells[id]?.isRung = true }
      }
      return waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Waits until a change occurs, the webhook is unregistered, or the time limit passes.
  func wait(at webhook: String, atMost limit: Duration, _ clock: any TimeSource) async {
    await withTaskGroup { group in
      // The sleep throws only if it is cancelled.
      group.addTask { try? await clock.sleep(for: limit) }
      group.addTask { await self.wait(at: webhook) }
      await group.next()
      group.cancelAll()
    }
  }

  private func wait(at webhook: String) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let isOver = bells.withLock { bells in
          guard let bell = bells[webhook], !bell.isRung, !Task.isCancelled else {
            bells[webhook]?.isRung = false
            return true
          }
          bells[webhook]?.waiter = waiter
          return false
        }
        if isOver { waiter.resume() }
      }
    } onCancel: {
      bells.withLock { $0[webhook]?.waiter.take() }?.resume()
    }
  }
}
