public import TrendyFoundation
public import TrendyModels

/// Kinds of health data that are imported as events.
public enum HealthCategory: String, Hashable, Sendable, CaseIterable, Codable {
  case workout
  case sleep
  case mindfulness
  case water
  case steps
  case activeEnergy = "active-energy"
  case weight
  case heartRate = "heart-rate"
  case bloodPressure = "blood-pressure"

  /// Display name, which is also the default name of the event type.
  public var name: String {
    switch self {
    case .workout: "Workout"
    case .sleep: "Sleep"
    case .mindfulness: "Mindfulness"
    case .water: "Water"
    case .steps: "Steps"
    case .activeEnergy: "Active energy"
    case .weight: "Weight"
    case .heartRate: "Heart rate"
    case .bloodPressure: "Blood pressure"
    }
  }

  /// Properties that events of this category may have, in display order.
  public var properties: [(key: String, type: PropertyType)] {
    switch self {
    case .workout:
      [("activity", .select), ("duration", .duration), ("distance", .number), ("energy", .number), ("source", .text)]
    case .sleep:
      [
        ("duration", .duration), ("deep", .duration), ("core", .duration), ("rem", .duration), ("awake", .duration),
        ("night", .date), ("source", .text),
      ]
    case .mindfulness: [("duration", .duration), ("source", .text)]
    case .water: [("volume", .number), ("source", .text)]
    case .steps: [("steps", .number)]
    case .activeEnergy: [("energy", .number)]
    case .weight: [("weight", .number), ("unit", .text)]
    case .heartRate: [("heart_rate", .number), ("minimum", .number), ("maximum", .number), ("unit", .text)]
    case .bloodPressure: [("systolic", .number), ("diastolic", .number), ("unit", .text)]
    }
  }
}

/// Event from a health export.
///
/// Its properties are in seconds, metres, kilocalories, millilitres, kilograms, beats per minute and millimetres of
/// mercury, regardless of the units in the file.
public struct HealthEvent: Hashable, Sendable {
  public var category: HealthCategory
  /// Natural key, equal in every export: the category with the times in seconds, or with the date.
  public var key: String
  /// Start, or midnight UTC of the date for an all-day event.
  public var start: Date
  /// End, or `nil` for an instant and for an all-day event.
  public var end: Date?
  /// Date of an all-day event, or `nil` for other events.
  public var date: CivilDate?
  /// IANA name of the time zone, or `nil` if the file does not contain it.
  public var timeZone: String?
  /// UTC offset in seconds at the start of the event, or 0 for an all-day event.
  public var secondsFromGMT: Int
  public var properties: [String: PropertyValue]
  /// Paths of the GPX files that contain the route, relative to the folder of the export.
  public var routes: [String] = []
  /// Line number in the file, or `nil` for an event that combines many lines.
  public var line: Int?
}
