public import TrendyFoundation
public import TrendyModels

/// Groups of health data that are imported as events.
public enum HealthCategory: String, Hashable, Sendable, CaseIterable, Codable {
  case workout
  case sleep
  case mindfulness
  case water
  case steps
  case activeEnergy = "active-energy"

  /// Display name, and default name of the event type.
  public var name: String {
    switch self {
    case .workout: "Workout"
    case .sleep: "Sleep"
    case .mindfulness: "Mindfulness"
    case .water: "Water"
    case .steps: "Steps"
    case .activeEnergy: "Active energy"
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
    }
  }
}

/// Event of a health export.
///
/// Properties are in seconds, metres, kilocalories and millilitres, independently of the units in the file.
public struct HealthEvent: Hashable, Sendable {
  public var category: HealthCategory
  /// Natural key, identical in every export: category and times in seconds, or category and date.
  public var key: String
  /// Start; for an all-day event midnight UTC of its date.
  public var start: Date
  /// End; `nil` for an instant and for an all-day event.
  public var end: Date?
  /// Date of an all-day event; otherwise `nil`.
  public var date: CivilDate?
  /// IANA name of the time zone, if the file contains it.
  public var timeZone: String?
  /// UTC offset in seconds at the place of the event; `nil` if the file does not contain it.
  public var secondsFromGMT: Int
  public var properties: [String: PropertyValue]
  /// Paths of the GPX files with the route, relative to the folder of the export.
  public var routes: [String] = []
  /// Line in the file, from 1; `nil` for an event made from many lines.
  public var line: Int?
}
