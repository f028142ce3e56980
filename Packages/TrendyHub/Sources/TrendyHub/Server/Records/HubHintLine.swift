import Synchronization

/// The hints between this hub and others on its storage, while it serves.
final class HubHintLine: Sendable {
  private let hints = Mutex<(any HubHints)?>(nil)

  /// - Parameter hints: `nil` where there are none, or none any more.
  func open(_ hints: (any HubHints)?) {
    // The line before is let go without the lock.
    let earlier = self.hints.withLock { held in
      defer { held = hints }
      return held
    }
    withExtendedLifetime(earlier) {}
  }

  var isHearing: Bool { hints.withLock { $0 }?.isHearing ?? false }

  func tell(_ hint: HubHint) { hints.withLock { $0 }?.tell(hint) }
}
