public import TrendyModels

/// Vehicle to which trips are assigned, such as a car or a bicycle.
public struct Vehicle: Hashable, Sendable, Identifiable {
  /// Id of the vehicle.
  public let id: String
  /// Name as the user entered it.
  public var name: String
  /// Colour as `#RRGGBB`.
  public var colorHex: String?
  /// Name of the icon.
  public var icon: String?
  /// Ids of the vehicle's Bluetooth or CarPlay connection, or of a tracker in it. These ids identify the vehicle of a
  /// trip.
  public var deviceIds: [String]
  /// Whether trips without other evidence are assigned to this vehicle.
  public var isDefault: Bool
  /// Odometer in metres before the first trip.
  public var startOdometer: Double?
  /// Whether the vehicle is no longer used.
  public var isArchived: Bool

  /// Creates a vehicle.
  public init(
    id: String, name: String, colorHex: String? = nil, icon: String? = nil, deviceIds: [String] = [],
    isDefault: Bool = false, startOdometer: Double? = nil, isArchived: Bool = false
  ) {
    self.id = id
    self.name = name
    self.colorHex = colorHex
    self.icon = icon
    self.deviceIds = deviceIds
    self.isDefault = isDefault
    self.startOdometer = startOdometer
    self.isArchived = isArchived
  }

  /// Decodes a synced vehicle. Returns `nil` if it has no name.
  public init?(id: String, fields: [String: JSONValue]) {
    guard let name = fields["name"]?.stringValue else { return nil }
    self.init(
      id: id, name: name, colorHex: fields["color"]?.stringValue, icon: fields["icon"]?.stringValue,
      deviceIds: fields["device_ids"]?.arrayValue?.compactMap(\.stringValue) ?? [],
      isDefault: fields["is_default"]?.boolValue ?? false, startOdometer: fields["start_odometer_m"]?.doubleValue,
      isArchived: fields["archived"]?.boolValue ?? false)
  }

  /// Fields to sync, without absent values.
  public var fields: [String: JSONValue] {
    var fields: [String: JSONValue] = ["name": .string(name), "is_default": .bool(isDefault)]
    if let colorHex { fields["color"] = .string(colorHex) }
    if let icon { fields["icon"] = .string(icon) }
    if !deviceIds.isEmpty { fields["device_ids"] = .array(deviceIds.map { .string($0) }) }
    if let startOdometer { fields["start_odometer_m"] = .double(startOdometer) }
    // Always include this field, because an archived vehicle could otherwise not be unarchived.
    fields["archived"] = .bool(isArchived)
    return fields
  }
}

/// Vehicle of a trip, with the evidence for it.
public enum VehicleIdentity: Hashable, Sendable {
  /// Named by the user.
  case named(Vehicle)
  /// Identified by its connection or its tracker.
  case device(Vehicle)
  /// Default vehicle, for lack of evidence.
  case assumed(Vehicle)
  case unknown

  /// Determines the vehicle: the named vehicle, else the vehicle with the recording device, else the default vehicle.
  public init(named name: String? = nil, devices: [String] = [], among vehicles: [Vehicle]) {
    let vehicles = vehicles.sorted { $0.id < $1.id }
    if let name, let vehicle = vehicles.first(where: { $0.id == name }) ?? vehicles.first(where: { $0.isCalled(name) })
    {
      self = .named(vehicle)
    } else if let vehicle = vehicles.first(where: { !Set($0.deviceIds).isDisjoint(with: devices) }) {
      self = .device(vehicle)
    } else if let vehicle = vehicles.first(where: { $0.isDefault && !$0.isArchived }) {
      self = .assumed(vehicle)
    } else {
      self = .unknown
    }
  }

  public var vehicle: Vehicle? {
    switch self {
    case .named(let vehicle), .device(let vehicle), .assumed(let vehicle): vehicle
    case .unknown: nil
    }
  }
}

extension Vehicle {
  public func isCalled(_ text: String) -> Bool { name.lowercased() == text.lowercased() }
}
