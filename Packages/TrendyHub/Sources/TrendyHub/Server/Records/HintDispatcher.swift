import Synchronization

/// Holds the current subscription to hints from other hubs on the same storage.
final class HintDispatcher: Sendable {
  private let hints = Mutex<(any HintSubscription)?>(nil)

  /// Replaces the subscription, or ends it if the new one is `nil`.
  func open(_ hints: (any HintSubscription)?) {
    // Release the previous subscription outside the lock.
    let earlier = self.hints.withLock { held in
      defer { held = hints }
      return held
    }
    withExtendedLifetime(earlier) {}
  }

  var isHearing: Bool { hints.withLock { $0 }?.isHearing ?? false }

  func tell(_ hint: HubHint) { hints.withLock { $0 }?.tell(hint) }
}
