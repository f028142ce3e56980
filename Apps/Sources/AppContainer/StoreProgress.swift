public import CommandSupport
public import TrendyPersistence

/// Progress line of a backup or restore, which an interrupt cancels.
public struct StoreProgress {
  private let line: ProgressLine
  private let current = Current()

  private final class Current {
    var step: StoreBackup.Progress.Step?
  }

  /// Creates a progress line on the console.
  public init(_ console: Console) { line = ProgressLine(console) }

  /// Removes the line.
  public func end() { line.end() }

  /// Shows the progress.
  /// - Returns: whether to continue; `false` after an interrupt.
  public func goesOn(_ progress: StoreBackup.Progress) -> Bool {
    if current.step != progress.step {
      current.step = progress.step
      switch progress.step {
      case .backingUp: line.begin("Backing up", of: Int64(progress.total), in: .things("rows"))
      case .checking: line.begin("Checking", of: Int64(progress.total), in: .bytes)
      case .restoring: line.begin("Restoring", of: Int64(progress.total), in: .bytes)
      }
    }
    line.reach(Int64(progress.done))
    return !Interruption.isAsked
  }
}

// The progress line belongs to one thread.
@available(*, unavailable)
extension StoreProgress: Sendable {}
