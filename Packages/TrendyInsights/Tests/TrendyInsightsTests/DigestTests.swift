import Foundation
import Testing
import TrendyInsights
import TrendyModels

@Suite("Digest", .timeLimit(.minutes(10)))
struct DigestTests {
  // A Friday; weeks begin on Mondays.
  private let today = CivilDate(year: 2026, month: 11, day: 20)
  private let noon = 12 * 60

  /// Returns a type with the given number of events on each of the last days. The last count is today's.
  private func subject(
    _ name: String, _ counts: [Int], progress: GoalProgress? = nil, skips: DaySet = [],
    isOfPosition: Bool = false, isOfReadings: Bool = false
  ) -> Report.Row {
    let moments = counts.enumerated().flatMap { place, count in
      repeatElement(
        TypeHistory.Moment(
          day: today.advanced(by: place + 1 - counts.count), minute: 480, isOfPosition: isOfPosition), count: count)
    }
    var history = TypeHistory(moments: moments, today: today)
    history.isOfReadings = isOfReadings
    var type = EventType(id: name, name: name, colorHex: "#000000", iconName: "star")
    type.goal = progress?.goal
    return Report.Row(type, history, skips: skips, progress: progress)
  }

  private func words(_ digest: Digest) -> [String] { digest.sentences(by: PlainNarrator()) }

  @Test(
    "parts of the day begin at 5, 12, 17 and 21",
    arguments: [
      (299, DayPart.night), (300, .morning), (719, .morning), (720, .afternoon), (1019, .afternoon), (1020, .evening),
      (1259, .evening), (1260, .night), (1439, .night), (0, .night),
    ])
  func part(minute: Int, part: DayPart) { #expect(DayPart(minute: minute) == part) }

  @Test func `with too little data the digest states how many days and entries are missing`() {
    let few = Digest.day(of: [subject("coffee", [1, 1, 1, 1, 1, 1])], today: today, minute: noon)
    #expect((few.missingDays, few.missingEvents) == (1, 4))
    #expect(
      words(few) == [
        "1 more day with entries and 4 more entries needed for a digest, which requires at least 7 days with entries and 10 entries."
      ])
    let entries = Digest.day(of: [subject("coffee", [3, 1, 1, 1, 1, 1, 1])], today: today, minute: noon)
    #expect((entries.missingDays, entries.missingEvents) == (0, 1))
    #expect(words(entries)[0].hasPrefix("1 more entry needed for"))
    let days = Digest.week(
      of: [subject("coffee", [9, 9, 0, 0, 0, 0, 1])], today: today, minute: noon, firstWeekday: 1, relations: [])
    #expect((days.missingDays, days.missingEvents) == (4, 0))
    #expect(words(days)[0].hasPrefix("4 more days with entries needed for"))
    let enough = Digest.day(of: [subject("coffee", [4, 1, 1, 1, 1, 1, 1])], today: today, minute: noon)
    #expect((enough.missingDays, enough.missingEvents) == (0, 0))
    let none = Digest.day(of: [], today: today, minute: noon)
    #expect((none.missingDays, none.missingEvents, none.basis) == (7, 10, nil))
  }

  @Test func `in the morning yesterday comes first, later only today`() {
    let subjects = [
      subject("coffee", [2, 2, 3, 2, 2, 3, 2, 2, 2, 1]), subject("run", [1, 0, 1, 0, 1, 0, 1, 0, 1, 0]),
    ]
    let over = words(Digest.day(of: subjects, today: today, minute: 1439, isOver: true))
    #expect(over.first?.contains(" that day; ") == true && !over.contains { $0.contains("today") }, "\(over)")
    let morning = Digest.day(of: subjects, today: today, minute: 8 * 60)
    #expect(morning.part == .morning)
    #expect(
      words(morning) == [
        "3 entries yesterday; a day usually has 2 to 3.", "coffee 2 and run 1.",
        "1 entry so far today; a day usually has 2 to 3.", "coffee 1.",
      ])
    let afternoon = Digest.day(of: subjects, today: today, minute: noon)
    #expect(words(afternoon) == ["1 entry so far today; a day usually has 2 to 3.", "coffee 1."])
  }

  @Test func `only counts far outside the usual range are mentioned, low ones only for past days`() {
    func unusual(_ counts: [Int], minute: Int) -> [InsightStatement] {
      let subjects = [subject("coffee", counts), subject("mood", [1, 1, 1, 1, 1, 1, 1])]
      return Digest.day(of: subjects, today: today, minute: minute).statements.filter { $0.topic == "unusual" }
    }
    // Quartiles 2 and 3, so the fences are at 0.5 and 4.5.
    let usual = [2, 3, 2, 3, 2, 3, 2, 3]
    #expect(unusual(usual + [4], minute: noon).isEmpty)
    #expect(unusual(usual + [5], minute: noon).count == 1)
    #expect(unusual(usual + [0], minute: noon).isEmpty)
    #expect(unusual(usual + [0, 1], minute: 480).count == 1)
    #expect(unusual(usual + [1, 1], minute: 480).isEmpty)
    // One more than a constant count is not unusual, nor is any count of a rare type.
    #expect(unusual([2, 2, 2, 2, 2, 2, 2, 3], minute: noon).isEmpty)
    #expect(unusual([9] + [Int](repeating: 0, count: 30) + [3], minute: noon).isEmpty)
    let words = Digest.day(of: [subject("coffee", usual + [6])], today: today, minute: noon)
      .sentences(by: PlainNarrator())
    #expect(words.contains("coffee: 6 today, usually 2 to 3."), "\(words)")
  }

  @Test func `only unmet goals and streaks of daily goals are mentioned`() {
    func progress(_ goal: Goal, _ amount: Double) -> GoalProgress {
      GoalProgress(
        goal: goal, days: goal.days(around: today, firstWeekday: 1), amount: amount, excusedDays: 0)
    }
    let subjects = [
      subject("water", [8, 8, 8, 5], progress: progress(Goal(8, per: .day), 5)),
      subject("run", [1, 0, 0, 0], progress: progress(Goal(3, per: .week), 1)),
      subject("reading", [1, 1, 1, 0], progress: progress(Goal(1200, .duration, per: .day), 330)),
      subject("coffee", [1, 1, 1, 3], progress: progress(Goal(.atMost, 2, per: .day), 3)),
      subject("mood", [1, 1, 1, 1], progress: progress(Goal(1, per: .day), 1)),
      subject("walk", [1, 1, 1, 1, 1, 1, 1]),
    ]
    let told = words(Digest.day(of: subjects, today: today, minute: noon))
    #expect(
      Array(told.dropFirst(2)) == [
        "water: 5 of 8 today, 3 left.", "run: 1 of 3 this week, 2 left.",
        "reading: 5 min of 20 min today, 15 min left.",
        "coffee: 3 today, of at most 2.", "water: 4 days in a row.", "mood: 4 days in a row.",
        "reading: 3 days in a row, none yet today.",
      ], "\(told)")
  }

  @Test func `a weekly digest compares with the previous week, and on its first day covers that week`() throws {
    // Two weeks from Monday to Sunday, then Monday to Friday.
    let coffee = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2]
    let subjects = [subject("coffee", coffee), subject("run", [1] + [Int](repeating: 0, count: 16) + [1, 0])]
    let week = Digest.week(of: subjects, today: today, minute: noon, firstWeekday: 1, relations: [])
    #expect(week.days == today.advanced(by: -4)...today)
    #expect(
      words(week) == [
        "11 entries on 5 of 5 days, 120 % more than in the previous week (5).",
        "More coffee; new: run.", "Most on Thursday (3).",
      ], "\(words(week))")
    let monday = Digest.week(of: subjects, today: today, minute: noon, firstWeekday: 5, relations: [])
    #expect(monday.days == today.advanced(by: -7)...today.advanced(by: -1))
    #expect(words(monday)[0].hasPrefix("12 entries on 7 of 7 days"), "\(words(monday))")
  }

  @Test func `meter readings count in the total but are not mentioned as activities`() {
    let subjects = [
      subject("coffee", [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2]), subject("water meter", [5], isOfReadings: true),
      subject("gas meter", [1, 1, 1, 1] + [Int](repeating: 0, count: 30), isOfReadings: true),
    ]
    let day = words(Digest.day(of: subjects, today: today, minute: noon))
    #expect(day == ["7 entries so far today; a day usually has 0 to 1.", "coffee 2."], "\(day)")
    let week = words(
      Digest.week(of: subjects, today: today, minute: noon, firstWeekday: 1, relations: []))
    #expect(week.contains("More coffee.") && !week.contains { $0.contains("meter") }, "\(week)")
  }

  @Test func `a long time without trips or visits is mentioned only with a goal`() {
    let counts = [Int](repeating: 1, count: 20) + [Int](repeating: 0, count: 9)
    let goal = Goal(3, per: .week)
    let progress = GoalProgress(
      goal: goal, days: goal.days(around: today, firstWeekday: 1), amount: 0, excusedDays: 0)
    func isGapMentioned(_ isOfPosition: Bool, _ progress: GoalProgress?) -> Bool {
      let gym = subject("gym", counts, progress: progress, isOfPosition: isOfPosition)
      return words(Digest.day(of: [gym], today: today, minute: noon)).contains { $0.hasPrefix("gym: last time") }
    }
    #expect(isGapMentioned(false, nil) && !isGapMentioned(true, nil) && isGapMentioned(true, progress))
  }

  @Test func `a custom narrator supplies the sentence of each statement`() {
    struct Shouting: InsightNarrator {
      func sentence(_ statement: InsightStatement) -> String { statement.topic.uppercased() }
    }
    let digest = Digest.day(of: [subject("coffee", [4, 1, 1, 1, 1, 1, 1])], today: today, minute: noon)
    #expect(digest.sentences(by: Shouting()) == ["DAY_TOTAL.", "COUNTS."])
  }
}
