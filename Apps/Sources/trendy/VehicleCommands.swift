import TrendyAgent
import AppContainer
import CommandSupport
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TrendyModels
import TrendyProtocols
import TrendyTrips

private let vehicleOptions = [
  OptionSpec("--device", value: "id", help: "what tells that one sits in it; may be given again"),
  OptionSpec("--default", help: "it is meant where nothing tells which one it was"),
  OptionSpec("--colour", "--color", value: "#rrggbb", help: "its colour"),
  OptionSpec("--icon", value: "glyph", help: "its sign"),
  OptionSpec("--start-odometer", value: "length", help: "what its clock stood at before the first trip: 48210km"),
]

extension Command {
  static let vehicleCommands: [Command] = [
    Command(
      path: ["vehicle", "add"], arguments: "<name>", summary: "Make a vehicle that trips are counted for.",
      group: .drive,
      examples: ["vehicle add Octavia --default", "vehicle add Van --device phone --start-odometer 48210km"],
      options: vehicleOptions
    ) { session in
      let name = try session.positionals(1...1, missing: "the name")[0]
      guard session.isName(name) else {
        throw session.usageError("'\(name)' cannot be the name of a vehicle", hint: "One line of 1 to 128 bytes.")
      }
      let container = try session.openStore()
      let others = try container.makeStore().vehicles()
      if others.contains(where: { $0.isCalled(name) }) {
        throw session.usageError("There is a vehicle '\(name)' already")
      }
      // The first one is meant until another is.
      var vehicle = Vehicle(id: container.makeID(), name: name, isDefault: others.allSatisfy { !$0.isDefault })
      try apply(session, to: &vehicle)
      try save(vehicle, others: others, label: "add vehicle \(name)", container: container)
      return show([vehicle], schema: "trendy.vehicle/1", session: session)
    },
    Command(
      path: ["vehicle", "list"], arguments: "", summary: "The vehicles, with how far each was driven.", group: .drive,
      examples: ["vehicle list"]
    ) {
      session in
      let store = try session.openStore().makeStore()
      let vehicles = try store.vehicles()
      let trips = try store.trips(in: nil)
      return show(vehicles, trips: trips, schema: "trendy.vehicles/1", session: session)
    },
    Command(
      path: ["vehicle", "edit"], arguments: "<name>", summary: "Change a vehicle; only what is named changes.",
      group: .drive,
      examples: ["vehicle edit Van --name Bus"],
      options: vehicleOptions + [
        OptionSpec("--name", value: "text", help: "another name"),
        OptionSpec("--archive", help: "it is driven no more"),
        OptionSpec(
          "--clear", value: "field", help: "device, colour, icon, start-odometer or archive; may be given again"),
      ]
    ) { session in
      let name = try session.positionals(1...1, missing: "the name")[0]
      let container = try session.openStore()
      let store = container.makeStore()
      let old = try Lookup(store: store).vehicle(name)
      let others = try store.vehicles().filter { $0.id != old.id }
      var vehicle = old
      for field in session.arguments.all("--clear") {
        switch field {
        case "device": vehicle.deviceIds = []
        case "colour", "color": vehicle.colorHex = nil
        case "icon": vehicle.icon = nil
        case "start-odometer": vehicle.startOdometer = nil
        case "archive": vehicle.isArchived = false
        default:
          throw session.usageError(
            "There is no '\(field)' to clear", hint: "device, colour, icon, start-odometer or archive.")
        }
      }
      try apply(session, to: &vehicle)
      if let name = session.arguments.value("--name") {
        guard session.isName(name), !others.contains(where: { $0.isCalled(name) }) else {
          throw session.usageError(
            "'\(name)' cannot be its name", hint: "One line of 1 to 128 bytes that no other has.")
        }
        vehicle.name = name
      }
      if session.arguments.has("--archive") {
        vehicle.isArchived = true
        vehicle.isDefault = false
      }
      guard vehicle != old else { throw session.usageError("Nothing to change was named") }
      try save(vehicle, old: old, others: others, label: "edit vehicle \(old.name)", container: container)
      return show([vehicle], schema: "trendy.vehicle/1", session: session)
    },
    Command(
      path: ["vehicle", "rm"], arguments: "<name>", summary: "Delete a vehicle; its trips keep its name.",
      group: .drive,
      examples: ["vehicle rm Van"]
    ) { session in
      let name = try session.positionals(1...1, missing: "the name")[0]
      let container = try session.openStore()
      let vehicle = try Lookup(store: container.makeStore()).vehicle(name)
      try container.record.perform("delete vehicle \(vehicle.name)", [], before: [undoable(vehicle)])
      if session.console.isJSON {
        session.console.document("trendy.deleted/1", [("deleted", .array([.string(vehicle.id)]))])
      }
      session.console.done("Deleted: \(vehicle.name)")
      return .done
    },
    Command(
      path: ["vehicle", "odometer", "log"], arguments: "<name> <length>",
      summary: "Write down what a vehicle's clock says: 48210km.", group: .drive,
      examples: ["vehicle odometer log Octavia 48210km"],
      options: [OptionSpec("--at", value: "time", help: "when it was read (now)")]
    ) { session in
      let words = try session.positionals(2...2, missing: "the vehicle and what its clock says")
      let container = try session.openStore()
      let store = container.makeStore()
      let vehicle = try Lookup(store: store).vehicle(words[0])
      let metres = try session.metres(words[1], of: "the odometer")
      let date = try session.date(option: "--at") ?? session.now
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
      try container.record.perform("odometer of \(vehicle.name) at \(words[1])", [.event(event)])
      if let earlier, metres < earlier {
        session.console.talk(
          "That is below the \(LengthText.kilometres(earlier)) read before; a step back is passed over when trips are checked."
        )
      }
      if session.console.isJSON {
        session.console.document(
          "trendy.odometer/1",
          [
            ("id", .string(event.id)), ("vehicle_id", .string(vehicle.id)), ("odometer_m", .number(metres)),
            ("at", .string(session.local.rfc3339(date))),
          ])
      }
      session.console.done("\(vehicle.name): \(LengthText.kilometres(metres))")
      return .done
    },
    Command(
      path: ["vehicle", "odometer", "check"], arguments: "[<name>]",
      summary: "Whether the trips account for what the clock says; more than 2 % is a warning, and exit 1.",
      group: .drive,
      examples: ["vehicle odometer check", "vehicle odometer check Octavia"]
    ) { session in
      let words = try session.positionals(0...1, missing: "")
      let store = try session.openStore().makeStore()
      let lookup = Lookup(store: store)
      let vehicles = try words.first.map { [try lookup.vehicle($0)] } ?? store.vehicles()
      let checks = try vehicles.map { ($0, try OdometerCheck(of: $0, in: store)) }
      if session.console.isJSON {
        session.console.document(
          "trendy.odometer_check/1", [("vehicles", .array(checks.map { json($0, $1, session) }))])
      } else {
        for (vehicle, check) in checks { for line in lines(vehicle, check, session) { session.console.text(line) } }
      }
      return checks.contains { $0.1.isWarning } ? .no : .done
    },
  ]

  private static func apply(_ session: Session, to vehicle: inout Vehicle) throws {
    let devices = session.arguments.all("--device")
    for device in devices where !vehicle.deviceIds.contains(device) {
      guard session.isName(device) else { throw session.usageError("'\(device)' is no id of a device") }
      vehicle.deviceIds.append(device)
    }
    if session.arguments.has("--default") { vehicle.isDefault = true }
    if let colour = session.arguments.value("--colour") {
      guard colour.wholeMatch(of: /#[0-9A-Fa-f]{6}/) != nil else {
        throw session.usageError("'\(colour)' is no colour", hint: "Colours look like #7B4F2E.")
      }
      vehicle.colorHex = colour.uppercased()
    }
    if let icon = session.arguments.value("--icon") { vehicle.icon = icon }
    if let text = session.arguments.value("--start-odometer") {
      vehicle.startOdometer = try session.metres(text, of: "--start-odometer")
    }
  }

  private static func undoable(_ vehicle: Vehicle) -> Undoable {
    .record(SyncedRecord(id: vehicle.id, kind: .vehicle, fields: vehicle.fields))
  }

  /// With one that is meant where nothing tells, no other is.
  private static func save(
    _ vehicle: Vehicle, old: Vehicle? = nil, others: [Vehicle], label: String, container: AppContainer
  ) throws {
    var before = old.map { [undoable($0)] } ?? []
    var after = [undoable(vehicle)]
    if vehicle.isDefault {
      for var other in others where other.isDefault {
        before.append(undoable(other))
        other.isDefault = false
        after.append(undoable(other))
      }
    }
    try container.record.perform(label, after, before: before)
  }

  private static func show(
    _ vehicles: [Vehicle], trips: [TripEvent] = [], schema: String, session: Session
  ) -> ExitCode {
    func mileage(_ vehicle: Vehicle) -> Mileage { Mileage(of: trips.filter { $0.vehicleId == vehicle.id }) }
    func json(_ vehicle: Vehicle) -> JSONText {
      let driven = mileage(vehicle)
      return .object([
        ("id", .string(vehicle.id)), ("name", .string(vehicle.name)), ("color", .string(vehicle.colorHex)),
        ("icon", .string(vehicle.icon)), ("device_ids", .array(vehicle.deviceIds.map { .string($0) })),
        ("is_default", .bool(vehicle.isDefault)), ("archived", .bool(vehicle.isArchived)),
        ("start_odometer_m", .number(vehicle.startOdometer)), ("trips", .number(driven.trips)),
        ("total_m", .number(driven.total)),
      ])
    }
    switch session.console.format {
    case .json:
      if schema == "trendy.vehicle/1" {
        session.console.document(schema, [("vehicle", json(vehicles[0]))])
      } else {
        session.console.document(schema, [("vehicles", .array(vehicles.map(json)))])
      }
    case .ndjson: for vehicle in vehicles { session.console.data("\(json(vehicle))") }
    case .plain:
      for vehicle in vehicles {
        session.console.row([
          vehicle.id, vehicle.name, vehicle.isDefault ? "default" : "", vehicle.deviceIds.joined(separator: " "),
        ])
      }
    case .text:
      if vehicles.isEmpty { session.console.text("No vehicles yet. Make one: trendy vehicle add Van") }
      for vehicle in vehicles {
        let driven = mileage(vehicle)
        let parts = [
          vehicle.icon, vehicle.name, vehicle.isDefault ? "(default)" : nil, vehicle.isArchived ? "(archived)" : nil,
          driven.trips > 0 ? "\(driven.trips) trips" : nil,
          driven.trips > 0 ? LengthText.kilometres(driven.total) : nil,
          vehicle.deviceIds.isEmpty ? nil : "told by \(vehicle.deviceIds.joined(separator: ", "))",
        ]
        session.console.text((parts.compactMap(\.self) + [ShortID.of(vehicle.id)]).joined(separator: "  "))
      }
    }
    return .done
  }

  private static func json(_ vehicle: Vehicle, _ check: OdometerCheck, _ session: Session) -> JSONText {
    func stretch(_ stretch: OdometerCheck.Stretch) -> JSONText {
      .object([
        ("from", .string(session.local.rfc3339(stretch.from.date))),
        ("to", .string(session.local.rfc3339(stretch.to.date))), ("odometer_m", .number(stretch.driven)),
        ("trips_m", .number((stretch.trips * 10).rounded() / 10)),
        ("deviation", .number((stretch.deviation * 10_000).rounded() / 10_000)), ("warning", .bool(stretch.isWarning)),
      ])
    }
    return .object([
      ("vehicle_id", .string(vehicle.id)), ("name", .string(vehicle.name)), ("warning", .bool(check.isWarning)),
      ("whole", check.whole.map(stretch) ?? .null), ("stretches", .array(check.stretches.map(stretch))),
      ("ignored", .number(check.ignored.count)),
    ])
  }

  private static func lines(_ vehicle: Vehicle, _ check: OdometerCheck, _ session: Session) -> [String] {
    guard let whole = check.whole else {
      return ["\(vehicle.name): two readings are needed. trendy vehicle odometer log \(vehicle.name) 48210km"]
    }
    func line(_ stretch: OdometerCheck.Stretch) -> String {
      let percent = (stretch.deviation * 1000).rounded() / 10
      return
        "\(session.local.day(stretch.from.date)) – \(session.local.day(stretch.to.date))  clock "
        + "\(LengthText.kilometres(stretch.driven))  trips \(LengthText.kilometres(stretch.trips))  \(percent) %"
        + (stretch.isWarning ? "  more than 2 % off" : "")
    }
    var lines = ["\(vehicle.name)  \(line(whole))"]
    if check.stretches.count > 1 { lines += check.stretches.map { "  \(line($0))" } }
    if !check.ignored.isEmpty { lines.append("  \(check.ignored.count) below an earlier reading, passed over") }
    return lines
  }
}
