import Observation
import TrendyModels
import TrendySync

/// What a screen says of sync.
@MainActor @Observable
public final class SyncStatus {
  public private(set) var line = ""
  public private(set) var isBusy = false

  public init() {}

  /// Follows an engine as long as the task that calls it goes on.
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
