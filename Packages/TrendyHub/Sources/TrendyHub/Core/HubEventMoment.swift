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

extension HubReading {
  public func eachEvent(
    during moments: Range<Int64>, _ body: (HubEventMoment, _ entry: () throws -> HubEntry) throws -> Void
  ) throws {
    try eachLiving(kind: SyncedKind.event.name, during: moments) { entry in
      if let moment = HubEventMoment(entry) { try body(moment) { entry } }
    }
  }
}
