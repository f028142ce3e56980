import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels
import TrendyProtocols
import TrendyTrips

/// Running events that a command changes.
struct RunningChoice {
  /// Event type or event id; `nil` to select the only running event.
  let name: String?
  let session: Session

  private func running(in store: any DataStoreProtocol) throws -> [RunningEvent] {
    let running = try RunningEvent.all(in: store)
    guard !running.isEmpty else {
      throw CommandError("No event is running", hint: "Start one: trendy start TYPE", exit: .no)
    }
    return running
  }

  /// Returns all running events.
  /// - Throws: ``CommandError`` with exit 1 if none is running, or exit 64 if one is a trip.
  func all(in store: any DataStoreProtocol) throws -> [RunningEvent] {
    let running = try running(in: store)
    try checkAreNotTrips(running, try tripType(in: store))
    return running
  }

  /// Returns the selected event.
  /// - Throws: ``CommandError`` with exit 1 if no event is running, exit 64 if several match or it is a trip, or exit 66
  ///   if the named one is not running.
  func event(in store: any DataStoreProtocol) throws -> RunningEvent {
    let running = try running(in: store)
    let tripType = try tripType(in: store)
    // A trip is ended by another command, so it is selected only if it is named or nothing else is running.
    let others = name == nil ? running.filter { $0.event.eventTypeId != tripType } : []
    let found = try found(among: others.isEmpty ? running : others, in: store)
    try checkAreNotTrips([found], tripType)
    return found
  }

  private func found(among running: [RunningEvent], in store: any DataStoreProtocol) throws -> RunningEvent {
    func name(_ event: Event) throws -> String { try store.findEventType(id: event.eventTypeId)?.name ?? event.id }
    let line = "trendy \(session.command.name)"
    guard let wanted = self.name else {
      guard running.count == 1 else {
        // `switch` cannot name the event to stop.
        let (verb, line) = session.command == SwitchCommand.spec ? ("Stop all but", "trendy stop") : ("Choose", line)
        let choices = try running.map { "\(line) \(ShellWords.quoted(try name($0.event)))" }
        throw CommandError(
          "\(running.count) events are running",
          hint: "\(verb) one: \(choices.joined(separator: ", ")). To stop all: trendy stop --all", exit: .usage)
      }
      return running[0]
    }
    if let found = running.first(where: { $0.event.id.hasPrefix(wanted.lowercased()) && wanted.count >= 4 }) {
      return found
    }
    let types = try Lookup(store: store).eventTypes(wanted) { "trendy start \($0) --create" }
    let found = running.filter { running in types.contains { $0.id == running.event.eventTypeId } }
    guard !found.isEmpty else {
      let names = try running.map { try name($0.event) }.joined(separator: ", ")
      throw CommandError("'\(types[0].name)' is not running", hint: "Running: \(names).", exit: .notFound)
    }
    guard found.count == 1 else {
      let ids = ShortID.of(found.map(\.event.id)).map { "\(line) \($0)" }
      throw CommandError(
        "\(found.count) events of '\(types[0].name)' are running", hint: "Choose one: \(ids.joined(separator: ", "))",
        exit: .usage)
    }
    return found[0]
  }

  private func tripType(in store: any DataStoreProtocol) throws -> String? {
    BuiltInType.trip.present(among: try store.fetchAllEventTypes())?.id
  }

  /// Trips are ended with `trendy trip end` instead, because reports need the distance that it records.
  private func checkAreNotTrips(_ chosen: [RunningEvent], _ tripType: String?) throws {
    guard !chosen.contains(where: { $0.event.eventTypeId == tripType }) else {
      throw session.usageError(
        "'\(session.command.name)' cannot end a trip",
        hint: "Run 'trendy trip end 12km' with the distance of the trip, or 'trendy trip cancel'.")
    }
  }
}

extension Session {
  /// Ends an event. Sets its first duration property if that has no value.
  /// - Throws: ``CommandError`` with exit 64 if the end is before the start or in the future.
  func end(_ event: inout Event, at end: Date, in store: any DataStoreProtocol) throws {
    guard end >= event.timestamp else {
      let begin = local.dayAndTime(event.timestamp, year: local.components(of: now).year)
      throw usageError(
        "The end is before the start, \(begin)",
        hint: "To correct the start: trendy edit \(ShortID.of(event.id)) --at TIME")
    }
    if end > now.addingTimeInterval(60) {
      throw usageError(
        "The end '\(arguments.value("--at") ?? "")' is in the future",
        hint: "Run 'trendy \(command.name)' when the event ends.")
    }
    let before = event
    event.endDate = end
    event.fillLength(from: try store.definitions(ofType: event.eventTypeId), before: before)
  }

  /// Throws ``CommandError`` with exit 77 if an event of a type is running.
  func checkIsNotRunning(_ type: EventType, in store: any DataStoreProtocol) throws {
    guard let running = try RunningEvent.all(in: store).first(where: { $0.event.eventTypeId == type.id })?.event else {
      return
    }
    let since = local.dayAndTime(running.timestamp, year: local.components(of: now).year)
    throw CommandError(
      "'\(type.name)' has been running since \(since)",
      hint: "Stop it first: trendy stop \(ShellWords.quoted(type.name))", exit: .refused)
  }
}

extension Event {
  /// Returns a new event with the same type, note, place and properties, except numbers and durations, which measure
  /// this event.
  func continued(id: String, at start: Date, until end: Date? = nil, in zone: String?) -> Event {
    var event = Event(
      id: id, eventTypeId: eventTypeId, timestamp: start, endDate: end, notes: notes, geofenceId: geofenceId,
      locationLatitude: locationLatitude, locationLongitude: locationLongitude, locationName: locationName,
      timeZone: zone)
    event.properties = properties.filter { ![.number, .duration].contains($0.value.type) }
    return event
  }
}
