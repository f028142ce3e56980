import CommandSupport
import TrendyFoundation
import TrendyModels
import TrendyTrips

struct TripText {
  private let trip: TripEvent
  /// Id of another recording of the same drive that counts instead of this trip, if any.
  private let countedId: String?
  private let places: [Geofence]
  private let local: LocalTime
  private let units: Units
  private let year: Int

  init(_ trip: TripEvent, witnesses: TripWitnesses, places: [Geofence], session: Session) {
    self.trip = trip
    countedId = witnesses.countedIds[trip.event.id]
    self.places = places
    local = session.local
    units = session.units
    year = local.year(
      session.now, spanning: trip.event.timestamp, trip.event.endDate ?? trip.event.timestamp)
  }

  private var event: Event { trip.event }
  /// Distance in metres, if known.
  private var distance: Double? { event.properties["distance"]?.doubleValue }
  private var seconds: Double? { event.endDate.map { $0.timeIntervalSince(event.timestamp) } }

  /// Line such as `Tue 18 Nov 2014 09:37–10:12  Home → Office  7.4 km  35 min  Van  business  0199f3c2-7a40`.
  var line: StyledText {
    var when = local.dayAndTime(event.timestamp, year: year)
    if let end = event.endDate {
      let isSameDay = local.startOfDay(end) == local.startOfDay(event.timestamp)
      when += isSameDay ? "–\(local.time(end))" : " – \(local.dayAndTime(end, year: year))"
    }
    let details = [seconds.map(DurationPhrase.words), trip.carName, trip.category?.rawValue]
    let parts = [
      StyledText.Part(when), way.map { StyledText.Part($0, rank: .name) },
      distance.map { StyledText.Part(units.length($0)) },
    ]
    let witness = countedId.map { StyledText.Part("witness of \(ShortID.of($0))", .dim, rank: .detail) }
    let note = event.notes.map { StyledText.Part("\"\($0)\"", .dim, rank: .note) }
    return StyledText(
      (parts + details.map { $0.map { StyledText.Part($0, rank: .detail) } } + [witness, note]).compactMap(\.self)
        + [StyledText.Part(ShortID.of(event.id), .dim, rank: .id)])
  }

  private var way: String? { Self.way(of: trip, among: places) }

  /// Returns a trip's ends as `Home → Office`, or only one end if the other end is not at a known place.
  static func way(of trip: TripEvent, among places: [Geofence]) -> String? {
    switch (places.nearest(to: trip.startPlace).first?.name, places.nearest(to: trip.endPlace).first?.name) {
    case (let from?, let to?): "\(from) → \(to)"
    case (let from?, nil): "from \(from)"
    case (nil, let to?): "to \(to)"
    case (nil, nil): nil
    }
  }

  private func name(_ coordinate: Coordinate?) -> String? { places.nearest(to: coordinate).first?.name }

  var lines: [String] {
    var rows = [("id", ShortID.of(event.id)), ("start", moment(event.timestamp))]
    if let end = event.endDate { rows.append(("end", moment(end))) }
    if let place = place(trip.startPlace) { rows.append(("from", place)) }
    if let place = place(trip.endPlace) { rows.append(("to", place)) }
    if let distance { rows.append(("distance", units.length(distance))) }
    if let seconds { rows.append(("duration", DurationPhrase.words(seconds))) }
    if let speed = speed("average_speed") { rows.append(("average", speed)) }
    if let speed = speed("top_speed") { rows.append(("top speed", speed)) }
    if let car = trip.carName { rows.append(("car", car)) }
    if let device = trip.device { rows.append(("device", device)) }
    if let countedId {
      rows.append(("witness", "of trip \(ShortID.of(countedId)), which counts for this drive"))
    }
    if let category = trip.category {
      let why = trip.rule.map { "rule '\($0)'" } ?? "by hand"
      rows.append(("category", "\(category.rawValue) (\(why))"))
    }
    if trip.category == .mixed, let business = trip.businessDistance {
      rows.append(("business", units.length(business)))
    }
    if let notes = event.notes { rows.append(("note", notes)) }
    return rows.map { "\($0.padded(to: 10))\($1)" }
  }

  func picture(for terminal: Terminal) -> [String] {
    RoutePicture(trip.route, names: (name(trip.startPlace), name(trip.endPlace)), units: units).lines(for: terminal)
  }

  private func moment(_ date: Date) -> String { "\(local.dayAndTime(date, year: year)) \(local.offset(date))" }

  private func place(_ coordinate: Coordinate?) -> String? {
    coordinate.map { name($0) ?? $0.text }
  }

  private func speed(_ key: String) -> String? {
    guard let value = event.properties[key], let metresPerSecond = value.doubleValue else { return nil }
    return units.speed(metresPerSecond)
  }
}

extension TripText {
  /// `--plain` columns: id, start, end, metres, seconds, and the id of the trip that counts instead.
  var plain: [String] {
    [
      event.id, local.rfc3339(event.timestamp), event.endDate.map { local.rfc3339($0) } ?? "",
      JSONText.number(distance).description, JSONText.number(seconds).description,
      countedId ?? "",
    ]
  }

  var json: JSONText {
    .object([
      ("id", .string(event.id)), ("start", .string(local.rfc3339(event.timestamp))),
      ("end", .string(event.endDate.map { local.rfc3339($0) })), ("distance_m", .number(distance)),
      ("duration_s", .number(seconds)),
      ("average_speed_mps", .number(event.properties["average_speed"]?.doubleValue)),
      ("top_speed_mps", .number(event.properties["top_speed"]?.doubleValue)), ("car", .string(trip.carName)),
      ("device", .string(trip.device)), ("witness_of", .string(countedId)),
      ("vehicle_id", .string(trip.vehicleId)), ("category", .string(trip.category?.rawValue)),
      ("rule", .string(trip.rule)), ("business_distance_m", .number(trip.businessDistance)),
      ("start_latitude", .number(event.locationLatitude)), ("start_longitude", .number(event.locationLongitude)),
      ("start_place", .string(name(trip.startPlace))), ("end_place", .string(name(trip.endPlace))),
      ("route", .string(event.properties["route"]?.stringValue)), ("notes", .string(event.notes)),
      ("sync_status", .string(event.syncStatus.rawValue)),
    ])
  }
}
