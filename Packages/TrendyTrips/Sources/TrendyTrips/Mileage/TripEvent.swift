public import TrendyFoundation
public import TrendyModels

/// Trip stored as an event.
public struct TripEvent: Hashable, Sendable {
  /// Event of the trip.
  public var event: Event

  /// Wraps an event; `nil` unless it is a trip.
  public init?(_ event: Event) {
    guard event.sourceType == .trip else { return nil }
    self.event = event
  }

  /// Creates a trip entered by the user.
  public init(
    id: String, eventTypeId: String, start: Date, end: Date, distanceMeters: Double, route: [Coordinate] = [],
    timeZone: String? = nil
  ) {
    event = Event(
      id: id, eventTypeId: eventTypeId, timestamp: start, endDate: end, sourceType: .trip,
      locationLatitude: route.first?.latitude, locationLongitude: route.first?.longitude, timeZone: timeZone)
    self.route = route
    distance = distanceMeters
    measure()
  }

  /// Departure.
  public var start: Date { event.timestamp }
  /// Arrival; the departure for an event without an end.
  public var end: Date { event.endDate ?? event.timestamp }

  /// Path length in metres.
  public var distance: Double {
    get { self[.distance]?.doubleValue ?? 0 }
    set { event.properties[.distance] = .number((newValue * 10).rounded() / 10) }
  }

  /// Route of the trip; empty if unknown.
  public var route: [Coordinate] {
    get { self[.route]?.stringValue.flatMap { Polyline.decode($0) } ?? [] }
    set { event.properties[.route] = newValue.count > 1 ? .text(Polyline.encode(newValue)) : nil }
  }

  /// Position of the departure.
  public var startPlace: Coordinate? {
    guard let latitude = event.locationLatitude, let longitude = event.locationLongitude else { return route.first }
    return Coordinate(latitude: latitude, longitude: longitude)
  }

  /// Position of the arrival.
  public var endPlace: Coordinate? { route.last }

  /// Ratio of path length to straight-line distance. `nil` if the ends are unknown, or close together as for a round
  /// trip: closer than 200 m, or than a tenth of the path length.
  public var detour: Double? {
    guard let from = startPlace, let to = endPlace else { return nil }
    let direct = Geodesic.distanceMeters(from: from, to: to)
    return direct < max(200, distance / 10) ? nil : distance / direct
  }

  /// Name in the track log of the device that recorded the trip, or of the imported recording; `nil` if it was not
  /// detected.
  public var device: String? { self[.device]?.stringValue }

  /// Number of fixes, for a part of a split trip those of the whole trip; 0 if unknown.
  public var fixCount: Int { Int(exactly: self[.fixes]?.doubleValue ?? 0) ?? 0 }

  /// Category of the trip; `nil` if it is not classified.
  public var category: TripCategory? {
    self[.category]?.stringValue.flatMap(TripCategory.init(rawValue:))
  }

  /// Name of the rule that set the category; `nil` if the user set it.
  public var rule: String? { self[.rule]?.stringValue }

  /// Business distance in metres; `nil` for trips without a category, and mixed trips without a business part.
  public var businessDistance: Double? {
    switch category {
    case .business: distance
    case .private: 0
    case .mixed: self[.businessDistance]?.doubleValue
    case nil: nil
    }
  }

  /// Name of the vehicle at the time of the trip.
  public var carName: String? { self[.car]?.stringValue }

  /// Id of the vehicle.
  public var vehicleId: String? { self[.vehicle]?.stringValue }

  /// Reads one property without decoding the others.
  private subscript(key: TripRecord.PropertyKey) -> PropertyValue? { event.packedProperties[key.rawValue] }

  /// Sets the category.
  public mutating func classify(_ category: TripCategory, by rule: String? = nil, businessMeters: Double? = nil) {
    event.properties[.category] = PropertyValue(type: .select, value: .string(category.rawValue))
    event.properties[.rule] = rule.map { .text($0) }
    event.properties[.businessDistance] = category == .mixed ? businessMeters.map { .number($0) } : nil
  }

  /// Sets the vehicle with its current name, which is displayed if the vehicle is deleted.
  public mutating func set(_ vehicle: Vehicle?) {
    event.properties[.vehicle] = vehicle.map { .text($0.id) }
    event.properties[.car] = vehicle.map { .text($0.name) }
  }

  /// Recomputes duration and average speed.
  public mutating func measure() {
    let seconds = max(0, end.timeIntervalSince(start))
    event.properties[.duration] = PropertyValue(type: .duration, value: .double(seconds))
    event.properties[.averageSpeed] = averageSpeed.map { .number(($0 * 10).rounded() / 10) }
  }

  /// Updates the properties that follow from an edit of the trip: duration and average speed follow times and distance,
  /// the vehicle's name follows the vehicle, and a category set by the user has no rule.
  ///
  /// - Parameters:
  ///   - old: the trip before the edit.
  ///   - vehicles: vehicles of the user.
  ///   - edited: keys of properties that the edit itself set or removed, which stay.
  public mutating func update(after old: TripEvent, vehicles: [Vehicle], keeping edited: Set<String> = []) {
    let given = event.properties
    if (start, end, distance) != (old.start, old.end, old.distance) { measure() }
    if category != old.category {
      event.properties[.rule] = nil
      if category != .mixed { event.properties[.businessDistance] = nil }
    }
    if vehicleId != old.vehicleId {
      event.properties[.car] = vehicles.first { $0.id == vehicleId }.map { .text($0.name) }
    }
    for key in edited { event.properties[key] = given[key] }
  }

  /// Average speed in metres per second; `nil` for a trip without duration.
  public var averageSpeed: Double? { end > start ? distance / end.timeIntervalSince(start) : nil }

  /// Error of a split or merge.
  public enum EditError: Error, Hashable, CustomStringConvertible {
    case outside(start: Date, end: Date)
    case overlap
    case vehicles

    /// Message with the reason.
    public var description: String {
      switch self {
      case .outside: "the time is not within the trip"
      case .overlap: "the second trip begins before the first one ends"
      case .vehicles: "the trips have different vehicles: assign the same vehicle first"
      }
    }
  }

  /// Splits the trip at a time.
  ///
  /// The distance is divided according to the fixes if they are known, otherwise in proportion to time.
  public func split(at date: Date, id: String, fixes: [Location] = []) throws(EditError) -> (TripEvent, TripEvent) {
    guard date > start, date < end else { throw .outside(start: start, end: end) }
    let part = Self.part(of: fixes, until: date) ?? date.timeIntervalSince(start) / end.timeIntervalSince(start)
    let (before, after) = Self.parts(of: route, at: part)
    var (first, second) = (self, self)
    first.event.endDate = date
    first.distance = distance * part
    first.route = before
    second.event = Event(
      id: id, eventTypeId: event.eventTypeId, timestamp: date, endDate: end, sourceType: .trip,
      locationLatitude: after.first?.latitude, locationLongitude: after.first?.longitude, timeZone: event.timeZone,
      properties: event.properties)
    second.distance = distance - first.distance
    second.route = after
    for index in [0, 1] {
      var half = index == 0 ? first : second
      // Unknown which of the two trips reached it.
      half.event.properties[.topSpeed] = nil
      half.event.properties[.businessDistance] = nil
      half.measure()
      if index == 0 { first = half } else { second = half }
    }
    return (first, second)
  }

  /// Time at which a part of the path was covered, according to the fixes, or in proportion to time without them.
  /// - Parameters:
  ///   - part: part of the path, 0 to 1.
  ///   - fixes: fixes of the trip in chronological order; may be empty.
  public func moment(at part: Double, fixes: [Location] = []) -> Date {
    let part = min(1, max(0, part))
    let hops = zip(fixes, fixes.dropFirst()).map { Geodesic.distanceMeters(from: $0.coordinate, to: $1.coordinate) }
    var left = hops.reduce(0, +) * part
    for (index, hop) in hops.enumerated() where hop > 0 {
      if left <= hop {
        let (from, to) = (fixes[index].timestamp, fixes[index + 1].timestamp)
        return from.addingTimeInterval(to.timeIntervalSince(from) * left / hop)
      }
      left -= hop
    }
    return start.addingTimeInterval(end.timeIntervalSince(start) * part)
  }

  /// Merges two consecutive trips, with a straight line between them. Keeps id, notes and category of the first;
  /// different categories become mixed.
  public func merged(with next: TripEvent) throws(EditError) -> TripEvent {
    guard next.start >= end else { throw .overlap }
    if let one = vehicleId, let other = next.vehicleId, one != other { throw .vehicles }
    var whole = self
    whole.event.endDate = next.end
    var gap = 0.0
    if let here = endPlace, let there = next.startPlace { gap = Geodesic.distanceMeters(from: here, to: there) }
    whole.distance = distance + gap + next.distance
    whole.route = route + (route.last == next.route.first ? next.route.dropFirst() : next.route[...])
    if vehicleId == nil {
      whole.event.properties[.vehicle] = next.event.properties[.vehicle]
      whole.event.properties[.car] = next.event.properties[.car]
    }
    let fixes = max(fixCount, next.fixCount)
    whole.event.properties[.fixes] = fixes > 0 ? .number(Double(fixes)) : nil
    let speeds = [event, next.event].compactMap { $0.properties[.topSpeed]?.doubleValue }
    whole.event.properties[.topSpeed] = speeds.max().map { .number($0) }
    if category != next.category {
      let business = businessDistance.flatMap { mine in next.businessDistance.map { mine + $0 } }
      if category != nil, next.category != nil {
        whole.classify(.mixed, businessMeters: business)
      } else if let other = next.category {
        whole.classify(other, by: next.rule, businessMeters: next.businessDistance)
      }
    }
    let notes = [event.notes, next.event.notes].compactMap(\.self)
    whole.event.notes = notes.isEmpty ? nil : notes.joined(separator: "\n")
    whole.measure()
    return whole
  }

  private static func part(of fixes: [Location], until date: Date) -> Double? {
    var whole = 0.0
    var until = 0.0
    for (from, to) in zip(fixes, fixes.dropFirst()) {
      let hop = Geodesic.distanceMeters(from: from.coordinate, to: to.coordinate)
      whole += hop
      let seconds = to.timestamp.timeIntervalSince(from.timestamp)
      if to.timestamp <= date {
        until += hop
      } else if from.timestamp < date, seconds > 0 {
        until += hop * date.timeIntervalSince(from.timestamp) / seconds
      }
    }
    return whole > 0 ? until / whole : nil
  }

  /// Splits a route at a part of its length. Both parts contain the position there.
  private static func parts(of route: [Coordinate], at part: Double) -> ([Coordinate], [Coordinate]) {
    guard route.count > 1 else { return (route, route) }
    let hops = zip(route, route.dropFirst()).map { Geodesic.distanceMeters(from: $0, to: $1) }
    var left = hops.reduce(0, +) * part
    for (index, hop) in hops.enumerated() {
      if left <= hop {
        let share = hop > 0 ? left / hop : 0
        let (from, to) = (route[index], route[index + 1])
        let east = (to.longitude - from.longitude).remainder(dividingBy: 360)
        // Rounded like an encoded route, so that both parts have exactly the same position.
        let place = Polyline.rounded(
          Coordinate(
            latitude: from.latitude + (to.latitude - from.latitude) * share,
            longitude: (from.longitude + east * share).remainder(dividingBy: 360)))
        return (Array(route[...index]) + [place], [place] + Array(route[(index + 1)...]))
      }
      left -= hop
    }
    return (route, [route[route.count - 1]])
  }
}

extension [String: PropertyValue] {
  fileprivate subscript(key: TripRecord.PropertyKey) -> PropertyValue? {
    get { self[key.rawValue] }
    set { if let newValue { self[key.rawValue] = newValue } else { removeValue(forKey: key.rawValue) } }
  }
}

extension PropertyValue {
  fileprivate static func text(_ text: String) -> PropertyValue { PropertyValue(type: .text, value: .string(text)) }
  fileprivate static func number(_ number: Double) -> PropertyValue {
    PropertyValue(type: .number, value: .double(number))
  }
}
