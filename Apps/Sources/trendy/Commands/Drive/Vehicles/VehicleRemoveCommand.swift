import AppContainer
import CommandSupport
import TrendyAgent
import TrendyTrips

struct VehicleRemoveCommand: Command {
  static let spec = CommandSpec(
    "vehicle rm", .one("name", .vehicle, "name"), summary: "Delete a vehicle; its trips keep the name.",
    group: .drive, examples: ["vehicle rm Van"])

  private let name: String

  init(_ session: Session) { name = session.arguments.positionals[0] }

  struct Answer {
    var vehicle: Vehicle
    /// Number of trips that keep the deleted vehicle's name.
    var trips: Int
  }

  func act(_ session: Session) throws -> Answer {
    let container = try session.openStore()
    let store = container.makeStore()
    let vehicle = try Lookup(store: store).vehicle(name)
    let trips = try store.trips(in: nil).count { $0.vehicleId == vehicle.id }
    try container.record.perform("delete vehicle \(vehicle.name)", [], before: [.vehicle(vehicle)])
    return Answer(vehicle: vehicle, trips: trips)
  }

  func show(_ answer: Answer, _ session: Session) -> ExitCode {
    if session.console.isJSON {
      session.console.document("trendy.deleted/1", [("deleted", .array([.string(answer.vehicle.id)]))])
    }
    session.console.done("Deleted: \(answer.vehicle.name)")
    session.reportUndo(["\(Quantity(answer.trips, "trip")) keep\(answer.trips == 1 ? "s" : "") its name"])
    return .done
  }
}
