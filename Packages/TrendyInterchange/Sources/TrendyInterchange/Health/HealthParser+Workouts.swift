import TrendyFoundation
import TrendyModels

extension HealthParser {
  mutating func newWorkout() throws(XMLProblem) -> Workout? {
    var texts: [String: String] = [:]
    var (start, end) = (0..<0, 0..<0)
    for attribute in scanner.attributes {
      if scanner.matches(attribute.name, "startDate") {
        start = attribute.value
      } else if scanner.matches(attribute.name, "endDate") {
        end = attribute.value
      } else {
        texts[try scanner.string(attribute.name)] = try scanner.unescaped(attribute.value)
      }
    }
    guard let (from, to) = try period(start, end) else { return nil }
    func number(_ name: String, _ unit: (String) -> Double?) -> Double? {
      guard let text = texts[name], !text.isEmpty else { return nil }
      guard let value = FieldText.number(text), value >= 0, value < 1e9, let factor = unit(texts[name + "Unit"] ?? "")
      else {
        report("invalid \(name) \"\(text.prefix(40)) \((texts[name + "Unit"] ?? "").prefix(20))\": ignored")
        return nil
      }
      return value * factor
    }
    return Workout(
      activity: Self.activity(texts["workoutActivityType"] ?? ""), start: from, end: to,
      source: texts["sourceName"] ?? "", line: scanner.line(), duration: number("duration", HealthUnit.duration),
      distance: number("totalDistance", HealthUnit.length), energy: number("totalEnergyBurned", HealthUnit.energy))
  }

  mutating func beginPart(ofWorkoutAt depth: Int) throws(XMLProblem) {
    if routeDepth > 0 {
      if depth == routeDepth + 1, scanner.matches(scanner.name, "FileReference"), let path = try attribute("path") {
        addRoute(path)
      }
      return
    }
    // Elements at a deeper level belong to one leg of the workout.
    guard depth == workoutDepth + 1 else { return }
    if scanner.matches(scanner.name, "WorkoutStatistics") {
      let type = try attribute("type") ?? ""
      guard let sum = try attribute("sum").flatMap({ FieldText.number($0) }), sum >= 0, sum < 1e9 else { return }
      let unit = try attribute("unit") ?? ""
      if type.hasPrefix("HKQuantityTypeIdentifierDistance"), let factor = HealthUnit.length(unit) {
        workout?.addDistance(sum * factor)
      } else if type == "HKQuantityTypeIdentifierActiveEnergyBurned", let factor = HealthUnit.energy(unit) {
        workout?.addEnergy(sum * factor)
      }
    } else if scanner.matches(scanner.name, "WorkoutEvent") {
      try readWorkoutEvent()
    } else if scanner.matches(scanner.name, "WorkoutRoute") {
      routeDepth = depth
    } else if scanner.matches(scanner.name, "MetadataEntry"), let zone = try zoneOfMetadata() {
      workout?.zone = zone
    }
  }

  private mutating func readWorkoutEvent() throws(XMLProblem) {
    let type = try attribute("type") ?? ""
    guard let text = scanner.attributes.first(where: { scanner.matches($0.name, "date") }),
      let moment = HealthMoment(scanner.bytes(text.value))
    else { return }
    switch type {
    case "HKWorkoutEventTypePause", "HKWorkoutEventTypeMotionPaused":
      if workout?.pausedSince == nil { workout?.pausedSince = moment.seconds }
    case "HKWorkoutEventTypeResume", "HKWorkoutEventTypeMotionResumed":
      if let since = workout?.pausedSince { workout?.pausedSeconds += max(0, moment.seconds - since) }
      workout?.pausedSince = nil
    default: break
    }
  }

  /// Adds a route file unless its path is outside the export. The path starts with a slash and is relative to the
  /// export.
  private mutating func addRoute(_ path: String) {
    let path = String(path.drop { $0 == "/" })
    guard !path.isEmpty, !path.split(separator: "/").contains(".."), workout?.routes.count ?? 0 < 1000 else {
      return report("the route file \"\(path.prefix(80))\" is not in the export")
    }
    workout?.routes.append(path)
  }

  func event(of workout: Workout) -> HealthEvent {
    let length = workout.end.seconds - workout.start.seconds
    let paused = workout.pausedSeconds + (workout.pausedSince.map { max(0, workout.end.seconds - $0) } ?? 0)
    var properties: [String: PropertyValue] = [
      "activity": .select(workout.activity),
      "duration": .duration(Self.rounded(workout.duration ?? Double(max(0, length - paused)))),
    ]
    // Prefer the statistics, which replace these attributes in later versions of the export and are more accurate if a
    // file contains both.
    if let distance = workout.statisticsDistance ?? workout.distance {
      properties["distance"] = .number(Self.rounded(distance))
    }
    if let energy = workout.statisticsEnergy ?? workout.energy { properties["energy"] = .number(Self.rounded(energy)) }
    if !workout.source.isEmpty { properties["source"] = .text(workout.source) }
    return HealthEvent(
      category: .workout,
      key: "apple-health|workout|\(Self.text(workout.start.seconds))|\(Self.text(workout.end.seconds))",
      start: Self.date(workout.start.seconds), end: Self.date(workout.end.seconds), timeZone: name(of: workout.zone),
      secondsFromGMT: Int(offset(of: workout.start, in: workout.zone)), properties: properties, routes: workout.routes,
      line: workout.line)
  }

  /// Splits the name of an activity into words: `HKWorkoutActivityTypeTraditionalStrengthTraining` becomes "Traditional
  /// Strength Training".
  static func activity(_ type: String) -> String {
    let prefix = "HKWorkoutActivityType"
    let name = type.hasPrefix(prefix) ? String(type.dropFirst(prefix.count)) : type
    guard !name.isEmpty else { return "Other" }
    var words = ""
    var isAfterSmall = false
    for character in name.prefix(80) {
      if character.isUppercase, isAfterSmall { words += " " }
      words.append(character)
      isAfterSmall = character.isLowercase
    }
    return words
  }
}
