import CommandSupport
import TrendyTrips

struct VehicleText {
  private let vehicle: Vehicle
  private let driven: Mileage

  /// Creates a formatter. Trips with other vehicles are ignored.
  init(_ vehicle: Vehicle, trips: [TripEvent] = []) {
    self.vehicle = vehicle
    driven = Mileage(of: trips.filter { $0.vehicleId == vehicle.id })
  }

  func show(_ session: Session) {
    switch session.console.format {
    case .json, .ndjson: session.console.data("\(json)")
    case .plain: session.console.row(plain)
    case .text: session.console.text(line(session.units))
    }
  }

  var json: JSONText {
    .object([
      ("id", .string(vehicle.id)), ("name", .string(vehicle.name)), ("color", .string(vehicle.colorHex)),
      ("icon", .string(vehicle.icon)), ("device_ids", .array(vehicle.deviceIds.map { .string($0) })),
      ("is_default", .bool(vehicle.isDefault)), ("archived", .bool(vehicle.isArchived)),
      ("start_odometer_m", .number(vehicle.startOdometer)), ("trips", .number(driven.trips)),
      ("total_m", .number(driven.total)),
    ])
  }

  private var plain: [String] {
    [vehicle.id, vehicle.name, vehicle.isDefault ? "default" : "", vehicle.deviceIds.joined(separator: " ")]
  }

  func line(_ units: Units) -> StyledText {
    let (isDriven, devices) = (driven.trips > 0, vehicle.deviceIds.joined(separator: ", "))
    let parts = [
      vehicle.icon.map { StyledText.Part($0) }, StyledText.Part(vehicle.name, rank: .name),
      vehicle.isDefault ? StyledText.Part("(default)") : nil, vehicle.isArchived ? StyledText.Part("(archived)") : nil,
      isDriven ? StyledText.Part("\(Quantity(driven.trips, "trip"))", rank: .detail) : nil,
      isDriven ? StyledText.Part(units.distance(driven.total)) : nil,
      devices.isEmpty ? nil : StyledText.Part("devices: \(devices)", rank: .note),
      StyledText.Part(ShortID.of(vehicle.id), .dim, rank: .id),
    ]
    return StyledText(parts.compactMap(\.self))
  }
}
