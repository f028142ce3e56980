import Foundation
import TrendyInsights
import TrendyModels

/// A user's record in the hub's storage, in the form that the shared rules read.
struct HubUserRecord: UserRecord {
  private let reading: any HubReadTransaction

  init(_ reading: any HubReadTransaction) { self.reading = reading }

  func eventTypes() throws -> [EventType] {
    try living(.eventType).map {
      let wire: APIEventType = try $0.decoded(user: "")
      return EventType(wire)
    }
  }

  func propertyDefinitions() throws -> [PropertyDefinition] {
    try living(.propertyDefinition).map { try $0.propertyDefinition() }
  }

  func records(of kind: MutationEntityType) throws -> [SyncedRecord] {
    try reading.living(kind: kind.rawValue, offset: 0, limit: .max)
      .map { SyncedRecord(id: $0.id, kind: kind, fields: $0.fields.mapValues(\.value)) }
  }

  func event(id: String) throws -> Event? {
    guard let entry = try reading.entry(kind: SyncedKind.event.name, id: id), entry.isAlive else { return nil }
    return HubEventMoment(entry).map(entry.ruleEvent)
  }

  func forEachEvent(ofTypes types: Set<String>, in range: Range<Date>, _ body: (Event) throws -> Void) throws {
    let milliseconds = range.lowerBound.milliseconds..<range.upperBound.milliseconds
    try reading.eachEvent(during: milliseconds) { event, entry in
      if types.contains(event.eventTypeId) { try body(try entry().ruleEvent(event)) }
    }
  }

  private func living(_ kind: SyncedKind) throws -> [HubEntry] {
    try reading.living(kind: kind.name, offset: 0, limit: .max)
  }
}

extension HubEntry {
  func propertyDefinition() throws -> PropertyDefinition {
    let wire: APIPropertyDefinition = try decoded(user: "")
    return PropertyDefinition(wire)
  }

  /// Returns the event with the fields used by rules. See ``UserRecord/forEachEvent(ofTypes:in:_:)``.
  func ruleEvent(_ moment: HubEventMoment) -> Event {
    var properties: [String: PropertyValue] = [:]
    for (name, field) in fields where name.hasPrefix("properties.") {
      guard let value = field.value.propertyValue, [.number, .duration].contains(value.type) else { continue }
      properties[String(name.dropFirst("properties.".count))] = value
    }
    return Event(
      id: id, eventTypeId: moment.eventTypeId, timestamp: Date(milliseconds: moment.moment),
      endDate: fields["end_date"]?.value.stringValue.flatMap { RFC3339.date(from: $0) }, isAllDay: moment.isAllDay,
      sourceType: moment.sourceType ?? .manual, timeZone: moment.timeZone, properties: properties)
  }
}
