import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyInsights
import TrendyModels
import TrendyPersistence

/// Event that was just recorded, and today's progress for its type.
struct LoggedEvent {
  private struct Progress {
    var today: Int
    var goal: TypeGoal?
    /// Current streak in days, or `nil` if the type has no daily goal.
    var streak: Int?
  }

  private let event: OneEvent
  /// Progress of the event's type, or `nil` if the output format omits it.
  private let progress: Progress?

  init(_ event: Event, of type: EventType, in store: LocalStore, _ session: Session) throws {
    self.event = try OneEvent(store.findEvent(id: event.id) ?? event, in: store)
    progress = session.console.printsReports ? try Self.progress(of: type, in: store, session) : nil
  }

  private static func progress(
    of type: EventType, in store: LocalStore, _ session: Session
  ) throws -> Progress {
    var tally = try TodayTally(of: [type], in: store, now: session.now, local: session.local)
    // Show a streak only for a type with a daily goal.
    let hasStreak = type.goal?.asksForEveryDay == true
    try tally.add(type, from: store, hasStreak: hasStreak, counted: session.counts(of: store).histories(of:through:))
    let count = tally.count(of: type.id)
    return Progress(
      today: count?.count ?? 0, goal: count?.progress.map { TypeGoal(type: type, progress: $0) },
      streak: hasStreak ? count?.streak : nil)
  }

  func show(_ session: Session) -> ExitCode {
    let exit = event.show(session)
    guard let progress else { return exit }
    let words = [
      progress.goal.map { GoalText($0).standing } ?? (progress.today > 1 ? "\(progress.today) today" : nil),
      progress.streak.flatMap { $0 > 1 ? "\($0)-day streak" : nil },
    ]
    session.reportUndo(words.compactMap(\.self))
    return exit
  }
}

extension Session {
  /// Prints a line about `trendy undo` below the result of a command. `notes` are other consequences of the command,
  /// printed on the same line.
  func reportUndo(_ notes: [String] = []) {
    let line = (notes + ["Undo with: trendy undo"]).joined(separator: " · ")
    console.done(StyledText([StyledText.Part(""), StyledText.Part(line, .dim)]))
  }
}
