import Foundation
import TrendyModels
import TrendyProtocols
import TrendyTrips

/// Handlers that add, split and merge trips, each in one transaction, like the corresponding commands on a device.
struct TripHandlers: Sendable {
  let records: HubRecords
  let readings: PostedTracks

  private var core: HubCore { records.core }
  private var clock: any TimeSource { records.clock }

  func showFixes(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    let local = try LocalTime(call)
    let date = try call.civilDate("date")
    let day = local.moments(of: date...date)
    let span = day.lowerBound.milliseconds..<day.upperBound.milliseconds
    // Fixes before and after the day show whether it begins or ends with a gap.
    let around = FixedDay.around * 1000
    let fixes = try await readings.ask(of: sender.user) { ingest, desk in
      try await ingest.fixes(
        in: Date(milliseconds: span.lowerBound - around)...Date(milliseconds: span.upperBound + around), for: desk)
    }
    return .json(.object(FixedDay(fixes ?? [], during: span).members))
  }

  /// Records a trip, like `trendy trip add`. Idempotent for the same id and content.
  func addTrip(_ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    let added = try AddedTrip(try call.body())
    let now = clock.now
    return .write { [core] transaction in
      let device = sender.restDevice
      let type = try core.type(.trip, by: device, of: sender.user, in: transaction, now: now)
      var trip = TripEvent(
        id: added.id, eventTypeId: type.id, start: added.start, end: added.end, distanceMeters: added.distance,
        route: added.ends, timeZone: added.zone)
      trip.event.notes = added.notes
      trip.set(try added.vehicleId.map { try core.vehicle($0, in: transaction) })
      if let category = added.category {
        trip.classify(category)
      } else {
        trip.event = try core.completing(trip.event, in: transaction)
      }
      let entry = try core.create(
        .event, try WireJSON.members(of: trip.event.createRequest), acceptsSame: true, by: device, in: transaction,
        now: now)
      return .json(.object(entry.document(user: sender.user)), status: 201)
    }
  }

  /// Returns the ends and average speed of each trip that begins in a period, latest first.
  func listTrips(_ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    let moments = try call.moments()
    let limit = Int(try call.integer("limit", in: 1...1000, default: 1000))
    return .read { reading in
      .json(["trips": try reading.summaries(of: reading.events(from: .trip, during: moments, limit: limit))])
    }
  }

  /// Changes a trip, and the values that depend on the edited ones.
  func editTrip(_ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    let id = call.id
    let members = try call.body().members
    // Validate the members before decoding them, so an invalid member is reported by name.
    _ = try SyncedKind.event.fields(from: members, isCreate: false)
    let request = try ChangeEntryData(rawData: members).decode(UpdateEventRequest.self)
    let edit = try call.edit()
    let now = clock.now
    return .write { [core] transaction in
      let entry = try core.update(
        .event, id: id, members, edit: edit, by: sender.restDevice, in: transaction, now: now
      ) { members in
        let old = try core.trip(id, in: transaction, user: sender.user)
        var trip = old
        trip.event.apply(request)
        guard trip.end > trip.start else { throw Problem.invalid("end_date: expected a time after the start") }
        let given = trip.event
        let vehicles = try transaction.living(kind: SyncedKind.vehicle.name, offset: 0, limit: .max)
          .compactMap { Vehicle(id: $0.id, fields: $0.fields.mapValues(\.value)) }
        trip.update(after: old, vehicles: vehicles, keeping: Set((request.properties ?? [:]).keys))
        guard let more = try trip.event.updateRequest(from: given).map({ try WireJSON.members(of: $0) }) else {
          return members
        }
        let properties = (members["properties"]?.objectValue ?? [:])
          .merging(more["properties"]?.objectValue ?? [:]) { $1 }
        return members.merging(["properties": .object(properties)]) { $1 }
      }
      return .json(.object(entry.document(user: sender.user)))
    }
  }

  /// Returns a trip, the trips before and after it, and, if this hub detected the trip, the explanation of the
  /// detection.
  func showTrip(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    let id = call.id
    var (members, places) = try await records.store.read(user: sender.user) { [core] reading in
      let trip = try core.trip(id, in: reading, user: sender.user)
      let around = try reading.tripsAround(trip)
      let entries = [
        "trip": try core.entity(.event, id: id, in: reading), "previous": around.previous, "next": around.next,
      ]
      var members = entries.mapValues { $0.map { JSONValue.object($0.document(user: sender.user)) } ?? .null }
      let places = try reading.geofences()
      let trips = try entries.values.compactMap(\.self).sorted { $0.id < $1.id }.trips()
      members["summaries"] = .array(trips.map { $0.summary(places) })
      return (members, places)
    }
    let explanation = try await readings.explanation(ofEvent: id, of: sender.user)
    members["explanation"] = try explanation.map { .object(try WireJSON.members(of: $0)) }
    if members["explanation"] == nil { members["explanation"] = .null }
    let (trip, fixes) = try await tripWithFixes(id, sender)
    let span = trip.start...max(trip.start, trip.end)
    members["speed"] = SpeedProfile(fixes, during: span)?.document(places) ?? .null
    members["detour"] = trip.detour.map { .double(($0 * 100).rounded() / 100) } ?? .null
    return .json(.object(members))
  }

  /// Returns the two trips that a split would create, without writing anything.
  func showSplit(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    let id = call.id
    let asked = try SplitPoint(call)
    let (trip, fixes) = try await tripWithFixes(id, sender)
    let date =
      switch asked {
      case .moment(let date): date
      case .part(let part): trip.moment(at: part, fixes: fixes)
      }
    let (first, second) = try trip.split(at: date.roundedToMillisecond, orRefuse: "at", id: "second", fixes: fixes)
    let places = try await places(of: sender)
    return .json([
      "at": .string(RFC3339.string(from: first.end)), "first": first.half(places), "second": second.half(places),
    ])
  }

  private func places(of sender: HubDevice) async throws -> [Geofence] {
    try await records.store.read(user: sender.user) { try $0.geofences() }
  }

  /// Splits a trip. Idempotent: if the second trip already exists and begins at that time, returns both trips
  /// unchanged.
  func split(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    let id = call.id
    let body = try call.body()
    let secondId = try body.identifier("id")
    let date = try body.moment("at").roundedToMillisecond
    let (_, fixes) = try await tripWithFixes(id, sender)
    let now = clock.now
    let work = HubWork.write { [core] transaction in
      let trip = try core.trip(id, in: transaction, user: sender.user)
      if let second = try? core.trip(secondId, in: transaction, user: sender.user) {
        guard second.start == date, trip.end == date else {
          throw Problem(
            "duplicate", status: 409, title: "Already exists", detail: "the event \"\(secondId)\" already exists")
        }
      } else {
        let (first, second) = try trip.split(at: date, orRefuse: "at", id: secondId, fixes: fixes)
        try core.write(first.event, over: trip.event, by: sender.restDevice, in: transaction, now: now)
        _ = try core.create(
          .event, try WireJSON.members(of: second.event.createRequest), by: sender.restDevice, in: transaction, now: now
        )
      }
      return .json([
        "trips": .array(
          try [id, secondId].map {
            .object(try core.entity(.event, id: $0, in: transaction).document(user: sender.user))
          })
      ])
    }
    return try await records.carryOut(work, for: sender.user, request: call.request)
  }

  /// Merges two trips: extends the earlier one and deletes the later one.
  func merge(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    let ids = [call.id, try call.body().identifier("with")]
    guard ids[0] != ids[1] else { throw Problem.invalid("with: a trip cannot be merged with itself") }
    let now = clock.now
    let work = HubWork.write { [core] transaction in
      let trips = try ids.map { try core.trip($0, in: transaction, user: sender.user) }
        .sorted { ($0.start, $0.event.id) < ($1.start, $1.event.id) }
      let whole: TripEvent
      do throws(TripEvent.EditError) {
        whole = try trips[0].merged(with: trips[1])
      } catch {
        throw Problem.invalid("with: \(error)")
      }
      try core.write(whole.event, over: trips[0].event, by: sender.restDevice, in: transaction, now: now)
      try core.delete(.event, id: trips[1].event.id, by: sender.restDevice, in: transaction, now: now)
      let entry = try core.entity(.event, id: whole.event.id, in: transaction)
      return .json(.object(entry.document(user: sender.user)))
    }
    return try await records.carryOut(work, for: sender.user, request: call.request)
  }

  /// Returns a trip, with its fixes if exactly one device posted them to this hub.
  private func tripWithFixes(_ id: String, _ sender: HubDevice) async throws -> (TripEvent, [Location]) {
    let trip = try await records.store.read(user: sender.user) { [core] in
      try core.trip(id, in: $0, user: sender.user)
    }
    guard trip.end > trip.start else { return (trip, []) }
    let fixes = try await readings.ask(of: sender.user) { ingest, desk in
      try await ingest.fixes(in: trip.start...trip.end, for: desk)
    }
    return (trip, fixes ?? [])
  }
}

private enum SplitPoint {
  case moment(Date)
  /// Fraction of the route, 0 to 1.
  case part(Double)

  init(_ call: HubCall) throws(Problem) {
    switch (try call.moment("at"), call.text("part")) {
    case (let moment?, nil): self = .moment(Date(milliseconds: moment))
    case (nil, let text?):
      guard let part = Double(text), (0...1).contains(part) else {
        throw .invalid("part: expected a number from 0 to 1, found \"\(text.prefix(40))\"")
      }
      self = .part(part)
    default: throw .invalid("at: expected either at (a time) or part (a fraction of the route)")
    }
  }
}

extension HubCore {
  /// Returns a trip.
  ///
  /// - Throws: A ``Problem`` with status 404 if the event does not exist, or 400 if it is not a trip.
  fileprivate func trip(_ id: String, in reading: any HubReadTransaction, user: String) throws -> TripEvent {
    let entry = try entity(.event, id: id, in: reading)
    let wire = try ChangeEntryData(rawData: entry.document(user: user)).decode(APIEvent.self)
    guard let trip = TripEvent(Event(wire)) else {
      throw Problem.invalid("the event \"\(id.prefix(128))\" is not a trip")
    }
    return trip
  }

  fileprivate func write(
    _ event: Event, over old: Event, by device: String, in transaction: any HubTransaction, now: Date
  ) throws {
    guard let request = event.updateRequest(from: old) else { return }
    let members = try WireJSON.members(of: request)
    _ = try update(.event, id: event.id, members, by: device, in: transaction, now: now)
  }
}

extension HubReadTransaction {
  /// Returns the nearest trips that begin within a week before and after a trip's start.
  fileprivate func tripsAround(_ trip: TripEvent) throws -> (previous: HubEntry?, next: HubEntry?) {
    let week: Int64 = 7 * 86_400_000
    let start = trip.start.milliseconds
    func trips(_ span: Range<Int64>) throws -> [HubEntry] {
      try living(kind: SyncedKind.event.name, during: span, limit: .max)
        .filter { $0.id != trip.event.id && $0.fields["source_type"]?.value.stringValue == "trip" }
    }
    let earlier = try trips(start - week..<start)
    let later = try trips(start..<start + week)
    return (earlier.first, later.last)
  }
}

extension SpeedProfile {
  fileprivate func document(_ places: [Geofence]) -> JSONValue {
    func rounded(_ value: Double, _ parts: Double) -> JSONValue { .double((value * parts).rounded() / parts) }
    func place(_ coordinate: Coordinate) -> [String: JSONValue] {
      ["latitude": rounded(coordinate.latitude, 1e6), "longitude": rounded(coordinate.longitude, 1e6)]
    }
    return [
      "start": .string(RFC3339.string(from: start)), "step_s": .double(stepSeconds), "top_mps": rounded(topSpeed, 10),
      "standing_s": rounded(standingSeconds, 1),
      "steps": .array(
        steps.map { step in
          .object(place(step.coordinate).merging(["mps": step.speed.map { rounded($0, 10) } ?? .null]) { $1 })
        }),
      "stops": .array(
        stops.map { stop in
          .object(
            place(stop.coordinate).merging([
              "start": .string(RFC3339.string(from: stop.start)), "end": .string(RFC3339.string(from: stop.end)),
              "name": places.nearest(to: stop.coordinate).first.map { .string($0.name) } ?? .null,
            ]) { $1 })
        }),
    ]
  }
}

extension TripEvent {
  fileprivate func split(
    at date: Date, orRefuse name: String, id: String, fixes: [Location]
  ) throws(Problem) -> (TripEvent, TripEvent) {
    do throws(EditError) {
      return try split(at: date, id: id, fixes: fixes)
    } catch {
      throw .invalid(
        "\(name): expected a time between \(RFC3339.string(from: start)) and \(RFC3339.string(from: end)), found "
          + RFC3339.string(from: date))
    }
  }

  /// Returns the members in which the halves of a split trip differ.
  fileprivate func half(_ places: [Geofence]) -> JSONValue {
    [
      "start": .string(RFC3339.string(from: start)), "end": .string(RFC3339.string(from: end)),
      "distance_m": .double(distance), "start_place": Self.end(startPlace, places),
      "end_place": Self.end(endPlace, places),
    ]
  }
}

extension DocumentReader {
  func moment(_ name: String) throws(Problem) -> Date {
    let text = try string(name)
    guard let date = RFC3339.date(from: text) else {
      throw .invalid("\(at(name)): expected an RFC 3339 date, found \"\(text.prefix(40))\"")
    }
    return date
  }
}

extension Date {
  /// The date rounded to the precision of the wire format.
  fileprivate var roundedToMillisecond: Date { Date(milliseconds: milliseconds) }
}
