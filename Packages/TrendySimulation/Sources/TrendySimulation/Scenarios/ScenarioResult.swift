/// What became of one plan.
public struct ScenarioResult: Hashable, Sendable {
  public var seed: UInt64
  /// Sentences that should not be true; empty where all went well.
  public var violations: [Violation] = []
  /// Pieces of tasks that ran, in an order that the seed decided.
  public var steps = 0
  /// How much time passed in the world.
  public var duration: Duration = .zero
  /// How often each kind of fault fired, not only was planned.
  public var faults: [String: Int] = [:]
  /// What happened, in words.
  public var trace: [String] = []
  /// Rounds that each device needed, after the faults were over, until all was at rest.
  public var roundsToQuiet = 0
}
