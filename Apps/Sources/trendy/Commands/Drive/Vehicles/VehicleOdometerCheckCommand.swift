import AppContainer
import CommandSupport
import TrendyModels
import TrendyTrips

struct VehicleOdometerCheckCommand: Command {
  static let spec = CommandSpec(
    "vehicle odometer check", .optional("name", .vehicle),
    summary: "Compare trips with odometer readings; exit with status 1 if they differ by more than 2 %.",
    group: .drive, examples: ["vehicle odometer check", "vehicle odometer check Octavia"])

  struct Checked {
    var vehicle: Vehicle
    var check: OdometerCheck
  }

  /// Name of the vehicle to check, or `nil` for all vehicles.
  private let name: String?

  init(_ session: Session) { name = session.arguments.positionals.first }

  func act(_ session: Session) throws -> [Checked] {
    let store = try session.openStore().makeStore()
    let vehicles = try name.map { [try Lookup(store: store).vehicle($0)] } ?? store.vehicles()
    return try vehicles.map { Checked(vehicle: $0, check: try OdometerCheck(of: $0, in: store)) }
  }

  func show(_ answer: [Checked], _ session: Session) -> ExitCode {
    if session.console.isJSON {
      session.console.document(
        "trendy.odometer_check/1", [("vehicles", .array(answer.map { $0.json(in: session.local) }))])
    } else {
      for checked in answer {
        for line in checked.lines(in: session.local, session.units) { session.console.text(line) }
      }
    }
    return answer.contains { $0.check.isWarning } ? .no : .done
  }
}

extension VehicleOdometerCheckCommand.Checked {
  fileprivate func json(in local: LocalTime) -> JSONText {
    .object([
      ("vehicle_id", .string(vehicle.id)), ("name", .string(vehicle.name)), ("warning", .bool(check.isWarning)),
      ("whole", check.whole.map { $0.json(in: local) } ?? .null),
      ("stretches", .array(check.stretches.map { $0.json(in: local) })), ("ignored", .number(check.ignored.count)),
    ])
  }

  fileprivate func lines(in local: LocalTime, _ units: Units) -> [String] {
    guard let whole = check.whole else {
      return [
        "\(vehicle.name): needs two readings. Add one: trendy vehicle odometer log \(ShellWords.quoted(vehicle.name)) 48210km"
      ]
    }
    var lines = ["\(vehicle.name)  \(whole.line(in: local, units))"]
    if check.stretches.count > 1 { lines += check.stretches.map { "  \($0.line(in: local, units))" } }
    if !check.ignored.isEmpty {
      lines.append("  Ignored \(Quantity(check.ignored.count, "reading")) below an earlier one.")
    }
    return lines
  }
}

extension OdometerCheck.Stretch {
  fileprivate func json(in local: LocalTime) -> JSONText {
    .object([
      ("from", .string(local.rfc3339(from.date))), ("to", .string(local.rfc3339(to.date))),
      ("odometer_m", .number(driven)), ("trips_m", .number((trips * 10).rounded() / 10)),
      ("deviation", .number((deviation * 10_000).rounded() / 10_000)), ("warning", .bool(isWarning)),
    ])
  }

  fileprivate func line(in local: LocalTime, _ units: Units) -> String {
    let percent = (deviation * 100).text(decimals: 1)
    return "\(local.day(from.date)) – \(local.day(to.date))  odometer \(units.distance(driven))  "
      + "trips \(units.distance(trips))  \(percent) %" + (isWarning ? "  differs by more than 2 %" : "")
  }
}
