public import TrendyModels
public import TrendyTrips

/// Generated sample data for a fictional user, for demonstrations.
///
/// The data is determined by the seed and the days. Some correlations are intended: stretching follows a run, headaches
/// follow wine on the previous day, and reading and television exclude each other. All other series are independent.
public struct SampleRecord: Sendable {
  /// Event type with its properties.
  public struct DefinedType: Sendable {
    public let type: EventType
    public let definitions: [PropertyDefinition]
  }

  /// Days with events. The last day is today.
  public let days: ClosedRange<CivilDate>
  /// Calendar of the fictional user.
  public let local: LocalTime
  /// All event types, including the trip type.
  public let types: [DefinedType]
  public let places: [Geofence]
  /// Two weeks without runs each summer.
  public let holidays: [ClosedRange<CivilDate>]
  /// Vehicle used for all trips.
  public let vehicle: Vehicle

  let seed: UInt64
  let tripType: EventType

  /// Creates sample data for `count` days, at least 1, the last of which is today.
  /// - Throws: errors from creating the trip type, which cannot occur here.
  public init(seed: UInt64, today: CivilDate, days count: Int, local: LocalTime) throws {
    precondition(count > 0, "\(count) days of sample data")
    self.seed = seed
    self.local = local
    let days = today.advanced(by: 1 - count)...today
    self.days = days
    holidays = (days.lowerBound.year...today.year)
      .map { CivilDate(year: $0, month: 7, day: 13)...CivilDate(year: $0, month: 7, day: 26) }
      .filter { days.contains($0.lowerBound) && days.contains($0.upperBound) }
    var tripDefinitions: [PropertyDefinition] = []
    tripType = try BuiltInType.trip.find(among: []) { _, definitions in
      tripDefinitions = definitions
      return true
    }
    types = Kind.allCases.map(\.defined) + [DefinedType(type: tripType, definitions: tripDefinitions)]
    places = Place.allCases.map(\.geofence)
    vehicle = Vehicle(
      id: NaturalKey.id(for: "sample", "vehicle"), name: "Blue car", colorHex: "#4A6FA5", isDefault: true,
      startOdometer: 38_200_000)
  }

  /// All events in chronological order.
  public var events: some Sequence<Event> { days.lazy.flatMap { events(on: $0) } }

  /// Event type that has no events on holidays.
  public var pausedType: EventType { Kind.run.defined.type }
}

extension SampleRecord {
  /// Event types that the fictional user records by hand.
  enum Kind: String, CaseIterable {
    case sleep, mood, coffee, medication, run, stretching, wine, headache, television, reading, meditation, plants,
      journal
    case call = "call mum"

    var id: String { NaturalKey.id(for: "sample", "event_type", rawValue) }

    var defined: DefinedType {
      let (color, icon, goal, properties) = description
      return DefinedType(
        type: EventType(id: id, name: rawValue, colorHex: color, iconName: icon, goal: goal),
        definitions: properties.enumerated().map { order, property in
          PropertyDefinition(
            id: NaturalKey.id(for: "sample", "property_definition", rawValue, property.key), eventTypeId: id,
            key: property.key, label: property.label, propertyType: property.type, options: property.options,
            displayOrder: order)
        })
    }

    private typealias Property = (key: String, label: String, type: PropertyType, options: [String])

    private var description: (color: String, icon: String, goal: Goal?, properties: [Property]) {
      switch self {
      case .sleep: ("#5B5F97", "☾", nil, [("quality", "From 1, bad, to 5, good", .number, [])])
      case .mood: ("#E0A030", "☺", nil, [("score", "From 1, bad, to 5, good", .number, [])])
      case .coffee:
        (
          "#7B4F2E", "☕", Goal(.atMost, 3, per: .day),
          [("count", "Cups", .number, []), ("size", "Cup size", .select, ["small", "large"])]
        )
      case .medication: ("#4A7FC1", "✚", Goal(1, per: .day), [])
      case .run: ("#D0503C", "⚑", Goal(3, per: .week), [("distance", "Kilometres", .number, [])])
      case .stretching: ("#C77B58", "↔", nil, [])
      case .wine: ("#8C2F4E", "◖", nil, [("count", "Glasses", .number, [])])
      case .headache: ("#7D7D7D", "⚡", nil, [])
      case .television: ("#3D6D8C", "▣", nil, [])
      case .reading: ("#5B8C5A", "❡", Goal(20 * 60, .duration, per: .day), [])
      case .meditation: ("#8E6BB0", "◌", nil, [])
      case .plants: ("#6B8E4E", "❀", nil, [])
      case .journal: ("#A0773C", "✎", nil, [])
      case .call: ("#B0567A", "☎", nil, [])
      }
    }
  }

  /// Start and destination of trips, in and around Utrecht.
  enum Place: String, CaseIterable {
    case home = "Home"
    case office = "Office"
    case client = "Client"

    var coordinate: Coordinate {
      switch self {
      case .home: Coordinate(latitude: 52.0907, longitude: 5.1214)
      case .office: Coordinate(latitude: 52.1561, longitude: 5.3878)
      case .client: Coordinate(latitude: 51.9851, longitude: 5.8987)
      }
    }

    var geofence: Geofence {
      Geofence(
        id: NaturalKey.id(for: "sample", "geofence", rawValue), name: rawValue, latitude: coordinate.latitude,
        longitude: coordinate.longitude, radius: 150, role: self == .office ? "office" : nil)
    }
  }
}
