import Foundation
import TrendyModels
import TrendyTrips

/// A year's mileage as a wire document. Distances are in metres, rounded to a tenth.
struct MileageDocument {
  let value: JSONValue

  init(_ user: UserTrips, _ span: MileageSpan) {
    let byYear = Dictionary(grouping: user.trips.indices) { span.date(of: user.trips[$0].start).year }
    let ofYear = (byYear[span.year] ?? []).map { user.trips[$0] }
    let chosen = ofYear.filter(span.isOfVehicle)
    let months = Dictionary(grouping: chosen) { span.date(of: $0.start).month }
    let checked = user.vehicles.filter { span.vehicleId == nil || $0.id == span.vehicleId }
    value = [
      "year": .int(Int64(span.year)), "zone": .string(span.zone),
      "vehicle_id": span.vehicleId.map { .string($0) } ?? .null,
      "years": .array(byYear.keys.sorted().map { .int(Int64($0)) }),
      "total": .object(Mileage(of: chosen).members),
      "months": .array(
        (1...12).map { month in
          .object(Mileage(of: months[month] ?? []).members.merging(["month": .int(Int64(month))]) { $1 })
        }),
      "vehicles": .array(
        user.log.byVehicle(ofYear).map { vehicle in
          let id: JSONValue = vehicle.vehicleId.isEmpty ? .null : .string(vehicle.vehicleId)
          return .object(vehicle.mileage.members.merging(["vehicle_id": id, "name": .string(vehicle.name)]) { $1 })
        }),
      "odometers": .array(checked.map { Self.odometer(user.check(of: $0), of: $0) }),
      "rows": .array(chosen.map { Self.row(user.log.row($0), rule: $0.rule) }),
    ]
  }

  private static func odometer(_ check: OdometerCheck, of vehicle: Vehicle) -> JSONValue {
    [
      "vehicle_id": .string(vehicle.id), "name": .string(vehicle.name), "warning": .bool(check.isWarning),
      "whole": check.whole?.value ?? .null, "stretches": .array(check.stretches.map(\.value)),
      "ignored": .int(Int64(check.ignored.count)),
    ]
  }

  private static func row(_ row: MileageRow, rule: String?) -> JSONValue {
    func metres(_ value: Double?) -> JSONValue { value.map { .double(tenths($0)) } ?? .null }
    return [
      "id": .string(row.id), "start": .string(RFC3339.string(from: row.start)),
      "end": .string(RFC3339.string(from: row.end)), "from": .string(row.from), "to": .string(row.to),
      "distance_m": .double(tenths(row.distance)), "category": row.category.isEmpty ? .null : .string(row.category),
      "business_m": metres(row.business), "rule": rule.map { .string($0) } ?? .null, "vehicle": .string(row.vehicle),
      "start_odometer_m": metres(row.startOdometer), "end_odometer_m": metres(row.endOdometer),
      "notes": .string(row.notes),
    ]
  }
}

private func tenths(_ metres: Double) -> Double { (metres * 10).rounded() / 10 }

extension Mileage {
  fileprivate var members: [String: JSONValue] {
    [
      "trips": .int(Int64(trips)), "total_m": .double(tenths(total)), "business_m": .double(tenths(business)),
      "private_m": .double(tenths(self.private)), "unclassified_m": .double(tenths(unclassified)),
    ]
  }
}

extension OdometerCheck.Stretch {
  fileprivate var value: JSONValue {
    func reading(_ reading: OdometerReading) -> JSONValue {
      ["date": .string(RFC3339.string(from: reading.date)), "odometer_m": .double(tenths(reading.meters))]
    }
    return [
      "from": reading(from), "to": reading(to), "driven_m": .double(tenths(driven)), "trips_m": .double(tenths(trips)),
      "deviation": .double((deviation * 10_000).rounded() / 10_000), "warning": .bool(isWarning),
    ]
  }
}
