import Foundation
import TrendyModels
import TrendyProtocols
import TrendyTrips

/// A trip entered by the user.
struct AddedTrip {
  let id: String
  let start: Date
  let end: Date
  let distance: Double
  /// Coordinates of start and end, of the start only, or none.
  let ends: [Coordinate]
  let zone: String?
  let vehicleId: String?
  let category: TripCategory?
  let notes: String?

  /// Maximum distance in metres: twice the circumference of the earth.
  private static let maxMetres = 8e7

  init(_ body: DocumentReader) throws(Problem) {
    id = try body.identifier("id")
    (start, end) = (try body.moment("start"), try body.moment("end"))
    guard end > start else { throw .invalid("end: expected a time after the start") }
    guard let metres = body.members["distance_m"]?.doubleValue, (0...Self.maxMetres).contains(metres) else {
      throw .invalid("distance_m: expected 0 to \(Int(Self.maxMetres)) metres")
    }
    distance = metres
    let (from, to) = (try Self.place("start_place", body), try Self.place("end_place", body))
    // A trip with an end coordinate needs a start coordinate as well.
    guard from != nil || to == nil else { throw .invalid("start_place: must be set together with end_place") }
    ends = [from, to].compactMap(\.self)
    zone = try body.optionalString("time_zone")
    vehicleId = try body.optionalString("vehicle_id")
    notes = try body.optionalString("notes")
    category = try body.optionalString("category").map(Self.category)
  }

  private static func category(_ word: String) throws(Problem) -> TripCategory {
    guard let category = TripCategory(rawValue: word) else {
      throw .invalid("category: expected business, private or mixed, found \"\(word.prefix(40))\"")
    }
    return category
  }

  private static func place(_ name: String, _ body: DocumentReader) throws(Problem) -> Coordinate? {
    guard let value = body.members[name], !value.isNull else { return nil }
    guard let members = value.objectValue, let latitude = members["latitude"]?.doubleValue,
      let longitude = members["longitude"]?.doubleValue,
      (-90...90).contains(latitude), (-180...180).contains(longitude)
    else { throw .invalid("\(body.at(name)): expected a latitude and a longitude") }
    return Coordinate(latitude: latitude, longitude: longitude)
  }
}

extension HubCore {
  func vehicle(_ id: String, in reading: any HubReadTransaction) throws -> Vehicle {
    let entry = try entity(.vehicle, id: id, in: reading)
    guard let vehicle = Vehicle(id: entry.id, fields: entry.fields.mapValues(\.value)) else {
      throw Problem.notFound(.vehicle, id)
    }
    return vehicle
  }

  /// Returns the event completed by the user's trip rules, for example with a category.
  func completing(_ event: Event, in reading: any HubReadTransaction) throws -> Event {
    let rules = try reading.living(kind: SyncedKind.tripRule.name, offset: 0, limit: .max)
      .compactMap { TripRule(id: $0.id, fields: $0.fields.mapValues(\.value)) }
    // The user has already chosen the vehicle, so no rule may set it.
    return TripEvent.completing(
      event, devices: [], vehicles: [], rules: rules.inAskingOrder, places: try reading.geofences())
  }
}
