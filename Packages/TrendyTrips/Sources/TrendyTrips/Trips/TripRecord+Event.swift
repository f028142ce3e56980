import TrendyFoundation
public import TrendyModels

extension TripRecord {
  /// Name of the event type for trips.
  public static let eventTypeName = "Trip"

  /// Keys of the properties set by ``event(eventTypeId:carName:device:)``.
  public enum PropertyKey: String, Sendable, CaseIterable {
    /// Path length in metres (number).
    case distance
    /// Duration in seconds.
    case duration
    /// Average speed in m/s (number).
    case averageSpeed = "average_speed"
    /// Top speed in m/s (number). Absent if unknown.
    case topSpeed = "top_speed"
    /// Name of the car (text). Absent if unknown.
    case car
    /// Id of the vehicle (text).
    case vehicle
    /// Business, private or mixed (select).
    case category
    /// Name of the rule that set the category (text). Absent if the user set the category.
    case rule
    /// Business distance of a mixed trip in metres (number).
    case businessDistance = "business_distance"
    /// Route as an encoded polyline with five decimal places (text).
    case route
    /// Track log name of the device or imported recording in which the trip was detected (text).
    case device
    /// Number of fixes (number).
    case fixes

    /// Whether the event type has a definition for the property. ``device`` and ``fixes`` describe the recording rather
    /// than the trip, and must not appear in statistics.
    var isDefined: Bool { self != .device && self != .fixes }
  }

  /// Returns the event of a finished trip, or `nil` for a trip in progress.
  ///
  /// The event has the same id as the trip. The id is derived from the device, the start time and the start position,
  /// so an event that is written twice is created only once. The event's type should be named ``eventTypeName``.
  public func event(eventTypeId: String, carName: String? = nil, device: String? = nil) -> Event? {
    guard let endTime = trip.endTime, let duration else { return nil }
    var properties: [PropertyKey: PropertyValue] = [
      .distance: PropertyValue(type: .number, value: .double(tenths(trip.distanceMeters))),
      .duration: PropertyValue(type: .duration, value: .double(duration)),
    ]
    if let averageSpeed {
      properties[.averageSpeed] = PropertyValue(type: .number, value: .double(tenths(averageSpeed)))
    }
    if let topSpeed { properties[.topSpeed] = PropertyValue(type: .number, value: .double(tenths(topSpeed))) }
    if let carName, !carName.isEmpty { properties[.car] = PropertyValue(type: .text, value: .string(carName)) }
    if let device { properties[.device] = PropertyValue(type: .text, value: .string(device)) }
    if fixCount > 0 { properties[.fixes] = PropertyValue(type: .number, value: .double(Double(fixCount))) }
    if route.count > 1 { properties[.route] = PropertyValue(type: .text, value: .string(Polyline.encode(route))) }
    return Event(
      id: trip.id, eventTypeId: eventTypeId, timestamp: trip.startTime, endDate: endTime, sourceType: .trip,
      locationLatitude: trip.startCoordinate.latitude, locationLongitude: trip.startCoordinate.longitude,
      properties: Dictionary(uniqueKeysWithValues: properties.map { ($0.key.rawValue, $0.value) }))
  }

  /// Returns the property definitions of the event type. `id` maps a key to an id.
  public static func propertyDefinitions(
    eventTypeId: String, id: (PropertyKey) -> String
  ) -> [PropertyDefinition] {
    PropertyKey.allCases.filter(\.isDefined).enumerated().map { order, key in
      PropertyDefinition(
        id: id(key), eventTypeId: eventTypeId, key: key.rawValue, label: key.label, propertyType: key.type,
        options: key == .category ? TripCategory.allCases.map(\.rawValue) : [], displayOrder: order)
    }
  }
}

extension TripRecord.PropertyKey {
  /// Type of the property's value.
  public var type: PropertyType {
    switch self {
    case .distance, .averageSpeed, .topSpeed, .businessDistance, .fixes: .number
    case .duration: .duration
    case .category: .select
    case .car, .vehicle, .rule, .route, .device: .text
    }
  }

  /// Name of the property in English.
  public var label: String {
    switch self {
    case .distance: "Distance"
    case .duration: "Duration"
    case .averageSpeed: "Average speed"
    case .topSpeed: "Top speed"
    case .car: "Car"
    case .vehicle: "Vehicle"
    case .category: "Category"
    case .rule: "Rule"
    case .businessDistance: "Business distance"
    case .route: "Route"
    case .device: "Device"
    case .fixes: "Fixes"
    }
  }
}

/// Rounds to one decimal place, because smaller differences are noise.
private func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }
