public import CommandSupport
public import TrendyPersistence

/// Shows how far a backup or a restore has come, and cancels it where a person interrupts.
public struct StoreProgress {
  private let line: ProgressLine
  private let current = Current()

  private final class Current {
    var step: StoreBackup.Progress.Step?
  }

  public init(_ console: Console) { line = ProgressLine(console) }

  /// Takes the line away.
  public func end() { line.end() }

  /// - Returns: whether the work goes on.
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

// Its line is that of one thread.
@available(*, unavailable)
extension StoreProgress: Sendable {}
