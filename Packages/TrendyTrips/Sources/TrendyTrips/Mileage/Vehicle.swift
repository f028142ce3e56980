public import TrendyModels

/// A car, a van, a bicycle: what trips are counted for.
public struct Vehicle: Hashable, Sendable, Identifiable {
  public let id: String
  public var name: String
  public var colorHex: String?
  public var icon: String?
  /// What tells that one sits in it: the id of its Bluetooth or CarPlay link, or of a tracker that stays in it.
  public var deviceIds: [String]
  /// Whether it is meant where nothing tells which one it was.
  public var isDefault: Bool
  /// Metres on the clock before the first trip.
  public var startOdometer: Double?
  public var isArchived: Bool

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

  /// A vehicle as it syncs; `nil` where it has no name.
  public init?(id: String, fields: [String: JSONValue]) {
    guard let name = fields["name"]?.stringValue else { return nil }
    self.init(
      id: id, name: name, colorHex: fields["color"]?.stringValue, icon: fields["icon"]?.stringValue,
      deviceIds: fields["device_ids"]?.arrayValue?.compactMap(\.stringValue) ?? [],
      isDefault: fields["is_default"]?.boolValue ?? false, startOdometer: fields["start_odometer_m"]?.doubleValue,
      isArchived: fields["archived"]?.boolValue ?? false)
  }

  /// The fields that it syncs; one that has no value is absent.
  public var fields: [String: JSONValue] {
    var fields: [String: JSONValue] = ["name": .string(name), "is_default": .bool(isDefault)]
    if let colorHex { fields["color"] = .string(colorHex) }
    if let icon { fields["icon"] = .string(icon) }
    if !deviceIds.isEmpty { fields["device_ids"] = .array(deviceIds.map { .string($0) }) }
    if let startOdometer { fields["start_odometer_m"] = .double(startOdometer) }
    // A field that is absent cannot be changed back: `null` is no value of it.
    fields["archived"] = .bool(isArchived)
    return fields
  }
}

/// Which vehicle a trip was made with, and what told.
public enum VehicleIdentity: Hashable, Sendable {
  /// Somebody said it.
  case named(Vehicle)
  /// Its link, or the tracker in it, recorded the trip.
  case device(Vehicle)
  /// Nothing told; it is the one that is meant then.
  case assumed(Vehicle)
  case unknown

  /// What was said comes before what recorded, that before the default.
  ///
  /// `name` is an id or a name that was said, and one that no vehicle has counts as not said; `devices` recorded the trip.
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
