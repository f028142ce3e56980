public import TrendyModels

/// Time, type and source of an event: the part that daily counts and habits need.
public struct HubEventMoment: Hashable, Sendable {
  public var eventTypeId: String
  /// Timestamp of the event, in milliseconds since 1970.
  public var moment: Int64
  public var isAllDay: Bool
  /// IANA identifier of the time zone in which the event was recorded, or `nil` if unknown.
  public var timeZone: String?
  /// Source of the event, or `nil` if missing or unknown to this version.
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

  /// Extracts the values from an entry, or returns `nil` if the entry has no event type.
  public init?(_ entry: HubEntry) {
    guard let type = entry.fields["event_type_id"]?.value.stringValue else { return nil }
    self.init(
      eventTypeId: type, moment: entry.listMoment, isAllDay: entry.fields["is_all_day"]?.value.boolValue == true,
      timeZone: entry.fields["time_zone"]?.value.stringValue,
      sourceType: entry.fields["source_type"]?.value.stringValue.flatMap { EventSourceType(rawValue: $0) })
  }
}

extension HubReadTransaction {
  public func eachEvent(
    during moments: Range<Int64>, _ body: (HubEventMoment, _ entry: () throws -> HubEntry) throws -> Void
  ) throws {
    try eachLiving(kind: SyncedKind.event.name, during: moments) { entry in
      if let moment = HubEventMoment(entry) { try body(moment) { entry } }
    }
  }
}
