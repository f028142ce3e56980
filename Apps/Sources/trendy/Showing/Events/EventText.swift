import AgentLink
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels
import TrendyProtocols
import TrendyTrips

/// Events as a person reads them, and as scripts do.
struct EventText {
  let local: LocalTime
  let now: Date
  private let units: Units
  private let types: [String: EventType]
  private let places: [Geofence]
  /// Ids of events that were started and not stopped.
  private let running: Set<String>

  /// All that is told of any event.
  init(_ session: Session, in store: any DataStoreProtocol) throws {
    self.init(
      session: session, types: try store.fetchAllEventTypes(), places: try store.fetchAllGeofences(),
      running: Set(try RunningEvent.all(in: store).map(\.event.id)))
  }

  /// - Parameter places: those that trips are told by.
  init(session: Session, types: [EventType], places: [Geofence] = [], running: Set<String> = []) {
    local = session.local
    now = session.now
    units = session.units
    self.types = Dictionary(types.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    self.places = places
    self.running = running
  }

  func typeName(_ event: Event) -> String { types[event.eventTypeId]?.name ?? "(unknown type)" }

  /// Columns that the names of their types need, so that what follows them stands in one; a very long one stands out.
  func nameColumns(of events: [Event]) -> Int { min(16, events.map { typeName($0).columns }.max() ?? 0) }

  /// `coffee  Fri 20 Nov 08:30  count 2  large  "oat"  0199f3c2-7a40`.
  /// - Parameters:
  ///   - event: what it is of.
  ///   - id: what of its id tells it from others; `nil` where it stands alone.
  func line(_ event: Event, id: String? = nil) -> StyledText {
    line([name(event), StyledText.Part(when(event))], of: event, id: id ?? ShortID.of(event.id))
  }

  /// A line below the heading of its day.
  /// - Parameters:
  ///   - event: what it is of.
  ///   - columns: that the name of the type has at least.
  ///   - id: what of its id tells it from the others.
  func lineOfDay(_ event: Event, columns: Int, id: String) -> StyledText {
    let time = event.isAllDay ? "all day" : local.time(event.timestamp)
    // As wide as `12:30 pm`.
    let column = local.showsTwelveHours ? time.padded(to: 8) : time
    return line([StyledText.Part("  " + column), name(event, columns: columns)], of: event, id: id)
  }

  /// - Parameter beginning: what stands before the details.
  private func line(_ beginning: [StyledText.Part], of event: Event, id: String) -> StyledText {
    var parts = beginning
    addDetails(of: event, to: &parts)
    parts.append(StyledText.Part(id, .dim, rank: .id))
    return StyledText(parts)
  }

  private func name(_ event: Event, columns: Int = 0) -> StyledText.Part {
    StyledText.Part(
      typeName(event).padded(to: columns), .name(color: types[event.eventTypeId]?.colorHex))
  }

  private func when(_ event: Event) -> String {
    let year = local.components(of: now).year
    if event.isAllDay { return days(of: event, year: year) }
    return local.dayAndTime(event.timestamp, year: year)
  }

  /// `Fri 20 Nov`, or `Wed 18 – Fri 20 Nov`.
  private func days(of event: Event, year: Int) -> String {
    let first = local.date(of: event)
    let last = event.endDate.map { local.date($0, of: event) } ?? first
    guard last > first else { return day(first, year: year) }
    let isOneMonth = (first.year, first.month) == (last.year, last.month)
    let start = isOneMonth ? "\(LocalTime.weekdays[first.weekday]) \(first.day)" : day(first, year: year)
    return "\(start) – \(day(last, year: year))"
  }

  private func day(_ date: CivilDate, year: Int) -> String { local.day(local.midnight(of: date), year: year) }

  /// In place, as a long list has a hundred thousand lines.
  private func addDetails(of event: Event, to parts: inout [StyledText.Part]) {
    func add(_ text: String?) {
      if let text { parts.append(StyledText.Part(text)) }
    }
    let trip = TripEvent(event)
    if let trip {
      add(TripText.way(of: trip, among: places))
      add(units.length(trip.distance))
    }
    if running.contains(event.id) {
      add("running \(DurationPhrase.words(max(0, now.timeIntervalSince(event.timestamp).rounded(.down))))")
    } else if let length = event.length {
      add(DurationPhrase.words(length))
    }
    if let trip {
      add(trip.category?.rawValue)
      add(trip.carName)
    } else {
      event.packedProperties.forEach { key, value in
        guard !event.repeats(key, value), !event.isLine(key) else { return }
        let words = words(value, of: event)
        // The option that was chosen tells enough without the property's name.
        add(value.type == .select ? words : key + " " + words)
      }
      if let place = event.locationName { add("at " + place) }
    }
    if let note = event.notes { parts.append(StyledText.Part("\"" + note + "\"", .dim, rank: .note)) }
  }

  /// A property's value as a person writes it.
  func words(_ value: PropertyValue, of event: Event) -> String {
    switch value.type {
    case .duration: value.doubleValue.map(DurationPhrase.words) ?? Property.text(value.value)
    case .boolean: value.boolValue.map { $0 ? "yes" : "no" } ?? Property.text(value.value)
    case .date:
      local.date(value, of: event).map { day($0, year: local.components(of: event.timestamp).year) }
        ?? value.dateValue.map { moment($0, of: event) } ?? Property.text(value.value)
    case .number, .text, .select, .url, .email: Property.text(value.value)
    }
  }

  /// A time on the day of the event, else with its day.
  private func moment(_ date: Date, of event: Event) -> String {
    let year = local.components(of: event.timestamp).year
    let isSameDay = local.startOfDay(date) == local.startOfDay(event.timestamp)
    return isSameDay ? local.time(date) : local.dayAndTime(date, year: year)
  }

}

extension EventText {
  /// What else there is to know of it, a row each.
  func detailLines(_ event: Event) -> [String] {
    var rows: [(String, String)] = [("id", event.id)]
    if event.isAllDay {
      rows.append(("when", "\(days(of: event, year: local.components(of: now).year)), all day"))
    } else {
      rows.append(("when", moment(event.timestamp)))
      if let end = event.endDate { rows.append(("until", moment(end))) }
    }
    if let zone = event.timeZone { rows.append(("recorded in", zone)) }
    if let latitude = event.locationLatitude, let longitude = event.locationLongitude {
      rows.append(("where", "\(latitude), \(longitude)"))
    }
    let trip = TripEvent(event)
    for (key, value) in event.properties.sorted(by: { $0.key < $1.key }) {
      if event.isLine(key) { continue }
      rows.append((key, trip?.words(of: key, units) ?? words(value, of: event)))
    }
    rows.append(("source", event.wireSourceType))
    rows.append(("sync", event.syncStatus.rawValue))
    let width = rows.map(\.0.columns).max() ?? 0
    return rows.map { "  \($0.padded(to: width))  \($1)" }
  }

  private func moment(_ date: Date) -> String {
    "\(local.dayAndTime(date, year: local.components(of: now).year)) \(local.offset(date))"
  }
}

extension EventText {
  /// For scripts, a cell each; behind the first six one of each property, `key=value`.
  func plain(_ event: Event) -> [String] {
    [
      event.id, time(event.timestamp, of: event), event.endDate.map { time($0, of: event) } ?? "", typeName(event),
      event.notes ?? "", event.locationName ?? "",
    ]
      + event.properties.sorted { $0.key < $1.key }.map {
        "\($0.key)=\(Property.plain($0.value, of: event, in: local))"
      }
  }

  /// Of an all-day event, midnight here of the date.
  private func time(_ moment: Date, of event: Event) -> String {
    local.rfc3339(event.isAllDay ? local.midnight(of: local.date(moment, of: event)) : moment)
  }

  func json(_ event: Event) -> JSONText {
    event.json(typeName: types[event.eventTypeId]?.name, isRunning: running.contains(event.id), in: local)
  }
}

extension Event {
  /// Seconds; `nil` of what has no end, and of whole days.
  fileprivate var length: Double? {
    isAllDay ? nil : endDate.map { $0.timeIntervalSince(timestamp) }
  }

  /// Whether a property is a route that a program recorded: a line of hundreds of characters for programs to draw.
  fileprivate func isLine(_ key: String) -> Bool {
    sourceType != .manual && key == TripRecord.PropertyKey.route.rawValue
  }

  /// Whether a property says once more when the event began, when it ended or how long it took.
  fileprivate func repeats(_ key: String, _ value: PropertyValue) -> Bool {
    switch value.type {
    case .duration: length.flatMap { length in value.doubleValue.map { abs($0 - length) < 1 } } ?? false
    case .date:
      value.dateValue.map { date in
        [timestamp, endDate].contains { $0.map { abs($0.timeIntervalSince(date)) < 1 } ?? false }
      } ?? false
    case .text, .number, .boolean, .select, .url, .email: false
    }
  }
}

extension TripEvent {
  /// A number of the trip with its unit; `nil` for properties that have none.
  fileprivate func words(of key: String, _ units: Units) -> String? {
    guard let number = event.properties[key]?.doubleValue else { return nil }
    return switch TripRecord.PropertyKey(rawValue: key) {
    case .distance, .businessDistance: units.length(number)
    case .averageSpeed, .topSpeed: units.speed(number)
    default: nil
    }
  }
}
