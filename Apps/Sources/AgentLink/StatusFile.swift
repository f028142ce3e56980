import CommandSupport
import Synchronization
public import TrendyAgent
public import TrendyFoundation
import TrendyModels

/// Status file for status bars, replaced atomically, and the broadcaster for connections.
///
/// A failed write is retried with the next change; the file contains nothing that is not in the store.
public final class StatusFile: Sendable {
  private let url: URL
  private let board: LiveStatusBroadcaster
  private let lastFailure = Mutex<OwnerOnlyFile.WriteError?>(nil)

  /// Creates a file at `url`, which is written by ``show(_:)``.
  public init(url: URL, board: LiveStatusBroadcaster) {
    self.url = url
    self.board = board
  }

  /// Error of the last write, if it failed.
  public var failure: OwnerOnlyFile.WriteError? { lastFailure.withLock { $0 } }

  /// Writes the status to the file and sends it to the connections.
  public func show(_ status: AgentStatus) {
    let text = status.json(in: LocalTime()).description
    lastFailure.withLock { failure in
      do throws(OwnerOnlyFile.WriteError) {
        try OwnerOnlyFile.replace(url, with: Data((text + "\n").utf8), isDurable: false)
        failure = nil
      } catch {
        failure = error
      }
    }
    board.show(text, isLast: status.hasEnded)
  }
}
