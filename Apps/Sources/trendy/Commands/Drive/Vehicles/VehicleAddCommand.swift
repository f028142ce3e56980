import AppContainer
import CommandSupport
import TrendyAgent
import TrendyTrips

struct VehicleAddCommand: Command {
  static let spec = CommandSpec(
    "vehicle add", .one("name", .text, "name"), summary: "Add a vehicle.",
    group: .drive,
    examples: ["vehicle add Octavia --default", "vehicle add Van --device phone --start-odometer 48210km"],
    options: VehicleOptions.all, columns: .vehicleColumns)

  private let name: String
  private let options: VehicleOptions

  init(_ session: Session) throws {
    name = session.arguments.positionals[0]
    guard session.isName(name) else {
      throw session.usageError("Invalid vehicle name '\(name)'", hint: "\(Session.nameRule).")
    }
    options = try VehicleOptions(session)
  }

  func act(_ session: Session) throws -> OneVehicle {
    let container = try session.openStore()
    let others = try container.makeStore().vehicles()
    if others.contains(where: { $0.isCalled(name) }) {
      throw session.usageError("A vehicle '\(name)' already exists")
    }
    // The first vehicle becomes the default, which the user can change later.
    var vehicle = Vehicle(id: container.makeID(), name: name, isDefault: others.allSatisfy { !$0.isDefault })
    options.apply(to: &vehicle)
    try container.record.save(vehicle, others: others, label: "add vehicle \(name)")
    return OneVehicle(vehicle: vehicle)
  }

  func show(_ answer: OneVehicle, _ session: Session) -> ExitCode { answer.show(session) }
}
