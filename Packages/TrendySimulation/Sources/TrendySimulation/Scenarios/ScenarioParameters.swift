import TrendyTesting

/// Sizes and action weights of a scenario, derived from its seed.
///
/// Small sizes provoke interactions: users edit the same few entities, and some feed pages contain one entry.
struct ScenarioParameters {
  let batchSize: Int
  let largeBatchSize: Int
  let pageSize: Int
  let largePageSize: Int
  /// Number of newest entities from which users choose one to act on.
  let newest: Int
  /// Maximum number of entities of a kind on a device. At the maximum, its user edits an entity instead of creating
  /// one.
  let most: Int
  /// Whether each device's clock reports its uptime, which a change to the date does not affect.
  let hasBootClock: [Bool]
  let acts: [(act: UserAction, weight: Int)]

  enum UserAction: CaseIterable {
    case makeType
    case makeEvent
    case makeRecord
    case makeGeofence
    case makeDefinition
    case importEvent
    case changeEvent
    case changeType
    case changeGeofence
    case changeDefinition
    case changeRecord
    case setMood
    case clearMood
    case moveEvent
    case setPlace
    case clearNotes
    case deleteEvent
    case deleteType
    case deleteOther
    case restore
    case restoreUnderDeletion
    case decide

    var weight: Int {
      switch self {
      case .makeType: 10
      case .makeEvent: 20
      case .changeEvent: 22
      case .importEvent: 8
      case .makeRecord, .makeGeofence, .makeDefinition, .changeType, .changeRecord: 5
      case .setMood, .moveEvent, .deleteEvent: 5
      case .restore: 5
      case .changeGeofence, .decide: 3
      case .changeDefinition, .clearNotes, .setPlace, .deleteType, .deleteOther: 2
      // Include this edit explicitly, because random actions restore an event during the deletion of its type in only
      // one of several hundred scenarios.
      case .restoreUnderDeletion: 2
      case .clearMood: 1
      }
    }

    /// Whether other actions depend on this action.
    var isNeeded: Bool { self == .makeType || self == .makeEvent }
  }

  /// With `hasLargeImport`, batches and pages have production sizes, for scenarios with thousands of rows.
  init(seed: UInt64, devices: Int, density: SimulationWorld.Density, hasLargeImport: Bool = false) {
    var generator = SeededGenerator(seed: seed ^ 0x7E3A_91C5_0DF2_4B68)
    let batchSize = [1, 3, 10, 10].randomElement(using: &generator) ?? 10
    let pageSize = [1, 2, 7, 7].randomElement(using: &generator) ?? 7
    let largePageSize = max(pageSize, [1, 2, 5, 20].randomElement(using: &generator) ?? 20)
    self.batchSize = hasLargeImport ? 500 : batchSize
    self.pageSize = hasLargeImport ? 500 : pageSize
    self.largePageSize = hasLargeImport ? 500 : largePageSize
    newest = [1, 2, 5, .max].randomElement(using: &generator) ?? .max
    let isNarrow = density == .narrow
    most = isNarrow ? 2 : .max
    hasBootClock = (0..<devices).map { _ in Bool.random(using: &generator) }
    acts = UserAction.allCases.map { act in
      let factor = [0, 1, 1, 2, 5].randomElement(using: &generator) ?? 1
      return (act, (isNarrow ? 5 : act.weight) * (act.isNeeded ? max(factor, 1) : factor))
    }
    largeBatchSize = max(self.batchSize, [1, 3, 10, 40].randomElement(using: &generator) ?? 40)
  }

  func act(using generator: inout SeededGenerator) -> UserAction {
    var place = Int.random(in: 0..<acts.reduce(0) { $0 + $1.weight }, using: &generator)
    return acts.first { entry in
      place -= entry.weight
      return place < 0
    }?.act ?? .makeEvent
  }
}
