import Foundation
import TrendyInterchange
import TrendyModels
import TrendyProtocols
import TrendyTrips

/// Handlers for a year's mileage log and for odometer readings.
///
/// The numbers match those from `trendy trip report` and `trendy export mileage`.
struct MileageHandlers: Sendable {
  let records: HubRecords
  private let knownTrips = TripCache()

  init(records: HubRecords) { self.records = records }

  private var core: HubCore { records.core }
  private var clock: any TimeSource { records.clock }

  var routes: [HubRoute] {
    [
      HubRoute(
        .get, "mileage", name: "getMileage",
        summary: "Returns a year's trips, their totals by month and vehicle, and odometer values.",
        query: Self.ofYear,
        answers: [.json(200, "the log", .named("Mileage"))], .record(showMileage)),
      HubRoute(
        .get, "mileage/csv", name: "exportMileage", summary: "Exports a year's trips as CSV with 19 columns.",
        query: Self.ofYear,
        answers: [.init(status: 200, meaning: "the table", body: .file(["text/csv"]))], .record(exportMileage)),
      HubRoute(
        .get, "mileage/witnesses", name: "getWitnesses",
        summary: "Returns the trips that do not count, because another trip that counts recorded the same drive.",
        answers: [
          .json(
            200, "the trips",
            .object([
              .required("witnesses", .list(.object([.required("id", .string), .required("counted_id", .string)])))
            ]))
        ], .record(showWitnesses)),
      HubRoute(
        .post, "vehicles/{id}/odometer", name: "logOdometer", summary: "Records the odometer value of a vehicle.",
        body: .object([
          .required("id", .identifier), .required("odometer_m", .number(0...Double.greatestFiniteMagnitude)),
          .required("at", .date), .optional("time_zone", .string),
        ]), answers: [.json(201, "the odometer event", .entity(.event))],
        group: .entities, .record(logOdometer)),
    ]
  }

  private static let ofYear: [HubRoute.Parameter] = [
    .init("year", .integer(1...9998), "calendar year; default the current one"),
    .init("vehicle", .string, "id of a vehicle; default all"),
    .init("zone", .string, "IANA name of the time zone; default UTC"),
  ]

  private func showMileage(_ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    let span = try MileageSpan(call, now: clock.now)
    return .read { [self] reading in
      .json(MileageDocument(try trips(of: sender.user, reading), span).value)
    }
  }

  private func showWitnesses(_ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    .read { [self] reading in
      let witnesses = try trips(of: sender.user, reading).witnesses.countedIds.sorted { $0.key < $1.key }
      return .json([
        "witnesses": .array(witnesses.map { ["id": .string($0.key), "counted_id": .string($0.value)] })
      ])
    }
  }

  private func exportMileage(_ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    let span = try MileageSpan(call, now: clock.now)
    return .read { [self] reading in
      let user = try trips(of: sender.user, reading)
      let rows = user.trips.lazy.filter(span.contains).map(user.log.row)
      let text = MileageCSVWriter(secondsFromGMT: span.secondsFromGMT).string(rows)
      return HTTPResponse(
        type: "text/csv", .data(Data(text.utf8)),
        [("Content-Disposition", "attachment; filename=\"mileage-\(span.year).csv\"")])
    }
  }

  /// Records an odometer reading, like `trendy vehicle odometer log`. Idempotent for the same id and content.
  private func logOdometer(_ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    let body = try call.body()
    let (id, zone) = (try body.identifier("id"), try body.optionalString("time_zone"))
    let date = try body.moment("at")
    guard let metres = body.members["odometer_m"]?.doubleValue, (0...Self.maxMetres).contains(metres) else {
      throw Problem.invalid("odometer_m: expected 0 to \(Int(Self.maxMetres)) metres")
    }
    let now = clock.now
    return .write { [core] transaction in
      let vehicle = try core.entity(.vehicle, id: call.id, in: transaction)
      let type = try core.type(.odometer, by: sender.restDevice, of: sender.user, in: transaction, now: now)
      let event = Event(
        id: id, eventTypeId: type.id, timestamp: date, timeZone: zone,
        properties: [
          "odometer_m": PropertyValue(type: .number, value: .double(metres)),
          "car": PropertyValue(type: .text, value: .string(vehicle.fields["name"]?.value.stringValue ?? "")),
          "vehicle": PropertyValue(type: .text, value: .string(vehicle.id)),
        ])
      let entry = try core.create(
        .event, try WireJSON.members(of: event.createRequest), acceptsSame: true, by: sender.restDevice,
        in: transaction, now: now)
      return .json(.object(entry.document(user: sender.user)), status: 201)
    }
  }

  /// Maximum odometer reading in metres: ten million kilometres.
  private static let maxMetres = 1e10

  private func trips(of user: String, _ reading: any HubReadTransaction) throws -> UserTrips {
    try knownTrips.trips(of: user, reading)
  }
}

/// A calendar year in a time zone, for one vehicle or for all vehicles.
struct MileageSpan {
  let year: Int
  let vehicleId: String?
  private let local: LocalTime

  init(_ call: HubCall, now: Date) throws(Problem) {
    local = try LocalTime(call)
    year = Int(try call.integer("year", in: 1...9998, default: Int64(local.date(of: now).year)))
    vehicleId = call.text("vehicle")
  }

  var zone: String { local.zoneName ?? "UTC" }

  func date(of moment: Date) -> CivilDate { local.date(of: moment) }

  var secondsFromGMT: @Sendable (Date) -> Int { { [local] in local.components(of: $0).secondsFromGMT } }

  func isOfVehicle(_ trip: TripEvent) -> Bool { vehicleId == nil || trip.vehicleId == vehicleId }

  /// Returns whether a trip began in the year and was made with the vehicle.
  func contains(_ trip: TripEvent) -> Bool { isOfVehicle(trip) && date(of: trip.start).year == year }
}

extension HubCore {
  /// Returns a built-in type, creating it if necessary.
  func type(
    _ builtIn: BuiltInType, by device: String, of user: String, in transaction: any HubTransaction, now: Date
  ) throws -> EventType {
    let types = try transaction.living(kind: SyncedKind.eventType.name, offset: 0, limit: .max).map {
      let wire: APIEventType = try $0.decoded(user: user)
      return EventType(wire)
    }
    return try builtIn.find(among: types) { type, definitions in
      do {
        _ = try create(.eventType, try WireJSON.members(of: type.createRequest), by: device, in: transaction, now: now)
      } catch let problem as Problem where problem.kind == "entity_deleted" {
        return false
      }
      for definition in definitions {
        _ = try create(
          .propertyDefinition, try WireJSON.members(of: definition.createRequest), by: device, in: transaction, now: now
        )
      }
      return true
    }
  }
}
