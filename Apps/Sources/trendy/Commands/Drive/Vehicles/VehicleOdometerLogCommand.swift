import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels
import TrendyProtocols
import TrendyTrips

struct VehicleOdometerLogCommand: Command {
  static let spec = CommandSpec(
    "vehicle odometer log", .one("name", .vehicle, "vehicle"), .one("length", .text, "odometer reading"),
    summary: "Record an odometer reading.", group: .drive,
    examples: ["vehicle odometer log Octavia 48210km"],
    options: [OptionSpec("--at", value: "time", kind: .time, help: "time of the reading (default: now)")])

  struct Answer {
    var eventId: String
    var vehicle: Vehicle
    /// Highest earlier reading in metres, if there is one.
    var earlier: Double?
  }

  private let name: String
  /// Reading as typed, for the undo label.
  private let length: String
  private let metres: Double
  private let date: Date

  init(_ session: Session) throws {
    name = session.arguments.positionals[0]
    length = session.arguments.positionals[1]
    metres = try session.metres(length, of: "the odometer")
    date = try session.date(option: "--at") ?? session.now
  }

  func act(_ session: Session) throws -> Answer {
    let container = try session.openStore()
    let store = container.makeStore()
    let vehicle = try Lookup(store: store).vehicle(name)
    let type = try container.record.type(.odometer)
    let earlier = try store.events(in: nil, ofType: type.id, limit: nil)
      .compactMap { OdometerReading.of($0) }
      .filter { $0.vehicleId == vehicle.id && $0.reading.date <= date }.map(\.reading.meters).max()
    let event = Event(
      id: container.makeID(), eventTypeId: type.id, timestamp: date, timeZone: session.local.zoneName,
      properties: [
        "odometer_m": PropertyValue(type: .number, value: .double(metres)),
        "car": PropertyValue(type: .text, value: .string(vehicle.name)),
        "vehicle": PropertyValue(type: .text, value: .string(vehicle.id)),
      ])
    try container.record.perform("odometer of \(vehicle.name) at \(length)", [.event(event)])
    return Answer(eventId: event.id, vehicle: vehicle, earlier: earlier)
  }

  func show(_ answer: Answer, _ session: Session) -> ExitCode {
    if let earlier = answer.earlier, metres < earlier {
      session.console.talk(
        "This is below an earlier reading of \(session.units.distance(earlier)). "
          + "The odometer check ignores lower readings.")
    }
    if session.console.isJSON {
      session.console.document(
        "trendy.odometer/1",
        [
          ("id", .string(answer.eventId)), ("vehicle_id", .string(answer.vehicle.id)), ("odometer_m", .number(metres)),
          ("at", .string(session.local.rfc3339(date))),
        ])
    }
    session.console.done("\(answer.vehicle.name): \(session.units.distance(metres))")
    return .done
  }
}
