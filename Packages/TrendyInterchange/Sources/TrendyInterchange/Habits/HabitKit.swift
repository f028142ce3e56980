import TrendyFoundation
import TrendyModels

/// Reads HabitKit's JSON export. Each day on which a habit was done becomes an all-day event.
enum HabitKit {
  static func isBeginning(of head: ArraySlice<UInt8>) -> Bool {
    let head = head.withoutLeadingSpace
    guard head.first == UInt8(ascii: "{"), let outline = JSONOutline(head) else { return false }
    guard outline.members["habits"] != nil else { return false }
    return outline.members["completions"] != nil || outline.innerMembers.isSuperset(of: ["id", "orderIndex"])
  }

  static func read(_ input: ByteInput, _ options: ImportOptions, _ body: InterchangeFormat.Handler) throws {
    // Read the whole file first, because a completion may precede its habit in the file.
    let bytes = try input.rest()
    guard let (_, file) = try JSONDocuments(bytes).values.first, let habits = file["habits"]?.arrayValue else {
      throw InterchangeError.unreadable(reason: "the file has no habits")
    }
    let goals = try goals(file["intervals"]?.arrayValue ?? [], body)
    var names: [String: String] = [:]
    for (index, habit) in habits.enumerated() {
      let place = "habits[\(index)]"
      guard let id = habit["id"]?.stringValue, let name = habit["name"]?.stringValue, !name.isEmpty else {
        try body(.bad(reason: "a habit needs an id and a name"), place)
        continue
      }
      names[id] = name
      // Do not set a goal for a habit that the user wants to break, because each recorded day is a lapse.
      let goal = habit["isInverse"]?.boolValue == true ? nil : goals[id]
      var check = FieldCheck()
      let color = check.read("color", habit["color"]) {
        $0.stringValue.flatMap { ExternalType(name: name, colorHex: colors[$0] ?? $0).colorHex }
      }
      try check.report(at: place, body)
      let icon = habit["emoji"]?.stringValue
      try body(.type(ExternalType(name: name, colorHex: color, icon: icon, goal: goal)), place)
    }
    let orphans = goals.keys.count { names[$0] == nil }
    if orphans > 0 { try body(.skip(what: "goal of an unknown habit", count: orphans), "intervals") }
    guard let completions = file["completions"]?.arrayValue else {
      return try body(.bad(reason: "the file has no completions"), "the file")
    }
    for (index, completion) in completions.enumerated() {
      var check = FieldCheck()
      try body(record(completion, names, options, &check), "completions[\(index)]")
      try check.report(at: "completions[\(index)]", body)
    }
  }

  /// Shade 500 of each colour in Tailwind CSS 3, by its name in the file.
  private static let colors = [
    "slate": "#64748B", "gray": "#6B7280", "zinc": "#71717A", "neutral": "#737373", "stone": "#78716C",
    "red": "#EF4444",
    "orange": "#F97316", "amber": "#F59E0B", "yellow": "#EAB308", "lime": "#84CC16", "green": "#22C55E",
    "emerald": "#10B981", "teal": "#14B8A6", "cyan": "#06B6D4", "sky": "#0EA5E9", "blue": "#3B82F6",
    "indigo": "#6366F1", "violet": "#8B5CF6", "purple": "#A855F7", "fuchsia": "#D946EF", "pink": "#EC4899",
    "rose": "#F43F5E",
  ]

  private static func record(
    _ completion: JSONValue, _ names: [String: String], _ options: ImportOptions, _ check: inout FieldCheck
  ) -> InterchangeRecord {
    guard let habit = completion["habitId"]?.stringValue, let moment = completion["date"]?.moment else {
      return .bad(reason: "a completion needs a habitId and a date")
    }
    guard let name = names[habit] else { return .skip(what: "completion of an unknown habit") }
    let amount = check.number("amountOfCompletions", in: completion) ?? 1
    guard amount > 0 else { return .skip(what: "completion with amount 0") }
    // The offset in minutes east of Greenwich determines the user's local date.
    let minutes = check.number("timezoneOffsetInMinutes", in: completion) ?? 0
    guard abs(minutes) <= 1440 else { return .bad(reason: "invalid time zone offset: \(minutes) minutes") }
    let seconds = moment.timeIntervalSince1970 + minutes * 60
    let day = CivilDate(daysSince1970: Int((seconds / 86_400).rounded(.down)))
    let id = completion["id"]?.stringValue.map { ["habitkit", $0] } ?? ["habitkit", habit, "\(day)"]
    var event = ExternalEvent(typeName: name, key: id, timestamp: options.zone.date(day))
    event.isAllDay = true
    event.timeZone = options.zone.name
    event.notes = completion["note"]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
    if amount != 1 { event.properties["count"] = amount == amount.rounded() ? whole(amount) : .number(amount) }
    return .event(event)
  }

  private static func whole(_ amount: Double) -> PropertyValue {
    PropertyValue(type: .number, value: Int64(exactly: amount).map { .int($0) } ?? .double(amount))
  }

  /// Returns the goals by habit id, from the intervals that have no end.
  private static func goals(
    _ intervals: [JSONValue], _ body: InterchangeFormat.Handler
  ) throws -> [String: Goal] {
    var goals: [String: Goal] = [:]
    for (index, interval) in intervals.enumerated() {
      var check = FieldCheck()
      let end = check.read("endDate", interval["endDate"]) { $0.moment }
      try check.report(at: "intervals[\(index)]", body)
      guard end == nil else { continue }
      let kind = interval["type"]?.stringValue
      let name = kind == "day" ? "requiredNumberOfCompletionsPerDay" : "requiredNumberOfCompletions"
      guard let habit = interval["habitId"]?.stringValue, kind == "day" || kind == "week",
        let amount = interval[name]?.intValue, (1...1_000_000).contains(amount)
      else {
        try body(.skip(what: "goal that is neither daily nor weekly"), "intervals[\(index)]")
        continue
      }
      goals[habit] = Goal(Int(amount), per: kind == "day" ? .day : .week)
    }
    return goals
  }
}
