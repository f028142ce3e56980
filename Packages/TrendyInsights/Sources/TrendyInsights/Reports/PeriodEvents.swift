public import TrendyModels

/// Start times, and number and duration properties, of a report's events on some days.
public struct PeriodEvents: Sendable {
  private let days: ClosedRange<CivilDate>
  private let local: LocalTime
  private var moments: [String: [TypeHistory.Moment]] = [:]
  /// Number and duration properties by type.
  private let definitions: [String: [PropertyDefinition]]
  /// Events of the types that have number or duration properties, by type.
  private var events: [String: [Event]] = [:]

  /// Reads the events once, and calls `body` with each of them.
  public init(
    of report: Report, on days: ClosedRange<CivilDate>, from record: some UserRecord, _ body: (Event) -> Void
  ) throws {
    (self.days, local) = (days, report.query.local)
    let numeric = try record.propertyDefinitions().filter { [.number, .duration].contains($0.propertyType) }
    definitions = Dictionary(grouping: numeric, by: \.eventTypeId)
    // Values that are recorded automatically with positions have no meaning as amounts.
    let measured = Set(report.rows.filter { !$0.history.isOfPosition && definitions[$0.type.id] != nil }.map(\.type.id))
    try record.forEachEvent(ofTypes: Set(report.rows.map(\.type.id)), in: local.timestamps(of: days)) { event in
      let (type, day) = (event.eventTypeId, local.day(of: event))
      guard days.contains(day) else { return }
      let minute = local.minuteOfDay(of: event)
      moments[type, default: []]
        .append(TypeHistory.Moment(day: day, minute: minute, isOfPosition: event.sourceType.isOfPosition))
      if measured.contains(type) { events[type, default: []].append(event) }
      body(event)
    }
  }

  /// Events of all types by weekday and hour.
  public var grid: WeekGrid { WeekGrid(moments: moments.values.joined()) }

  /// Returns the history of a type on these days; `nil` for all types together.
  public func history(ofType type: String? = nil) -> TypeHistory {
    guard let type else { return TypeHistory(moments: moments.values.joined(), today: days.upperBound) }
    return TypeHistory(moments: moments[type] ?? [], today: days.upperBound)
  }

  /// Returns the values of each number or duration property of a type, in display order.
  public func values(ofType type: String) -> [(definition: PropertyDefinition, values: PropertyHistory)] {
    guard let events = events[type], !history(ofType: type).isOfPosition else { return [] }
    return (definitions[type] ?? []).inOrder.map { definition in
      let values = PropertyHistory(
        events, key: definition.key, type: definition.propertyType, today: days.upperBound, local: local)
      return (definition, values)
    }
  }
}
