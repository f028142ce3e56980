public import TrendyFoundation
public import TrendyModels

/// The groups of a health record that become events.
public enum HealthCategory: String, Hashable, Sendable, CaseIterable, Codable {
  case workout
  case sleep
  case mindfulness
  case water
  case steps
  case activeEnergy = "active-energy"

  /// What a person calls it.
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

  /// Properties that events of this category can have, in the order in which they are shown.
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

/// An event that a health export tells of.
///
/// Properties are in seconds, metres, kilocalories and millilitres, whatever units the file uses.
public struct HealthEvent: Hashable, Sendable {
  public var category: HealthCategory
  /// The same for the same fact in every export: category and times to the second, or category and date.
  public var key: String
  /// When it began; of an all-day event midnight UTC of its date.
  public var start: Date
  /// `nil` for a moment, and for all-day events.
  public var end: Date?
  /// Of an all-day event.
  public var date: CivilDate?
  /// IANA name, where the file tells one.
  public var timeZone: String?
  /// Seconds east of Greenwich where it happened, as far as the file tells.
  public var secondsFromGMT: Int
  public var properties: [String: PropertyValue]
  /// Paths of GPX files of the way, relative to the folder of the export.
  public var routes: [String] = []
  /// Line in the file, from 1; `nil` for what many lines together tell.
  public var line: Int?
}
