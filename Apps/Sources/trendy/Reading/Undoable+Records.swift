import TrendyAgent
import TrendyModels
import TrendyTrips

extension Undoable {
  static func vehicle(_ vehicle: Vehicle) -> Undoable {
    .record(SyncedRecord(id: vehicle.id, kind: .vehicle, fields: vehicle.fields))
  }

  static func rule(_ rule: TripRule) -> Undoable {
    .record(SyncedRecord(id: rule.id, kind: .tripRule, fields: rule.fields))
  }
}
