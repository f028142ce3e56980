/// Result of one scenario.
public struct ScenarioResult: Hashable, Sendable {
  /// Seed of the scenario.
  public var seed: UInt64
  /// Failed checks, or an empty array if the scenario succeeded.
  public var violations: [Violation] = []
  /// Number of jobs run by the executor, in the order given by the seed.
  public var steps = 0
  /// Simulated time.
  public var duration: Duration = .zero
  /// Number of occurrences per fault. Planned faults that did not occur are not included.
  public var faults: [String: Int] = [:]
  /// Log of the scenario.
  public var trace: [String] = []
  /// Number of sync rounds per device until all were quiet after the last fault.
  public var roundsToQuiet = 0
}
