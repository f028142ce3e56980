import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyInsights
import TrendyModels
import TrendyPersistence

/// An event that was just recorded, with the progress of its type.
struct LoggedEvent {
  /// Progress of a type.
  private struct Progress {
    /// Number of events of the type today.
    var today: Int
    var goal: TypeGoal?
    /// Current streak in days; `nil` without a daily goal.
    var streak: Int?
  }

  private let event: OneEvent
  /// `nil` if it is not printed.
  private let progress: Progress?

  init(_ event: Event, of type: EventType, in store: LocalStore, _ session: Session) throws {
    self.event = try OneEvent(store.findEvent(id: event.id) ?? event, in: store)
    progress = session.console.printsReports ? try Self.progress(of: type, in: store, session) : nil
  }

  private static func progress(
    of type: EventType, in store: LocalStore, _ session: Session
  ) throws -> Progress {
    var tally = try TodayTally(of: [type], in: store, now: session.now, local: session.local)
    // Streaks are shown only for types with a daily goal.
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
  /// Prints the line below the result of an action, which names `trendy undo`.
  /// - Parameter notes: further consequences of the action.
  func reportUndo(_ notes: [String] = []) {
    let line = (notes + ["Undo with: trendy undo"]).joined(separator: " · ")
    console.done(StyledText([StyledText.Part(""), StyledText.Part(line, .dim)]))
  }
}
