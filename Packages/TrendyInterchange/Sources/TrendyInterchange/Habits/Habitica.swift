import TrendyFoundation
import TrendyModels

/// Reads Habitica's user data in JSON: clicks on habits, completed dailies and completed to-dos.
///
/// The structure of a history is defined by `scoreTask` and `cron` in HabitRPG/habitica. A history has one entry for
/// each of the user's days, with the time of the last click. Old entries are averages over several days and are
/// skipped.
struct Habitica {
  private let options: ImportOptions
  /// Start of the user's day in seconds after midnight UTC. In the file, the preferences precede the tasks.
  private var dayStart = 0.0

  static func isBeginning(of head: ArraySlice<UInt8>) -> Bool {
    guard let members = JSONOutline(head.withoutLeadingSpace)?.members else { return false }
    return members["achievements"] != nil && (members["auth"] != nil || members["contributor"] != nil)
      || members["tasks"] != nil && members["tasksOrder"] != nil
  }

  static func read(_ input: ByteInput, _ options: ImportOptions, _ body: InterchangeFormat.Handler) throws {
    var reader = Habitica(options: options)
    try withoutActuallyEscaping(body) { body in
      try JSONWalker.walk(input) { path in
        switch path.count {
        case 0: .enter
        case 1: path[0] == "tasks" ? .enter : path[0] == "preferences" ? .take : .skip
        default: .each
        }
      } _: { path, value, place in
        switch path.first {
        case "preferences": reader.takePreferences(value)
        case "tasks" where path.count > 1: try reader.take(value, list: path[1], place, body)
        default: break
        }
      } onBroken: { reason, place in
        try body(.bad(reason: reason), place)
      }
    }
  }

  private init(options: ImportOptions) { self.options = options }

  private mutating func takePreferences(_ preferences: JSONValue) {
    // Minutes west of Greenwich, as in JavaScript.
    let west = preferences["timezoneOffset"]?.number ?? 0
    let hour = preferences["dayStart"]?.number ?? 0
    guard abs(west) <= 1440, (0..<24).contains(hour) else { return }
    dayStart = hour * 3600 + west * 60
  }

  // MARK: Tasks

  private func take(_ task: JSONValue, list: String, _ place: String, _ body: InterchangeFormat.Handler) throws {
    let name = FieldText.trim(task["text"]?.stringValue ?? "")
    guard let id = (task["_id"] ?? task["id"])?.stringValue, !name.isEmpty else {
      return try body(.bad(reason: "a task needs the fields id and text"), place)
    }
    switch list {
    case "habits":
      // Negative clicks are events of a second type, unless the habit can only be scored negatively.
      var check = FieldCheck()
      let isUp = check.read("up", task["up"]) { $0.boolValue }
      let isDown = check.read("down", task["down"]) { $0.boolValue }
      try check.report(at: place, body)
      let isBad = isUp == false && isDown == true
      try body(.type(ExternalType(name: name)), place)
      for (index, entry) in try history(of: task, place, body).enumerated() {
        try takeHabit(entry, id, name, isBad: isBad, "\(place).history[\(index)]", body)
      }
    case "dailys":
      var check = FieldCheck()
      try body(.type(ExternalType(name: name, goal: goal(of: task, &check))), place)
      try check.report(at: place, body)
      for (index, entry) in try history(of: task, place, body).enumerated() {
        try body(daily(entry, id, name), "\(place).history[\(index)]")
      }
    case "todos": try body(todo(task, id, name), place)
    case "rewards": try body(.skip(what: "reward"), place)
    default: try body(.bad(reason: "unknown kind of task '\(list.prefix(40))'"), place)
    }
  }

  private func history(
    of task: JSONValue, _ place: String, _ body: InterchangeFormat.Handler
  ) throws -> [JSONValue] {
    if let history = task["history"]?.arrayValue { return history }
    try body(.bad(reason: "the task has no history"), place)
    return []
  }

  /// Imports one entry of a habit's history.
  /// - Parameter isBad: whether the habit can only be scored negatively.
  private func takeHabit(
    _ entry: JSONValue, _ id: String, _ name: String, isBad: Bool, _ place: String, _ body: InterchangeFormat.Handler
  ) throws {
    guard let moment = entry["date"]?.moment else { return try body(.bad(reason: "an entry needs a date"), place) }
    var check = FieldCheck()
    let (up, down) = (check.number("scoredUp", in: entry), check.number("scoredDown", in: entry))
    if (up == nil) != (down == nil) { check.report("number of clicks", up == nil ? "scoredUp" : "scoredDown") }
    try check.report(at: place, body)
    let (ups, downs) = (up ?? 0, down ?? 0)
    guard ups > 0 || downs > 0 else { return try body(.skip(what: "entry without clicks"), place) }
    if ups > 0 { try body(.event(event(name, [id], moment, count: ups)), place) }
    if downs > 0 { try body(.event(event(isBad ? name : "\(name) (-)", [id, "-"], moment, count: downs)), place) }
  }

  private func daily(_ entry: JSONValue, _ id: String, _ name: String) -> InterchangeRecord {
    guard let moment = entry["date"]?.moment else { return .bad(reason: "an entry needs a date") }
    guard let isDone = entry["completed"]?.boolValue else { return .skip(what: "averaged days of a daily") }
    return isDone ? .event(event(name, [id], moment, count: 1)) : .skip(what: "missed day of a daily")
  }

  private func todo(_ task: JSONValue, _ id: String, _ name: String) -> InterchangeRecord {
    guard task["completed"]?.boolValue == true else { return .skip(what: "open to-do") }
    guard let moment = task["dateCompleted"]?.moment else { return .bad(reason: "a completed to-do needs a date") }
    var event = ExternalEvent(typeName: "Task", key: ["habitica", id], timestamp: moment)
    event.isKeyUnique = true
    event.timeZone = options.zone.name
    event.title = name
    event.notes = ([name] + [task["notes"]?.stringValue ?? ""]).filter { !$0.isEmpty }.joined(separator: "\n")
    return .event(event)
  }

  private func event(_ name: String, _ id: [String], _ moment: Date, count: Double) -> ExternalEvent {
    // Use only the date in the key, because a later click on the same day changes the time of the entry.
    let day = Int(((moment.timeIntervalSince1970 - dayStart) / 86_400).rounded(.down))
    var event = ExternalEvent(
      typeName: name, key: ["habitica"] + id + ["\(CivilDate(daysSince1970: day))"], timestamp: moment)
    event.timeZone = options.zone.name
    if count != 1 { event.properties["count"] = .number(count) }
    return event
  }

  /// Returns the goal of a daily that is due every day or on certain weekdays, or `nil` for other schedules.
  private func goal(of daily: JSONValue, _ check: inout FieldCheck) -> Goal? {
    let frequency = check.read("frequency", daily["frequency"]) { value in
      ["daily", "weekly", "monthly", "yearly"].first { .string($0) == value }
    }
    let week = (daily["repeat"]?.objectValue ?? [:]).sorted { $0.key < $1.key }.compactMap { name, value in
      check.read("repeat", value) { $0.boolValue }
    }
    guard check.number("everyX", in: daily) == 1 else { return nil }
    if frequency == "daily" { return Goal(1, per: .day) }
    guard frequency == "weekly" else { return nil }
    switch week.count(where: { $0 }) {
    case 0: return nil
    case 7: return Goal(1, per: .day)
    case let days: return Goal(days, per: .week)
    }
  }
}
