import Foundation
import TrendyAgent
import TrendyHub
import TrendyInterchange
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendyTrips

/// Access to a user's record on a hub for the importer.
final class HubImportStore: ImportStore {
  private let desk: HubImportWriter
  private let storage: any HubStorage
  private let clock: any TimeSource
  /// Reasons for the first ten rejected entities. `refusedCount` counts all rejected entities.
  private(set) var refusals: [String] = []
  private(set) var refusedCount = 0
  private var log: TrackLog?

  init(desk: HubImportWriter, storage: any HubStorage, clock: any TimeSource) {
    self.desk = desk
    self.storage = storage
    self.clock = clock
  }

  var now: Date { clock.now }
  var importID: String? { desk.isBegun ? desk.id : nil }
  var isContinued: Bool { false }

  func earlierReadings() throws -> [ImportReading] { try desk.earlierReadings() }

  func note(_ reading: ImportReading) { desk.note(reading) }

  func makeID() -> String { desk.makeID() }

  func eventTypes() throws -> [EventType] {
    let wire: [APIEventType] = try desk.desk.list(.eventType)
    return wire.map { EventType($0) }
  }

  func propertyDefinitions() throws -> [PropertyDefinition] {
    let wire: [APIPropertyDefinition] = try desk.desk.list(.propertyDefinition)
    return wire.map { PropertyDefinition($0) }
  }

  func event(id: String) throws -> Event? { try desk.desk.event(id: id) }

  func events(in range: Range<Date>, ofType type: String?) throws -> [Event] {
    try desk.desk.events(in: range).filter { type == nil || $0.eventTypeId == type }.map { Event($0) }
  }

  func isDeleted(_ kind: MutationEntityType, id: String) throws -> Bool {
    switch try desk.standing(of: kind.rawValue, id: id) {
    case .deleted, .takenBack: true
    case .living, .unknown: false
    }
  }

  func knows(_ kind: MutationEntityType, id: String) throws -> Bool {
    try desk.standing(of: kind.rawValue, id: id) != .unknown
  }

  func isTakenBack(_ kind: MutationEntityType, id: String) throws -> Bool {
    try desk.standing(of: kind.rawValue, id: id) == .takenBack
  }

  func type(_ kind: BuiltInType) throws -> EventType {
    try kind.find(among: eventTypes()) { type, definitions in
      let entities = [AnyEntity.eventType(type)] + definitions.map { .property($0) }
      return try save(entities).first == true
    }
  }

  /// Maximum number of entities in one write. The user's other writers wait for each write.
  private static let atOnce = 250

  func save(_ batch: [AnyEntity]) throws -> [Bool] {
    var areNew: [Bool] = []
    var rest = batch[...]
    while !rest.isEmpty {
      let entities = try rest.prefix(Self.atOnce).map { entity -> HubImportWriter.Entity in
        guard let kind = SyncedKind.named(entity.kind.rawValue) else {
          preconditionFailure("unsupported kind \(entity.kind)")
        }
        return (kind, entity.id, try entity.value.objectValue ?? [:])
      }
      for outcome in try desk.save(entities) {
        areNew.append(outcome == .made)
        if case .refused(let reason) = outcome { refuse(reason) }
      }
      rest = rest.dropFirst(Self.atOnce)
    }
    return areNew
  }

  private func refuse(_ reason: String) {
    refusedCount += 1
    if refusals.count < 10 { refusals.append(reason) }
  }

  /// Does nothing: the import handler ends the import.
  func finish() throws {}

  func openTrackLog() throws -> TrackLog {
    if let log { return log }
    let log = TrackLog(rows: try storage.tracks(of: desk.desk.user))
    self.log = log
    return log
  }

  func makeJournal() throws -> any DetectedEventStore {
    ImportFindings(desk: desk, rows: try storage.tracks(of: desk.desk.user))
  }

  func makeTrackIntake() throws -> TrackIntake {
    let rows = try storage.tracks(of: desk.desk.user)
    return TrackIntake(rows: rows, journal: ImportFindings(desk: desk, rows: rows), clock: clock)
  }
}

/// Writes trips and visits detected in a file, with the import as their author.
///
/// @unchecked: the service is used only on the thread that reads the file.
private struct ImportFindings: DetectedEventStore, @unchecked Sendable {
  private let desk: HubImportWriter
  private let journal: any DetectedEventStore

  init(desk: HubImportWriter, rows: any TrackRows) {
    self.desk = desk
    journal = HubIngest.journal(at: desk.desk, of: rows)
  }

  func geofences() throws -> [Geofence] { try journal.geofences() }
  func tripStop() throws -> TripStop { try journal.tripStop() }
  func event(id: String) throws -> Event? { try journal.event(id: id) }

  func tripTypeId() throws -> String {
    let types: [APIEventType] = try desk.desk.list(.eventType)
    // If the trip type is missing, this import creates it.
    if BuiltInType.trip.present(among: types.map { EventType($0) }) == nil { try desk.begin() }
    return try journal.tripTypeId()
  }

  func twin(of event: Event) throws -> String? {
    // Search a wider range, because timestamps of the same event may differ by up to a second.
    let range = event.timestamp.addingTimeInterval(-2)..<event.timestamp.addingTimeInterval(2)
    return try desk.desk.events(in: range).map { Event($0) }.first { $0.isTwin(of: event) }?.id
  }

  func told(_ trip: Event) throws -> String? {
    guard let end = trip.endDate, end > trip.timestamp else { return nil }
    // An event that covers the trip may be longer and have begun earlier, so search from one trip duration before it.
    let range = trip.timestamp.addingTimeInterval(trip.timestamp.timeIntervalSince(end))..<end
    return try desk.desk.events(in: range).map { Event($0) }.first { $0.tells(of: trip) }?.id
  }

  func create(_ event: Event) throws -> Bool {
    try desk.begin()
    guard try journal.create(event) else { return false }
    desk.noteMade(.event)
    return true
  }

  func update(_ event: Event, from held: Event) throws -> Bool { try journal.update(event, from: held) }
  func delete(_ held: Event) throws -> Bool { try journal.delete(held) }
  func completed(_ trip: Event, device: String) throws -> Event { try journal.completed(trip, device: device) }
}
