import TrendyTesting

/// What a seed makes of its story beside the plan: what its persons are fond of, and how much its devices ask at once.
///
/// What needs two things to meet is seen where the world is narrow: few things that all write to, pages of one entry.
struct ScenarioParameters {
  let batchSize: Int
  let largeBatchSize: Int
  let pageSize: Int
  let largePageSize: Int
  /// Persons turn to one of so many things that were made last.
  let newest: Int
  /// How many entities of a kind a device shows before its person changes one of them instead of making another.
  let most: Int
  /// Devices whose machine tells how long it has run; a set date does not change that.
  let hasBootClock: [Bool]
  /// How likely a person does what.
  let acts: [(act: UserAction, weight: Int)]

  /// What a person does.
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
      // Without it a restore meets the deletion of its type in one of some hundred stories.
      case .restoreUnderDeletion: 2
      case .clearMood: 1
      }
    }

    /// Without these there is nothing to do anything with.
    var isNeeded: Bool { self == .makeType || self == .makeEvent }
  }

  /// - Parameter hasLargeImport: whether requests are as large as outside of a story, for the time that many thousands of rows take.
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
      // Among few things, deletions and moves are as frequent as texts.
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
