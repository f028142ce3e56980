import TrendyAgent
import TrendyModels
import TrendyTrips

extension AnyEntity {
  static func vehicle(_ vehicle: Vehicle) -> AnyEntity {
    .record(SyncedRecord(id: vehicle.id, kind: .vehicle, fields: vehicle.fields))
  }

  static func rule(_ rule: TripRule) -> AnyEntity {
    .record(SyncedRecord(id: rule.id, kind: .tripRule, fields: rule.fields))
  }
}
