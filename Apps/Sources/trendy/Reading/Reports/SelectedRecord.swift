import AppContainer
import TrendyAgent
import TrendyFoundation
import TrendyInsights
import TrendyModels
import TrendyPersistence

/// The device's record, limited to the events that a selection includes.
struct SelectedRecord: UserRecord {
  let store: LocalStore
  private let whole: StoreUserRecord
  private let selection: EventSelection
  private let session: Session

  init(_ selection: EventSelection, _ session: Session) throws {
    store = try session.openStore().makeLocalStore()
    whole = StoreUserRecord(store)
    self.selection = selection
    self.session = session
    try selection.checkConditions(in: store, session)
  }

  /// Whether the record contains all events of each selected type.
  var isOfWholeTypes: Bool { selection.isOfWholeTypes }

  func eventTypes() throws -> [EventType] { try whole.eventTypes() }

  func propertyDefinitions() throws -> [PropertyDefinition] { try whole.propertyDefinitions() }

  func records(of kind: MutationEntityType) throws -> [SyncedRecord] { try whole.records(of: kind) }

  func event(id: String) throws -> Event? { try whole.event(id: id) }

  func forEachEvent(ofTypes types: Set<String>, in range: Range<Date>, _ body: (Event) throws -> Void) throws {
    guard !types.isEmpty else { return }
    try selection.search(ofTypes: types, during: range, in: nil, session.local).forEachPage(in: store) { page in
      for event in page { try body(event) }
      return true
    }
  }

  func histories(
    ofTypes types: Set<String>, in range: EventRange?, through today: CivilDate, local: LocalTime
  ) throws -> [String: TypeHistory] {
    guard !types.isEmpty else { return [:] }
    guard isOfWholeTypes, range == nil else {
      return try selection.search(ofTypes: types, during: range?.timestamps, in: range, local)
        .histories(through: today, from: store)
    }
    return try session.counts(of: store).histories(of: types, through: today)
  }
}

@available(*, unavailable)
extension SelectedRecord: Sendable {}
