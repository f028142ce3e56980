/// Event types that are derived from words in the titles of calendar events.
enum CalendarGroup {
  private static let groups: [(name: String, words: [String])] = [
    ("Dental", ["dentist", "dental", "orthodontist", "teeth"]),
    ("Therapy", ["therapy", "therapist", "counseling", "counselling", "psychologist", "physio"]),
    ("Medical", ["doctor", "hospital", "clinic", "medical", "checkup", "check-up", "gp", "appointment dr", "vaccine"]),
    ("Exercise", ["gym", "workout", "run", "yoga", "swim", "training", "exercise", "pilates", "fitness", "tennis"]),
    ("Meal", ["lunch", "dinner", "breakfast", "brunch", "restaurant"]),
    ("Education", ["class", "lecture", "course", "school", "exam", "lesson", "seminar"]),
    ("Travel", ["flight", "train", "hotel", "trip", "airport", "travel", "vacation", "holiday"]),
    ("Work", ["meeting", "standup", "stand-up", "sync", "review", "interview", "sprint", "call", "1:1", "office"]),
  ]

  static func words(of title: String) -> [String] {
    title.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "-" && $0 != ":" }.map(String.init)
  }

  /// Returns the event type for a title: the matching group, else the first word with more than three letters, else the
  /// title.
  static func name(of title: String) -> String {
    let words = words(of: title)
    for group in groups where group.words.contains(where: { words.contains($0) }) { return group.name }
    let word = words.first { $0.count > 3 }
    return word.map { $0.prefix(1).uppercased() + $0.dropFirst() }.map { String($0.prefix(64)) }
      ?? String(title.prefix(64))
  }
}
