public import CommandSupport
public import TrendyPersistence

/// Progress line for a backup or restore that the user can cancel with Ctrl-C.
public struct StoreProgress {
  private let line: ProgressLine
  private let current = Current()

  private final class Current {
    var step: StoreBackup.Progress.Step?
  }

  /// Creates a progress line on a console.
  public init(_ console: Console) { line = ProgressLine(console) }

  /// Erases the progress line.
  public func end() { line.end() }

  /// Updates the progress line.
  /// - Returns: whether to continue, which is `false` if the user has pressed Ctrl-C.
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

// Not Sendable, because the progress line must be used from a single thread.
@available(*, unavailable)
extension StoreProgress: Sendable {}
