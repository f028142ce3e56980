import Foundation
import TrendyInterchange
import TrendyModels
import TrendyProtocols
import TrendyTrips

// The mileage log of a year: the numbers of `trendy trip report` and `trendy export mileage`.

extension HubServer {
  /// Answers `/mileage`.
  func showMileage(_ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    let span = try MileageSpan(call, now: clock.now)
    return .read { [self] reading in
      .json(MileageDocument(try trips(of: sender.person, reading), span).value)
    }
  }

  /// Answers `/mileage/csv`.
  func exportMileage(_ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    let span = try MileageSpan(call, now: clock.now)
    return .read { [self] reading in
      let person = try trips(of: sender.person, reading)
      let rows = person.trips.lazy.filter(span.contains).map(person.log.row)
      let text = MileageCSVWriter(secondsFromGMT: span.secondsFromGMT).string(rows)
      return HTTPResponse(
        status: 200,
        headers: HTTPHeaders([
          ("Content-Type", "text/csv"), ("Content-Disposition", "attachment; filename=\"mileage-\(span.year).csv\""),
        ]), body: .data(Data(text.utf8)))
    }
  }
}

extension HubServer {
  private func trips(of person: String, _ reading: any HubReading) throws -> PersonTrips {
    try knownTrips.value(of: person, NoKey(), reading) { try PersonTrips(reading, person: person) }
  }
}

/// A year of the calendar of a zone, of one vehicle or of all.
struct MileageSpan {
  let year: Int
  let zone: String
  let vehicleId: String?
  private let rules: TimeZoneRules

  init(_ call: HubCall, now: Date) throws(Problem) {
    zone = call.text("zone") ?? "UTC"
    guard let rules = TimeZoneRules(named: zone) else {
      throw .invalid("zone: this hub knows no time zone \"\(zone.prefix(64))\"")
    }
    self.rules = rules
    let today = Self.date(of: now, rules)
    year = Int(try call.integer("year", in: 1...9998, default: Int64(today.year)))
    vehicleId = call.text("vehicle")
  }

  func date(of moment: Date) -> CivilDate { Self.date(of: moment, rules) }

  private static func date(of moment: Date, _ rules: TimeZoneRules) -> CivilDate {
    let seconds = moment.timeIntervalSince1970 + Double(rules.secondsFromGMT(at: moment))
    return CivilDate(daysSince1970: Int((seconds / 86_400).rounded(.down)))
  }

  var secondsFromGMT: @Sendable (Date) -> Int { { [rules] in rules.secondsFromGMT(at: $0) } }

  func isOfVehicle(_ trip: TripEvent) -> Bool { vehicleId == nil || trip.vehicleId == vehicleId }

  /// Whether a trip began in the year, with the vehicle.
  func contains(_ trip: TripEvent) -> Bool { isOfVehicle(trip) && date(of: trip.start).year == year }
}
