public import TrendyFoundation
public import TrendyModels

/// Event of a trip, with typed access to its properties.
public struct TripEvent: Hashable, Sendable {
  /// Event of the trip.
  public var event: Event

  /// Creates a trip from an event. Returns `nil` if the event is not a trip.
  public init?(_ event: Event) {
    guard event.sourceType == .trip else { return nil }
    self.event = event
  }

  /// Creates a trip that the user entered.
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

  /// Departure time.
  public var start: Date { event.timestamp }
  /// Arrival time, or the departure time for an event without an end.
  public var end: Date { event.endDate ?? event.timestamp }

  /// Path length in metres.
  public var distance: Double {
    get { self[.distance]?.doubleValue ?? 0 }
    set { event.properties[.distance] = .number((newValue * 10).rounded() / 10) }
  }

  /// Route of the trip, or an empty array if unknown.
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

  /// Ratio of path length to straight-line distance. `nil` if an end is unknown, or for a round trip, whose ends are
  /// closer together than 200 m or a tenth of the path length.
  public var detour: Double? {
    guard let from = startPlace, let to = endPlace else { return nil }
    let direct = Geodesic.distanceMeters(from: from, to: to)
    return direct < max(200, distance / 10) ? nil : distance / direct
  }

  /// Track log name of the device or imported recording in which the trip was detected. `nil` for other trips.
  public var device: String? { self[.device]?.stringValue }

  /// Number of fixes, or 0 if unknown. For part of a split trip, the number of fixes of the whole trip.
  public var fixCount: Int { Int(exactly: self[.fixes]?.doubleValue ?? 0) ?? 0 }

  /// Category of the trip, or `nil` if it is not classified.
  public var category: TripCategory? {
    self[.category]?.stringValue.flatMap(TripCategory.init(rawValue:))
  }

  /// Name of the rule that set the category, or `nil` if the user set it.
  public var rule: String? { self[.rule]?.stringValue }

  /// Business distance in metres. `nil` for trips without a category and for mixed trips without a business part.
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

  private subscript(key: TripRecord.PropertyKey) -> PropertyValue? { event.packedProperties[key.rawValue] }

  /// Sets the category, the rule that determined it, and the business distance of a mixed trip.
  public mutating func classify(_ category: TripCategory, by rule: String? = nil, businessMeters: Double? = nil) {
    event.properties[.category] = PropertyValue(type: .select, value: .string(category.rawValue))
    event.properties[.rule] = rule.map { .text($0) }
    event.properties[.businessDistance] = category == .mixed ? businessMeters.map { .number($0) } : nil
  }

  /// Sets the vehicle and its current name, so that the name can be displayed even after the vehicle is deleted.
  public mutating func set(_ vehicle: Vehicle?) {
    event.properties[.vehicle] = vehicle.map { .text($0.id) }
    event.properties[.car] = vehicle.map { .text($0.name) }
  }

  /// Recomputes the duration and the average speed.
  public mutating func measure() {
    let seconds = max(0, end.timeIntervalSince(start))
    event.properties[.duration] = PropertyValue(type: .duration, value: .double(seconds))
    event.properties[.averageSpeed] = averageSpeed.map { .number(($0 * 10).rounded() / 10) }
  }

  /// Updates the properties that depend on edited properties. Duration and average speed depend on the times and the
  /// distance, and the vehicle's name on the vehicle. If the category changed, the rule is removed.
  ///
  /// - Parameters:
  ///   - old: the trip before the edit.
  ///   - vehicles: the user's vehicles.
  ///   - edited: keys of properties that the edit itself set or removed. These properties are not updated.
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

  /// Average speed in metres per second, or `nil` for a trip without duration.
  public var averageSpeed: Double? { end > start ? distance / end.timeIntervalSince(start) : nil }

  /// Reason why a trip cannot be split or trips cannot be merged.
  public enum EditError: Error, Hashable, CustomStringConvertible {
    case outside(start: Date, end: Date)
    case overlap
    case vehicles

    /// Error message without a full stop.
    public var description: String {
      switch self {
      case .outside: "the time is not within the trip"
      case .overlap: "the second trip begins before the first one ends"
      case .vehicles: "the trips have different vehicles: assign the same vehicle first"
      }
    }
  }

  /// Splits the trip at a time within it.
  ///
  /// Divides the distance according to the fixes, or in proportion to time if `fixes` is empty.
  /// - Parameters:
  ///   - date: time between start and end, exclusive.
  ///   - id: id of the second trip. The first trip keeps its id.
  ///   - fixes: fixes of the trip in order of time.
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
      // Remove the top speed, because it is unknown which of the two trips reached it.
      half.event.properties[.topSpeed] = nil
      half.event.properties[.businessDistance] = nil
      half.measure()
      if index == 0 { first = half } else { second = half }
    }
    return (first, second)
  }

  /// Returns the time when a fraction of the path, 0 to 1, had been travelled. Without fixes, the speed is assumed to
  /// be constant.
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

  /// Merges two consecutive trips and connects them by a straight line. Keeps the first trip's id, notes and category,
  /// but different categories become `mixed`.
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

  /// Splits a route at a fraction of its length. Both parts contain the position of the split.
  private static func parts(of route: [Coordinate], at part: Double) -> ([Coordinate], [Coordinate]) {
    guard route.count > 1 else { return (route, route) }
    let hops = zip(route, route.dropFirst()).map { Geodesic.distanceMeters(from: $0, to: $1) }
    var left = hops.reduce(0, +) * part
    for (index, hop) in hops.enumerated() {
      if left <= hop {
        let share = hop > 0 ? left / hop : 0
        let (from, to) = (route[index], route[index + 1])
        let east = (to.longitude - from.longitude).remainder(dividingBy: 360)
        // Round like an encoded route, so that both parts contain exactly the same position.
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
