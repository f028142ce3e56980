import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyInsights
import TrendyModels
import TrendyPersistence

/// An event that was just recorded, and how its type stands with it.
struct LoggedEvent {
  /// How a type stands.
  private struct Standing {
    /// Events of the type today.
    var today: Int
    var goal: TypeGoal?
    /// Days in a row with one, up to today or yesterday; `nil` where nobody set out for that.
    var streak: Int?
  }

  private let event: OneEvent
  /// `nil` where nobody reads it.
  private let standing: Standing?

  init(_ event: Event, of type: EventType, in store: LocalStore, _ session: Session) throws {
    self.event = try OneEvent(store.findEvent(id: event.id) ?? event, in: store)
    standing = session.console.tellsWhatWasDone ? try Self.standing(of: type, in: store, session) : nil
  }

  private static func standing(
    of type: EventType, in store: LocalStore, _ session: Session
  ) throws -> Standing {
    var tally = try TodayTally(of: [type], in: store, now: session.now, local: session.local)
    // A streak is told to who wants something every day, and pressed on nobody else.
    let hasStreak = type.goal?.asksForEveryDay == true
    try tally.add(type, from: store, hasStreak: hasStreak, counted: session.counts(of: store).histories(of:through:))
    let count = tally.count(of: type.id)
    return Standing(
      today: count?.count ?? 0, goal: count?.progress.map { TypeGoal(type: type, progress: $0) },
      streak: hasStreak ? count?.streak : nil)
  }

  func show(_ session: Session) -> ExitCode {
    let exit = event.show(session)
    guard let standing else { return exit }
    let words = [
      standing.goal.map { GoalText($0).standing } ?? (standing.today > 1 ? "today \(standing.today)" : nil),
      standing.streak.flatMap { $0 > 1 ? "\($0) days in a row" : nil }, "undo: trendy undo",
    ]
    let line = words.compactMap(\.self).joined(separator: " · ")
    session.console.done(StyledText([StyledText.Part(""), StyledText.Part(line, .dim)]))
    return exit
  }
}
