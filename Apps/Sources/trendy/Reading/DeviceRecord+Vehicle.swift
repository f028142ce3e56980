import TrendyAgent
import TrendyTrips

extension DeviceRecord {
  /// Saves a vehicle as one undo step. If it is the default vehicle, the previous default is updated in the same step.
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
