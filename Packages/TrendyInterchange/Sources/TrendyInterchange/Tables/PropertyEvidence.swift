import TrendyModels

struct PropertyEvidence {
  var numbers = NumberEvidence()
  var empty = 0
  var marks = 0
  private(set) var notDone = 0
  private var habitCells = 0
  private var booleans = 0
  private var links = 0
  private var dates = 0
  private var weekdays = 0
  private(set) var values: Set<String> = []

  var filled: Int { numbers.filled }

  mutating func add(_ text: String) {
    numbers.add(text)
    if values.count <= 12 { values.insert(text) }
    if let whole = NumberText.whole(text) {
      if whole < 100 { habitCells += 1 }
      if whole <= 1 { marks += 1 }
      if whole == 0 { notDone += 1 }
      return
    }
    if text.utf8.count <= 12 {
      if CellText.isMark(text) {
        marks += 1
        habitCells += 1
      }
      if CellText.notDone.contains(text.lowercased()) { notDone += 1 }
      if CellText.boolean(text) != nil { booleans += 1 }
      if CellText.weekdays.contains(text.lowercased()) { weekdays += 1 }
    }
    if text.hasPrefix("http://") || text.hasPrefix("https://") { links += 1 }
    if text.utf8.first.map({ $0 &- 0x30 <= 9 }) == true, CivilDate(text) != nil || RFC3339.date(from: text) != nil {
      dates += 1
    }
  }

  func kind(isSelect: Bool, isText: Bool) -> PropertyType {
    guard filled > 0 else { return .text }
    if isSelect { return .select }
    if booleans == filled { return .boolean }
    if numbers.isNumeric { return .number }
    if links == filled { return .url }
    if dates == filled { return .date }
    return isText || filled < 20 || values.count > 12 ? .text : .select
  }

  var isOfWeekdays: Bool { filled > 0 && weekdays == filled }

  /// Whether the column may contain a habit: marks or small counts, with some empty cells, zeros or ones.
  var isHabit: Bool {
    filled > 0 && (filled - habitCells) * 3 <= filled && (marks > 0 || empty > 0)
  }

  /// Whether the column certainly contains a habit: the column consists of marks, or some days are empty or not done.
  var showsHabit: Bool { isHabit && (marks * 3 >= filled * 2 || notDone > 0 || empty > 0) }

  /// Whether no cell contains a mark or a number.
  var isText: Bool { filled > 0 && habitCells == 0 && numbers.numbers == 0 }
}
