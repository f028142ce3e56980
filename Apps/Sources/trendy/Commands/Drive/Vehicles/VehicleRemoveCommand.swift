import AppContainer
import CommandSupport
import TrendyAgent
import TrendyTrips

/// `trendy vehicle rm`
struct VehicleRemoveCommand: Command {
  static let spec = CommandSpec(
    "vehicle rm", .one("name", .vehicle, "name"), summary: "Delete a vehicle; its trips keep the name.",
    group: .drive, examples: ["vehicle rm Van"])

  private let name: String

  init(_ session: Session) { name = session.arguments.positionals[0] }

  func act(_ session: Session) throws -> Vehicle {
    let container = try session.openStore()
    let vehicle = try Lookup(store: container.makeStore()).vehicle(name)
    try container.record.perform("delete vehicle \(vehicle.name)", [], before: [.vehicle(vehicle)])
    return vehicle
  }

  func show(_ answer: Vehicle, _ session: Session) -> ExitCode {
    if session.console.isJSON {
      session.console.document("trendy.deleted/1", [("deleted", .array([.string(answer.id)]))])
    }
    session.console.done("Deleted: \(answer.name)")
    return .done
  }
}
