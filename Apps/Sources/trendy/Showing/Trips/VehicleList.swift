import CommandSupport
import TrendyTrips

struct VehicleList {
  var vehicles: [Vehicle]
  /// Trips for computing total distances.
  var trips: [TripEvent]

  func show(_ session: Session) -> ExitCode {
    let texts = vehicles.map { VehicleText($0, trips: trips) }
    if session.console.format == .json {
      session.console.document("trendy.vehicles/1", [("vehicles", .array(texts.map(\.json)))])
      return .done
    }
    if texts.isEmpty { session.console.text("No vehicles yet. Add one: trendy vehicle add Van") }
    for text in texts { text.show(session) }
    return .done
  }
}

struct OneVehicle {
  var vehicle: Vehicle

  func show(_ session: Session) -> ExitCode {
    let text = VehicleText(vehicle)
    switch session.console.format {
    case .json: session.console.document("trendy.vehicle/1", [("vehicle", text.json)])
    case .text: session.console.done(text.line(session.units))
    case .ndjson, .plain: text.show(session)
    }
    return .done
  }
}
