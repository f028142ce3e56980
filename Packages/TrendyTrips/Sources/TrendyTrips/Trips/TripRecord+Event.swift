import TrendyFoundation
public import TrendyModels

extension TripRecord {
  /// What the type of a trip's event is called.
  public static let eventTypeName = "Trip"

  /// The keys of the properties that ``event(eventTypeId:carName:)`` fills.
  public enum PropertyKey: String, Sendable, CaseIterable {
    /// Metres along the way, a number.
    case distance
    /// Seconds from start to end, a duration.
    case duration
    /// Metres a second, a number.
    case averageSpeed = "average_speed"
    /// Metres a second, a number; absent when nothing told.
    case topSpeed = "top_speed"
    /// Text; absent when no car is named.
    case car
    /// The id of the vehicle, a text.
    case vehicle
    /// Business, private or mixed, a select.
    case category
    /// The name of the rule that gave the category, a text; absent where a person did.
    case rule
    /// Metres of a mixed trip that were business, a number.
    case businessDistance = "business_distance"
    /// Encoded polyline of five decimals, text.
    case route
  }

  /// The event that this finished trip is; `nil` while the trip goes on.
  ///
  /// Its id is the trip's, which follows from device, start and place: written twice, it is one event.
  /// Its type is the one named ``eventTypeName``.
  public func event(eventTypeId: String, carName: String? = nil) -> Event? {
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
    if route.count > 1 { properties[.route] = PropertyValue(type: .text, value: .string(Polyline.encode(route))) }
    return Event(
      id: trip.id, eventTypeId: eventTypeId, timestamp: trip.startTime, endDate: endTime, sourceType: .trip,
      locationLatitude: trip.startCoordinate.latitude, locationLongitude: trip.startCoordinate.longitude,
      properties: Dictionary(uniqueKeysWithValues: properties.map { ($0.key.rawValue, $0.value) }))
  }

  /// The definitions of those properties, for the type that holds trips; `id` gives each its id.
  public static func propertyDefinitions(
    eventTypeId: String, id: (PropertyKey) -> String
  ) -> [PropertyDefinition] {
    PropertyKey.allCases.enumerated().map { order, key in
      PropertyDefinition(
        id: id(key), eventTypeId: eventTypeId, key: key.rawValue, label: key.label, propertyType: key.type,
        options: key == .category ? TripCategory.allCases.map(\.rawValue) : [], displayOrder: order)
    }
  }
}

extension TripRecord.PropertyKey {
  public var type: PropertyType {
    switch self {
    case .distance, .averageSpeed, .topSpeed, .businessDistance: .number
    case .duration: .duration
    case .category: .select
    case .car, .vehicle, .rule, .route: .text
    }
  }

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
    }
  }
}

/// To a decimetre, or a decimetre a second: what lies below is the receiver's noise.
private func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }
