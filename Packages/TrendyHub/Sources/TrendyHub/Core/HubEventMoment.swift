public import TrendyModels

/// When an event began and of which type it is: what days, counts and habits follow from.
public struct HubEventMoment: Hashable, Sendable {
  public var eventTypeId: String
  /// Its timestamp, in milliseconds since 1970.
  public var moment: Int64
  public var isAllDay: Bool
  /// Where it was recorded, as an IANA name; `nil` where that is not known.
  public var timeZone: String?
  /// What brought it; `nil` where nothing is said, or a word that this version does not know.
  public var sourceType: EventSourceType?

  public init(
    eventTypeId: String, moment: Int64, isAllDay: Bool = false, timeZone: String? = nil,
    sourceType: EventSourceType? = nil
  ) {
    self.eventTypeId = eventTypeId
    self.moment = moment
    self.isAllDay = isAllDay
    self.timeZone = timeZone
    self.sourceType = sourceType
  }

  /// `nil` of an entry that has no type of event.
  public init?(_ entry: HubEntry) {
    guard let type = entry.fields["event_type_id"]?.value.stringValue else { return nil }
    self.init(
      eventTypeId: type, moment: entry.listMoment, isAllDay: entry.fields["is_all_day"]?.value.boolValue == true,
      timeZone: entry.fields["time_zone"]?.value.stringValue,
      sourceType: entry.fields["source_type"]?.value.stringValue.flatMap { EventSourceType(rawValue: $0) })
  }
}

extension HubEventMoment {
  /// Reads it out of the text of an event's document.
  /// - Parameters:
  ///   - document: as the hub wrote it.
  ///   - moment: of the event, which is known.
  ///   - pools: of types and zones.
  /// - Returns: `nil` where the text is not plain enough, and has to be read as a whole.
  init?(document: WrittenObject, moment: Int64, _ pools: inout StoredMoment.Pools) {
    self.init(eventTypeId: "", moment: moment)
    var hasType = false
    var isPlain = true
    func text(_ value: UnsafeRawBufferPointer, _ pool: inout TextPool) -> String? {
      if value.equals("null") { return nil }
      guard let plain = value.plainString else {
        isPlain = false
        return nil
      }
      return pool.text(plain)
    }
    let isRead = document.forEachMember { name, value in
      if name.equals("event_type_id") {
        if let type = text(value, &pools.types) {
          eventTypeId = type
          hasType = true
        }
      } else if name.equals("is_all_day") {
        isAllDay = value.equals("true")
      } else if name.equals("source_type") {
        sourceType = text(value, &pools.zones).flatMap { EventSourceType(rawValue: $0) }
      } else if name.equals("time_zone") {
        timeZone = text(value, &pools.zones)
        // Names rise, and none of those that come is asked for.
        return false
      }
      return isPlain
    }
    guard isRead, isPlain, hasType else { return nil }
  }
}

extension HubReading {
  public func eachEvent(
    during moments: Range<Int64>, _ body: (HubEventMoment, _ entry: () throws -> HubEntry) throws -> Void
  ) throws {
    try eachLiving(kind: SyncedKind.event.name, during: moments) { entry in
      if let moment = HubEventMoment(entry) { try body(moment) { entry } }
    }
  }
}
