import TrendyFoundation
public import TrendyInterchange
import TrendyModels
import TrendyPersistence
import TrendyProtocols

extension DeviceRecord {
  /// Enumerates all entities of the store in a reproducible order.
  ///
  /// Event types come first, followed by the entities that refer to them, the events (newest first), and the readings
  /// of each device. Conflicts are omitted, because the hub creates them.
  ///
  /// - Parameters:
  ///   - withReadings: Whether to include the track log and its notes.
  ///   - body: Called for each record. An error that it throws ends the enumeration.
  public func forEachRecord(withReadings: Bool = true, _ body: (InterchangeRecord) throws -> Void) throws {
    let store = dataStoreFactory.makeLocalStore()
    func give(_ entity: AnyEntity) throws {
      try body(.entity(kind: entity.kind, id: entity.id, fields: try entity.value.objectValue ?? [:]))
    }
    for type in try store.fetchAllEventTypes().sorted(by: { $0.id < $1.id }) { try give(.eventType(type)) }
    for definition in try store.fetchAllPropertyDefinitions().sorted(by: { $0.id < $1.id }) {
      try give(.property(definition))
    }
    for place in try store.fetchAllGeofences().sorted(by: { $0.id < $1.id }) { try give(.place(place)) }
    for kind in [MutationEntityType.vehicle, .tripRule, .setting, .skip] {
      for record in try store.fetchRecords(kind: kind) { try give(.record(record)) }
    }
    var next: EventCursor?
    repeat {
      let page = try store.events(matching: EventQuery(), after: next, limit: 1000)
      for event in page.events { try give(.event(event)) }
      next = page.next
    } while next != nil
    if withReadings { try forEachReading(body) }
  }

  private func forEachReading(_ body: (InterchangeRecord) throws -> Void) throws {
    guard hasTracks else { return }
    let log = try openTrackLog()
    for device in try log.devices().map(\.name).sorted() {
      try log.forEach(device: device, after: nil, through: nil) { try body(InterchangeRecord($0, device: device)) }
      for note in try log.notes(besideReadingsOf: device) { try body(note) }
    }
  }
}
