import CommandSupport
import Synchronization
public import TrendyAgent
public import TrendyFoundation
import TrendyModels

/// The file that status bars read, replaced whole each time, and the board of those who ask.
///
/// A file that cannot be written is tried again with the next change: what it shows stands in the record, and nothing waits for it.
public final class StatusFile: Sendable {
  private let url: URL
  private let board: LiveBoard
  private let lastFailure = Mutex<OwnerOnlyFile.WriteError?>(nil)

  public init(url: URL, board: LiveBoard) {
    self.url = url
    self.board = board
  }

  /// What the file could last not be written for; `nil` when it could.
  public var failure: OwnerOnlyFile.WriteError? { lastFailure.withLock { $0 } }

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
