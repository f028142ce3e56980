import TrendyAgent
import TrendyTrips

extension DeviceRecord {
  /// Saves a vehicle. If it is the default vehicle, also updates the previous default, in the same undo step.
  func save(_ vehicle: Vehicle, replacing old: Vehicle? = nil, others: [Vehicle], label: String) throws {
    var before = old.map { [AnyEntity.vehicle($0)] } ?? []
    var after = [AnyEntity.vehicle(vehicle)]
    if vehicle.isDefault {
      for var other in others where other.isDefault {
        before.append(.vehicle(other))
        other.isDefault = false
        after.append(.vehicle(other))
      }
    }
    try perform(label, after, before: before)
  }
}
