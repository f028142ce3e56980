public import TrendyFoundation
public import TrendyModels

/// What a trip was for.
public enum TripCategory: String, Hashable, Sendable, Codable, CaseIterable {
  case business
  case `private`
  case mixed
}

/// What a rule is asked about a trip.
public struct TripFacts: Hashable, Sendable {
  /// The places at its start and at its end.
  public var ends: [Geofence]
  public var start: Date
  /// Of the clocks where it began, at that moment.
  public var secondsFromGMT: Int
  public var vehicleId: String?
  public var meters: Double
  /// Whether the person has a place of the role `office`, at either end or elsewhere.
  public var hasOffice: Bool

  public init(
    ends: [Geofence] = [], start: Date, secondsFromGMT: Int, vehicleId: String? = nil, meters: Double = 0,
    hasOffice: Bool = true
  ) {
    self.ends = ends
    self.start = start
    self.secondsFromGMT = secondsFromGMT
    self.vehicleId = vehicleId
    self.meters = meters
    self.hasOffice = hasOffice
  }

  /// 1 for Monday to 7 for Sunday, and seconds since midnight, both where the trip began.
  var moment: (weekday: Int, seconds: Double) {
    let local = start.timeIntervalSince1970 + Double(secondsFromGMT)
    let day = (local / 86_400).rounded(.down)
    // 1970 began on a Thursday.
    return (Int((day + 3).truncatingRemainder(dividingBy: 7) + 7) % 7 + 1, local - day * 86_400)
  }
}

/// One rule of a person: when all its conditions hold, a trip is of its category.
public struct TripRule: Hashable, Sendable, Identifiable {
  /// What must hold; what is not said holds always.
  public struct Conditions: Hashable, Sendable {
    /// One of these places, by their ids, at either end.
    public var placeIds: [String]?
    /// A place of this role at either end: `office`.
    public var role: String?
    /// 1 for Monday to 7 for Sunday, where the trip began.
    public var weekdays: [Int]?
    /// Seconds since midnight where the trip began, from the first to before the second; over midnight when the first is later.
    public var hours: Span?
    public var vehicleIds: [String]?
    /// Metres.
    public var minimumDistance: Double?

    public struct Span: Hashable, Sendable {
      public var from: Double
      public var to: Double

      public init(from: Double, to: Double) {
        self.from = from
        self.to = to
      }

      func contains(_ seconds: Double) -> Bool {
        from <= to ? from <= seconds && seconds < to : from <= seconds || seconds < to
      }
    }

    public init(
      placeIds: [String]? = nil, role: String? = nil, weekdays: [Int]? = nil, hours: Span? = nil,
      vehicleIds: [String]? = nil, minimumDistance: Double? = nil
    ) {
      self.placeIds = placeIds
      self.role = role
      self.weekdays = weekdays
      self.hours = hours
      self.vehicleIds = vehicleIds
      self.minimumDistance = minimumDistance
    }
  }

  public let id: String
  /// What a trip tells of why it is of its category.
  public var name: String
  /// Rules are asked from the lowest up.
  public var position: Double
  public var category: TripCategory
  public var conditions: Conditions
  public var isActive: Bool

  public init(
    id: String, name: String, position: Double, category: TripCategory, conditions: Conditions = Conditions(),
    isActive: Bool = true
  ) {
    self.id = id
    self.name = name
    self.position = position
    self.category = category
    self.conditions = conditions
    self.isActive = isActive
  }

  static let officeRole = "office"

  /// Those that decide while a person has an office and no rules of their own.
  public static let standard = [
    TripRule(
      id: "office", name: "office at either end", position: 1, category: .business,
      conditions: Conditions(role: officeRole)),
    TripRule(
      id: "weekend", name: "weekend", position: 2, category: .private, conditions: Conditions(weekdays: [6, 7])),
    TripRule(id: "other", name: "any other day", position: 3, category: .business),
  ]

  /// The first rule that holds; the standard ones are asked where there are none. `nil` where none of one's own holds, and where
  /// there is neither an office nor a rule: of somebody who drives to no office nothing is known.
  public static func deciding(_ facts: TripFacts, among own: [TripRule]) -> TripRule? {
    (own.isEmpty ? (facts.hasOffice ? standard : []) : own).filter(\.isActive)
      .sorted { ($0.position, $0.id) < ($1.position, $1.id) }
      .first { $0.holds(for: facts) }
  }

  public func holds(for facts: TripFacts) -> Bool {
    if let placeIds = conditions.placeIds, !facts.ends.contains(where: { placeIds.contains($0.id) }) { return false }
    if let role = conditions.role, !facts.ends.contains(where: { $0.role == role }) { return false }
    if let vehicleIds = conditions.vehicleIds, !vehicleIds.contains(facts.vehicleId ?? "") { return false }
    if let minimum = conditions.minimumDistance, facts.meters < minimum { return false }
    let moment = facts.moment
    if let weekdays = conditions.weekdays, !weekdays.contains(moment.weekday) { return false }
    return conditions.hours?.contains(moment.seconds) ?? true
  }
}

extension TripRule {
  /// A rule as it syncs; `nil` where a word of it is unknown, or a condition is: one that is left out would hold too often.
  public init?(id: String, fields: [String: JSONValue]) {
    guard let name = fields["name"]?.stringValue, let position = fields["position"]?.doubleValue,
      let category = fields["category"]?.stringValue.flatMap(TripCategory.init(rawValue:)),
      let conditions = Conditions(fields["conditions"] ?? .object([:]))
    else { return nil }
    self.init(
      id: id, name: name, position: position, category: category, conditions: conditions,
      isActive: fields["is_active"]?.boolValue ?? true)
  }

  public var fields: [String: JSONValue] {
    [
      "name": .string(name), "position": .double(position), "category": .string(category.rawValue),
      "conditions": conditions.value, "is_active": .bool(isActive),
    ]
  }
}

extension TripRule.Conditions {
  init?(_ value: JSONValue) {
    guard let members = value.objectValue else { return nil }
    self.init()
    for (name, value) in members {
      switch name {
      case "places": placeIds = value.arrayValue?.compactMap(\.stringValue)
      case "role": role = value.stringValue
      case "weekdays": weekdays = value.arrayValue?.compactMap { $0.intValue.flatMap { Int(exactly: $0) } }
      case "vehicles": vehicleIds = value.arrayValue?.compactMap(\.stringValue)
      case "minimum_distance_m": minimumDistance = value.doubleValue
      case "hours":
        guard let ends = value.arrayValue?.compactMap(\.doubleValue), ends.count == 2 else { return nil }
        hours = Span(from: ends[0], to: ends[1])
      default: return nil
      }
    }
  }

  var value: JSONValue {
    var members: [String: JSONValue] = [:]
    if let placeIds { members["places"] = .array(placeIds.map { .string($0) }) }
    if let role { members["role"] = .string(role) }
    if let weekdays { members["weekdays"] = .array(weekdays.map { .int(Int64($0)) }) }
    if let hours { members["hours"] = .array([.double(hours.from), .double(hours.to)]) }
    if let vehicleIds { members["vehicles"] = .array(vehicleIds.map { .string($0) }) }
    if let minimumDistance { members["minimum_distance_m"] = .double(minimumDistance) }
    return .object(members)
  }
}
