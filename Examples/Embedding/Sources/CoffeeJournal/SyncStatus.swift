import Observation
import TrendyModels
import TrendySync

/// Sync state of a journal, for display in a view.
@MainActor @Observable
public final class SyncStatus {
  public private(set) var line = ""
  public private(set) var isBusy = false

  public init() {}

  /// Displays the states of an engine until the calling task is cancelled.
  public func follow(_ states: AsyncStream<SyncState>) async {
    for await state in states {
      (isBusy, line) =
        switch state {
        case .idle: (false, "Synced")
        case .syncing(let synced, let total): (true, "Sent \(synced) of \(total)")
        case .pulling: (true, "Receiving changes")
        case .rateLimited(_, let pending): (false, "\(pending) pending; the hub is limiting requests")
        case .error(let message): (false, message)
        }
    }
  }
}
