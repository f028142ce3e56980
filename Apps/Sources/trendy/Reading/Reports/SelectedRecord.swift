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

  /// Decodes only the events that can have a duration.
  func forEachTimedEvent(
    ofTypes types: Set<String>, measured: Set<String>, running: Set<String>, in range: Range<Date>,
    _ body: (Event) throws -> Void
  ) throws {
    guard isOfWholeTypes else { return try forEachEvent(ofTypes: types, in: range, body) }
    let running = Set(running.map { CompactIdentifier($0) })
    try store.eventRows(in: range, ofType: types.count == 1 ? types.first : nil).forEach { row in
      let hasDuration = row.endDate != nil && !row.isAllDay || running.contains(row.identifier)
      let wanted = hasDuration ? types : measured
      if !wanted.isEmpty, wanted.contains(row.eventTypeId) { try body(row.event()) }
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
