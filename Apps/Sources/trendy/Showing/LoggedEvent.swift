import CommandSupport
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TrendyAgent
import TrendyModels
import TrendyProtocols

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

  init(_ event: Event, of type: EventType, in store: any DataStoreProtocol, _ session: Session) throws {
    self.event = try OneEvent(store.findEvent(id: event.id) ?? event, in: store)
    standing = session.console.tellsWhatWasDone ? try Self.standing(of: type, in: store, session) : nil
  }

  private static func standing(
    of type: EventType, in store: any DataStoreProtocol, _ session: Session
  ) throws -> Standing {
    func events(daysAgo days: Int, limit: Int? = nil) throws -> Int {
      let (start, end) = (-days, 1 - days)
      let local = session.local
      let day = local.startOfDay(session.now, addingDays: start)..<local.startOfDay(session.now, addingDays: end)
      return try session.events(in: day, ofType: type.id, limit: limit, from: store).count
    }
    let today = try events(daysAgo: 0)
    let goal = try TypeGoal.all(among: [type], in: store, now: session.now, local: session.local).first
    // A streak is told to who wants something every day, and pressed on nobody else.
    guard let wish = type.goal, wish.bound == .atLeast, wish.period == .day else {
      return Standing(today: today, goal: goal)
    }
    let skips = try store.fetchRecords(kind: .skip).compactMap(Skip.init).filter { $0.eventTypeId == type.id }
    // Today is not over: without an event it breaks no streak.
    var streak = today > 0 ? 1 : 0
    var past = 1
    while true {
      if try events(daysAgo: past, limit: 1) > 0 {
        streak += 1
      } else {
        let day = session.local.startOfDay(session.now, addingDays: -past)
        guard skips.contains(where: { $0.days.contains(day) }) else { break }
      }
      past += 1
    }
    return Standing(today: today, goal: goal, streak: streak)
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
