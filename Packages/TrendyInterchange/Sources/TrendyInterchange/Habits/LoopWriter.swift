public import TrendyModels

/// Writes events to an archive. The content of each file may depend on all events.
public protocol EventArchiveWriter {
  /// Adds an event that belongs to the given day of the user.
  mutating func take(_ event: Event, on day: CivilDate)
  /// Adds dates on which no events of a type are expected.
  mutating func take(daysOff: ClosedRange<CivilDate>, ofType id: String, note: String?)
  /// Returns the paths and contents of the files, in the order in which the archive should contain them.
  func files() -> [(path: String, content: String)]
}

/// Writes archives as Loop Habit Tracker 2.3.1 and later do, with one habit per type and one row per day.
///
/// If any event of a type has a `count`, or any day has several events, the value of a day is the sum of its events.
/// Otherwise, the value is a checkmark.
struct LoopWriter: EventArchiveWriter {
  private struct Day {
    var amount = 0.0
    var events = 0
    var isSkipped = false
    var notes: [String] = []
  }

  private struct Habit {
    var days: [CivilDate: Day] = [:]
    var isNumerical = false
  }

  let context: ExportContext
  private var habits: [String: Habit] = [:]

  init(context: ExportContext) { self.context = context }

  mutating func take(_ event: Event, on day: CivilDate) {
    let count = event.properties["count"]?.doubleValue
    habits[event.eventTypeId, default: Habit()].days[day, default: Day()].events += 1
    habits[event.eventTypeId]?.days[day]?.amount += count ?? 1
    if let note = event.notes, !note.isEmpty { habits[event.eventTypeId]?.days[day]?.notes.append(note) }
    if count != nil || habits[event.eventTypeId]?.days[day]?.events ?? 0 > 1 {
      habits[event.eventTypeId]?.isNumerical = true
    }
  }

  mutating func take(daysOff: ClosedRange<CivilDate>, ofType id: String, note: String?) {
    guard daysOff.count <= 36_600 else { return }
    for day in daysOff {
      habits[id, default: Habit()].days[day, default: Day()].isSkipped = true
      if let note, !note.isEmpty, habits[id]?.days[day]?.events == 0 { habits[id]?.days[day]?.notes.append(note) }
    }
  }

  func files() -> [(path: String, content: String)] {
    let sorted = habits.map { (name: context.types[$0.key]?.name ?? $0.key, id: $0.key, habit: $0.value) }
      .sorted { ($0.name, $0.id) < ($1.name, $1.id) }
    var table = TableText.line([
      "Position", "Name", "Type", "Question", "Description", "FrequencyNumerator", "FrequencyDenominator", "Color",
      "Unit", "Target Type", "Target Value", "Archived?",
    ])
    var files: [(path: String, content: String)] = []
    for (index, each) in sorted.enumerated() {
      let number = Self.padded(index + 1)
      table += TableText.line([number, each.name] + fields(of: each.habit, context.types[each.id]))
      let folder = FieldText.trim("\(number) \(Self.sanitized(each.name))")
      files.append(("\(folder)/Checkmarks.csv", checkmarks(each.habit)))
    }
    return [("Habits.csv", table)] + files
  }

  private func fields(of habit: Habit, _ type: EventType?) -> [String] {
    let goal = type?.goal.flatMap { $0.measure == .count ? $0 : nil }
    let isWeekly = goal?.period == .week
    let times = habit.isNumerical || !isWeekly ? 1 : min(goal?.amount ?? 1, 7)
    let target = habit.isNumerical ? "\(Double(goal?.amount ?? 0))" : "0.0"
    return [
      habit.isNumerical ? "NUMERICAL" : "YES_NO", "", "", "\(max(1, times))", isWeekly ? "7" : "1",
      type?.colorHex ?? "#6B7280", "", goal?.bound == .atMost ? "AT_MOST" : "AT_LEAST", target, "false",
    ]
  }

  private func checkmarks(_ habit: Habit) -> String {
    var text = TableText.line(["Date", "Value", "Notes"])
    for (day, held) in habit.days.sorted(by: { $1.key < $0.key }) {
      let value: String
      if held.events == 0 {
        value = "SKIP"
      } else if !habit.isNumerical {
        value = "YES_MANUAL"
      } else {
        let thousandths = (held.amount * 1000).rounded()
        guard thousandths > 3, thousandths < 1e12 else { continue }
        value = "\(Int64(thousandths))"
      }
      text += TableText.line(["\(day)", value, held.notes.joined(separator: "\n")])
    }
    return text
  }

  private static func padded(_ number: Int) -> String {
    let text = "\(number)"
    return String(repeating: "0", count: max(0, 3 - text.count)) + text
  }

  /// Returns the folder name that Loop would create. Readers use only the number that precedes it.
  private static func sanitized(_ name: String) -> String {
    String(
      name.unicodeScalars.filter {
        $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || " ._-".unicodeScalars.contains($0))
      }.map(Character.init).prefix(100))
  }
}
