import CommandSupport
import Synchronization
public import TrendyAgent
public import TrendyFoundation
import TrendyModels

/// Publishes an agent's status to a file for status bars and, through a broadcaster, to control connections.
///
/// The file is replaced atomically. If replacing it fails, the next update tries again. No data is lost, because the
/// store contains everything that is in the file.
public final class StatusFile: Sendable {
  private let url: URL
  private let board: LiveStatusBroadcaster
  private let lastFailure = Mutex<OwnerOnlyFile.WriteError?>(nil)

  /// Creates a publisher. The file at `url` is created by ``show(_:)``.
  public init(url: URL, board: LiveStatusBroadcaster) {
    self.url = url
    self.board = board
  }

  /// Error from the last update of the file, or `nil` if it succeeded.
  public var failure: OwnerOnlyFile.WriteError? { lastFailure.withLock { $0 } }

  /// Writes the status to the file and sends it to control connections.
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
