import Observation
import TrendyModels
import TrendySync

/// Sync state as text for a screen.
@MainActor @Observable
public final class SyncStatus {
  public private(set) var line = ""
  public private(set) var isBusy = false

  public init() {}

  /// Updates the status from the engine's states until the calling task is cancelled.
  public func follow(_ states: AsyncStream<SyncState>) async {
    for await state in states {
      (isBusy, line) =
        switch state {
        case .idle: (false, "In sync")
        case .syncing(let synced, let total): (true, "\(synced) of \(total) sent")
        case .pulling: (true, "Taking in changes")
        case .rateLimited(_, let pending): (false, "\(pending) wait: the hub asked to be left alone for a while")
        case .error(let words): (false, words)
        }
    }
  }
}
