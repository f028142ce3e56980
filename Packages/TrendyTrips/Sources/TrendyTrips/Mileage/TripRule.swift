public import TrendyFoundation
public import TrendyModels

/// Purpose of a trip.
public enum TripCategory: String, Hashable, Sendable, Codable, CaseIterable {
  case business
  case `private`
  case mixed
}

/// Properties of a trip to which rules can refer.
public struct TripFacts: Hashable, Sendable {
  /// Places at the start and at the end.
  public var ends: [Geofence]
  /// Departure time.
  public var start: Date
  /// UTC offset at the start in seconds.
  public var secondsFromGMT: Int
  /// Id of the vehicle.
  public var vehicleId: String?
  /// Path length in metres.
  public var meters: Double
  /// Whether any of the user's places has the role `office`.
  public var hasOffice: Bool

  /// Creates the properties of a trip.
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

  /// Local time of the start: weekday from 1 (Monday) to 7 (Sunday), and seconds since midnight.
  var moment: (weekday: Int, seconds: Double) {
    let local = start.timeIntervalSince1970 + Double(secondsFromGMT)
    let day = (local / 86_400).rounded(.down)
    // 1 January 1970 was a Thursday.
    return (Int((day + 3).truncatingRemainder(dividingBy: 7) + 7) % 7 + 1, local - day * 86_400)
  }
}

/// User-defined rule for classifying trips. A trip that meets all conditions is assigned the category.
public struct TripRule: Hashable, Sendable, Identifiable {
  /// Conditions of a rule. A condition that is `nil` is always met.
  public struct Conditions: Hashable, Sendable {
    /// Ids of places. The trip must start or end at one of them.
    public var placeIds: [String]?
    /// Role of a place where the trip must start or end: `office`.
    public var role: String?
    /// Local weekdays of the start, 1 (Monday) to 7 (Sunday).
    public var weekdays: [Int]?
    /// Local time of the start.
    public var hours: Span?
    /// Ids of vehicles. The trip must have been made with one of them.
    public var vehicleIds: [String]?
    /// Minimum path length in metres.
    public var minimumDistance: Double?

    /// Half-open range of seconds since midnight. Extends past midnight if `from` is greater than `to`.
    public struct Span: Hashable, Sendable {
      /// First second of the range.
      public var from: Double
      /// End of the range, exclusive.
      public var to: Double

      /// Creates a range.
      public init(from: Double, to: Double) {
        self.from = from
        self.to = to
      }

      func contains(_ seconds: Double) -> Bool {
        from <= to ? from <= seconds && seconds < to : from <= seconds || seconds < to
      }
    }

    /// Creates conditions.
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

  /// Id of the rule.
  public let id: String
  /// Name, displayed with the trips that the rule classified.
  public var name: String
  /// Precedence: lower positions are checked first.
  public var position: Double
  /// Category of matching trips.
  public var category: TripCategory
  /// Conditions of the rule.
  public var conditions: Conditions
  /// Whether the rule is applied.
  public var isActive: Bool

  /// Creates a rule.
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

  /// Default rules for a user who has an office but no rules.
  public static let standard = [
    TripRule(
      id: "office", name: "office at either end", position: 1, category: .business,
      conditions: Conditions(role: officeRole)),
    TripRule(
      id: "weekend", name: "weekend", position: 2, category: .private, conditions: Conditions(weekdays: [6, 7])),
    TripRule(id: "other", name: "any other day", position: 3, category: .business),
  ]

  /// Returns the first rule that matches, or `nil` if none does. If the user has no rules, the standard rules apply,
  /// provided that there is an office.
  public static func deciding(_ facts: TripFacts, among own: [TripRule]) -> TripRule? {
    (own.isEmpty ? (facts.hasOffice ? standard : []) : own).filter(\.isActive)
      .sorted { ($0.position, $0.id) < ($1.position, $1.id) }
      .first { $0.holds(for: facts) }
  }

  /// Returns whether a trip meets all conditions.
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
  /// Decodes a synced rule. Returns `nil` if a value or condition is unknown: ignoring a condition would match too many
  /// trips.
  public init?(id: String, fields: [String: JSONValue]) {
    guard let name = fields["name"]?.stringValue, let position = fields["position"]?.doubleValue,
      let category = fields["category"]?.stringValue.flatMap(TripCategory.init(rawValue:)),
      let conditions = Conditions(fields["conditions"] ?? .object([:]))
    else { return nil }
    self.init(
      id: id, name: name, position: position, category: category, conditions: conditions,
      isActive: fields["is_active"]?.boolValue ?? true)
  }

  /// Fields to sync.
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
