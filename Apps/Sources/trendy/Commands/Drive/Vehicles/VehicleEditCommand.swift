import AppContainer
import CommandSupport
import TrendyAgent
import TrendyTrips

struct VehicleEditCommand: Command {
  static let spec = CommandSpec(
    "vehicle edit", .one("name", .vehicle, "name"), summary: "Change a vehicle; omitted fields stay unchanged.",
    group: .drive, examples: ["vehicle edit Van --name Bus"],
    options: VehicleOptions.all + [
      OptionSpec("--name", value: "text", kind: .text, help: "new name"),
      OptionSpec("--archive", help: "archive the vehicle"),
      Field.option,
    ], columns: .vehicleColumns)

  private enum Field: String, ClearableField {
    case device
    case colour
    case icon
    case startOdometer = "start-odometer"
    case archive

    init?(_ word: String) { self.init(rawValue: word == "color" ? "colour" : word) }
  }

  private let name: String
  private let cleared: [Field]
  private let options: VehicleOptions
  private let newName: String?
  private let isArchived: Bool

  init(_ session: Session) throws {
    name = session.arguments.positionals[0]
    cleared = try Field.named(session)
    options = try VehicleOptions(session)
    newName = session.arguments.value("--name")
    if let newName, !session.isName(newName) { throw Self.unusable(newName, session) }
    isArchived = session.arguments.has("--archive")
  }

  private static func unusable(_ name: String, _ session: Session) -> CommandError {
    session.usageError("Invalid vehicle name '\(name)'", hint: "\(Session.nameRule).")
  }

  func act(_ session: Session) throws -> OneVehicle {
    let container = try session.openStore()
    let store = container.makeStore()
    let old = try Lookup(store: store).vehicle(name)
    let others = try store.vehicles().filter { $0.id != old.id }
    if let newName, others.contains(where: { $0.isCalled(newName) }) {
      throw session.usageError("A vehicle '\(newName)' already exists")
    }
    let vehicle = edited(old)
    guard vehicle != old else {
      try session.reportNothingChanged(of: Self.spec.options)
      return OneVehicle(vehicle: vehicle)
    }
    try container.record.save(vehicle, replacing: old, others: others, label: "edit vehicle \(old.name)")
    return OneVehicle(vehicle: vehicle)
  }

  private func edited(_ old: Vehicle) -> Vehicle {
    var vehicle = old
    for field in cleared {
      switch field {
      case .device: vehicle.deviceIds = []
      case .colour: vehicle.colorHex = nil
      case .icon: vehicle.icon = nil
      case .startOdometer: vehicle.startOdometer = nil
      case .archive: vehicle.isArchived = false
      }
    }
    options.apply(to: &vehicle)
    if let newName { vehicle.name = newName }
    if isArchived {
      vehicle.isArchived = true
      vehicle.isDefault = false
    }
    return vehicle
  }

  func show(_ answer: OneVehicle, _ session: Session) -> ExitCode { answer.show(session) }
}
