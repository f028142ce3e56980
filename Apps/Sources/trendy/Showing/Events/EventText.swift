import AgentLink
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels
import TrendyProtocols
import TrendyTrips

struct EventText {
  let local: LocalTime
  let now: Date
  private let units: Units
  private let types: [String: EventType]
  private let places: [Geofence]
  private let running: Set<String>

  init(_ session: Session, in store: any DataStoreProtocol) throws {
    self.init(
      session: session, types: try store.fetchAllEventTypes(), places: try store.fetchAllGeofences(),
      running: Set(try RunningEvent.all(in: store).map(\.event.id)))
  }

  /// Creates a formatter. `places` name the ends of trips, and `running` contains the ids of running events.
  init(session: Session, types: [EventType], places: [Geofence] = [], running: Set<String> = []) {
    local = session.local
    now = session.now
    units = session.units
    self.types = Dictionary(types.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    self.places = places
    self.running = running
  }

  func typeName(_ event: Event) -> String { types[event.eventTypeId]?.name ?? "(unknown type)" }

  /// Returns the width of the type name column, at most 16. Longer names extend beyond it.
  func nameColumns(of events: [Event]) -> Int { min(16, events.map { typeName($0).columns }.max() ?? 0) }

  /// Returns a line such as `coffee  Fri 20 Nov 08:30  count 2  large  "oat"  0199f3c2-7a40`.
  ///
  /// `id` is a shortened id that is unique in a list, or `nil` for an id of the standard length.
  func line(_ event: Event, id: String? = nil) -> StyledText {
    line([name(event), StyledText.Part(when(event))], of: event, id: id ?? ShortID.of(event.id))
  }

  /// Returns a line for a list whose headings show the date.
  ///
  /// `columns` is the minimum width of the type name. `day` is the day of the heading, or `nil` for the event's first
  /// day.
  func lineOfDay(_ event: Event, columns: Int, id: String, on day: CivilDate? = nil) -> StyledText {
    let day = day ?? local.day(of: event)
    let time = event.isAllDay ? "all day" : local.inZone(of: event).time(local.moment(of: event, on: day))
    // The longest time, `12:30 pm`, has 8 columns.
    let column = local.showsTwelveHours ? time.padded(to: 8) : time
    let parts = [StyledText.Part("  " + column), name(event, columns: columns), reach(of: event, beyond: day)]
    return line(parts.compactMap(\.self), of: event, id: id)
  }

  /// Returns `since Wed 23:00` if the event starts before the day, or `until Thu 07:00` if it ends after the day.
  private func reach(of event: Event, beyond day: CivilDate) -> StyledText.Part? {
    guard !event.isAllDay, let end = event.endDate else { return nil }
    let (days, own) = (local.days(of: event), local.inZone(of: event))
    func words(_ day: CivilDate, _ moment: Date) -> String { "\(LocalTime.weekdays[day.weekday]) \(own.time(moment))" }
    if days.lowerBound < day { return StyledText.Part("since \(words(days.lowerBound, event.timestamp))") }
    return days.upperBound > day ? StyledText.Part("until \(words(days.upperBound, end))") : nil
  }

  /// Returns a line with the given parts, the event's details and its id.
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
    return local.inZone(of: event).dayAndTime(event.timestamp, year: year)
  }

  /// Returns the time zone of the event, if the event's local time differs from the user's.
  private func otherZone(of event: Event) -> String? {
    guard !event.isAllDay, let zone = event.timeZone, zone != local.zoneName else { return nil }
    let own = local.inZone(of: event)
    return own.components(of: event.timestamp) == local.components(of: event.timestamp) ? nil : zone
  }

  /// Formats an all-day event's dates as `Fri 20 Nov` or `Wed 18 – Fri 20 Nov`.
  private func days(of event: Event, year: Int) -> String {
    let first = local.date(of: event)
    let last = event.endDate.map { local.date($0, of: event) } ?? first
    guard last > first else { return day(first, year: year) }
    let year = first.year == last.year ? year : 0
    let isOneMonth = (first.year, first.month) == (last.year, last.month)
    let start = isOneMonth ? "\(LocalTime.weekdays[first.weekday]) \(first.day)" : day(first, year: year)
    return "\(start) – \(day(last, year: year))"
  }

  private func day(_ date: CivilDate, year: Int) -> String { local.day(local.midnight(of: date), year: year) }

  /// Appends the event's details in place, because a list may have a hundred thousand lines.
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
        // A select property's value is clear without the property's name.
        add(value.type == .select ? words : key + " " + words)
      }
      if let place = event.locationName { add("at " + place) }
    }
    if let zone = otherZone(of: event) { parts.append(StyledText.Part(zone, .dim)) }
    if let note = event.notes { parts.append(StyledText.Part("\"" + note + "\"", .dim, rank: .note)) }
  }

  func words(_ value: PropertyValue, of event: Event) -> String {
    switch value.type {
    case .duration: value.doubleValue.map(DurationPhrase.words) ?? Property.text(value.value)
    case .boolean: value.boolValue.map { $0 ? "yes" : "no" } ?? Property.text(value.value)
    case .date:
      local.date(value, of: event).map { day($0, year: local.components(of: event.timestamp).year) }
        ?? value.dateValue.map { moment($0, of: event) } ?? Property.text(value.value)
    case .number: Property.text(value.value).withMinusSign
    case .text, .select, .url, .email: Property.text(value.value)
    }
  }

  /// Formats a time, with the date if it is not the event's.
  private func moment(_ date: Date, of event: Event) -> String {
    let year = local.components(of: event.timestamp).year
    let isSameDay = local.startOfDay(date) == local.startOfDay(event.timestamp)
    return isSameDay ? local.time(date) : local.dayAndTime(date, year: year)
  }

}

extension EventText {
  func detailLines(_ event: Event) -> [String] {
    var rows: [(String, String)] = [("id", ShortID.of(event.id))]
    if event.isAllDay {
      rows.append(("when", "\(days(of: event, year: local.components(of: now).year)), all day"))
    } else {
      rows.append(("when", moment(event.timestamp)))
      if let end = event.endDate { rows.append(("until", moment(end))) }
    }
    if let zone = event.timeZone { rows.append(("recorded in", zone)) }
    if let latitude = event.locationLatitude, let longitude = event.locationLongitude {
      rows.append(("position", Coordinate(latitude: latitude, longitude: longitude).text))
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
  /// Returns the `--plain` columns: six fixed ones, then `key=value` for each property.
  func plain(_ event: Event) -> [String] {
    [
      event.id, time(event.timestamp, of: event), event.endDate.map { time($0, of: event) } ?? "", typeName(event),
      event.notes ?? "", event.locationName ?? "",
    ]
      + event.properties.sorted { $0.key < $1.key }.map {
        "\($0.key)=\(Property.plain($0.value, of: event, in: local))"
      }
  }

  /// Formats a time in RFC 3339. For an all-day event, the time is local midnight of the date.
  private func time(_ moment: Date, of event: Event) -> String {
    local.rfc3339(event.isAllDay ? local.midnight(of: local.date(moment, of: event)) : moment)
  }

  func json(_ event: Event) -> JSONText {
    event.json(typeName: types[event.eventTypeId]?.name, isRunning: running.contains(event.id), in: local)
  }
}

extension Event {
  /// Duration in seconds, or `nil` if the event has no end or is an all-day event.
  fileprivate var length: Double? {
    isAllDay ? nil : endDate.map { $0.timeIntervalSince(timestamp) }
  }

  /// Whether a property contains a trip's encoded route, which is too long to print.
  fileprivate func isLine(_ key: String) -> Bool {
    sourceType != .manual && key == TripRecord.PropertyKey.route.rawValue
  }

  /// Whether a property repeats the event's start, end or duration.
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
  /// Formats a trip's distance or speed with its unit. Returns `nil` for other properties.
  fileprivate func words(of key: String, _ units: Units) -> String? {
    guard let number = event.properties[key]?.doubleValue else { return nil }
    return switch TripRecord.PropertyKey(rawValue: key) {
    case .distance, .businessDistance: units.length(number)
    case .averageSpeed, .topSpeed: units.speed(number)
    default: nil
    }
  }
}
