/// Invariants of `docs/sync.md`. The raw value is the invariant's number on that page.
public enum Invariant: Int, Hashable, Sendable, CaseIterable {
  case recordedEditIsQueued = 1
  case savedDataIsDurable
  case mutationAppliesOnce
  case cursorIsComplete
  case feedIsComplete
  case deletedStaysDeleted
  case nothingVanishes
  case coalescingKeepsTheResult
  case unknownDataSurvives
  case ownWritesAreVisible
  case childHasItsParent
  case oldVersionLosesNothing
  case snapshotIsComplete
  case resetKeepsPendingEdits
  case compactionIsInvisible
  case backlogDrains
  case queueDropsNothing
  case quietAfterFaults
  case outageBoundsRequests
  case unauthorizedLosesNothing
  case oneSyncPerStore
  case processesShareTheStore
  case importIsIdempotent
  case storesConverge
  case forkIsDetected
  case noticesArriveOnce
  case trackersAreRecordedOnce
  case webhookReceivesEverything
  case undoRestoresTheRecord
}

/// Failed check of a scenario.
public struct Violation: Hashable, Sendable, CustomStringConvertible {
  /// Violated invariant, or `nil` if the scenario failed in another way.
  public var invariant: Invariant?
  /// Message with the entities and devices involved.
  public var description: String

  /// Creates a violation.
  public init(invariant: Invariant?, description: String) {
    self.invariant = invariant
    self.description = description
  }
}
