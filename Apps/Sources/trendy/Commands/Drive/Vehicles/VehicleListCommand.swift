import AppContainer
import CommandSupport
import TrendyTrips

struct VehicleListCommand: Command {
  static let spec = CommandSpec(
    "vehicle list", summary: "List vehicles with their total distances.", group: .drive, examples: ["vehicle list"],
    columns: .vehicleColumns)

  init(_ session: Session) {}

  func act(_ session: Session) throws -> VehicleList {
    let store = try session.openStore().makeStore()
    return VehicleList(vehicles: try store.vehicles(), trips: try store.countedTrips(in: nil))
  }

  func show(_ answer: VehicleList, _ session: Session) -> ExitCode { answer.show(session) }
}
