import TrendyProtocols
import AppContainer
import CommandSupport
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TrendyAgent
import TrendyModels

/// `trendy today`
struct TodayCommand: Command {
  static let spec = CommandSpec(
    "today", summary: "What was recorded today, and what is left of the goals.", group: .daily,
    examples: ["today", "today --json"], columns: .eventColumns)

  init(_ session: Session) {}

  struct Day {
    /// The day's events, the first first.
    var list: EventList
    var goals: [TypeGoal]
  }

  /// `nil` where there is no store yet.
  func act(_ session: Session) throws -> Day? {
    guard DeviceRecord.exists(at: session.storeDirectory) else { return nil }
    let (start, end) = (session.local.startOfDay(session.now), session.local.startOfDay(session.now, addingDays: 1))
    let store = try session.openStore().makeStore()
    let events = try session.events(in: start..<end, ofType: nil, limit: nil, from: store)
    let running = try RunningEvent.all(in: store).map(\.event).filter { !(start..<end).contains($0.timestamp) }
    let list = try EventList((events + running).reversed(), in: store)
    return Day(
      list: list,
      goals: try TypeGoal.all(among: list.types, in: store, now: session.now, local: session.local))
  }

  func show(_ answer: Day?, _ session: Session) throws -> ExitCode {
    guard let answer else {
      session.console.text("Trendy records what happens in your life, on this machine.")
      session.console.text("Begin with:  trendy init")
      session.console.text("Then:        trendy log coffee")
      if session.console.isJSON { throw CommandError.noStore(at: session.storeDirectory.path) }
      return .done
    }
    let goals = answer.goals.map(GoalText.init)
    let list = answer.list
    list.show(schema: "trendy.today/1", more: [("goals", .array(goals.map(\.json)))], session) { text in
      let today = session.local.startOfDay(session.now)
      let count = list.events.count { session.local.moment(of: $0) >= today }
      let entries = count == 0 ? "" : " · \(Quantity(count, "entry", "entries"))"
      session.console.text(StyledText([StyledText.Part(session.local.day(today) + entries, .heading)]))
      if list.events.isEmpty { session.console.text("  nothing yet. trendy log TYPE records something.") }
      let columns = text.nameColumns(of: list.events)
      for (event, id) in zip(list.events, ShortID.of(list.events.map(\.id))) {
        // What runs since an earlier day says since which.
        let isOfToday = session.local.moment(of: event) >= today
        session.console.text(
          isOfToday ? text.lineOfDay(event, columns: columns, id: id) : text.line(event, id: id).led(by: " "))
      }
      if !goals.isEmpty { session.console.text("") }
      let width = min(16, answer.goals.map(\.type.name.columns).max() ?? 0)
      for goal in goals { session.console.text(goal.line(columns: width)) }
    }
    return .done
  }
}
