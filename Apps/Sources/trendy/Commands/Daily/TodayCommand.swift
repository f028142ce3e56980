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
    "today", summary: "What was recorded today.", group: .daily, examples: ["today", "today --json"],
    columns: .eventColumns)

  init(_ session: Session) {}

  /// The day's events, the first first; `nil` where there is no store yet.
  func act(_ session: Session) throws -> EventList? {
    guard DeviceRecord.exists(at: session.storeDirectory) else { return nil }
    let (start, end) = (session.local.startOfDay(session.now), session.local.startOfDay(session.now, addingDays: 1))
    let store = try session.openStore().makeStore()
    let events = try session.events(in: start..<end, ofType: nil, limit: nil, from: store)
    let running = try RunningEvent.all(in: store).map(\.event).filter { !(start..<end).contains($0.timestamp) }
    return try EventList((events + running).reversed(), in: store)
  }

  func show(_ answer: EventList?, _ session: Session) throws -> ExitCode {
    guard let answer else {
      session.console.text("Trendy records what happens in your life, on this machine.")
      session.console.text("Begin with:  trendy init")
      session.console.text("Then:        trendy log coffee")
      if session.console.isJSON { throw CommandError.noStore(at: session.storeDirectory.path) }
      return .done
    }
    answer.show(schema: "trendy.today/1", session) { text in
      let today = session.local.startOfDay(session.now)
      let count = answer.events.count { session.local.moment(of: $0) >= today }
      let entries = count == 0 ? "" : " · \(Quantity(count, "entry", "entries"))"
      session.console.text(StyledText([StyledText.Part(session.local.day(today) + entries, .heading)]))
      if answer.events.isEmpty { session.console.text("  nothing yet. trendy log TYPE records something.") }
      let columns = text.nameColumns(of: answer.events)
      for (event, id) in zip(answer.events, ShortID.of(answer.events.map(\.id))) {
        // What runs since an earlier day says since which.
        let isOfToday = session.local.moment(of: event) >= today
        session.console.text(
          isOfToday ? text.lineOfDay(event, columns: columns, id: id) : text.line(event, id: id).led(by: " "))
      }
    }
    return .done
  }
}
