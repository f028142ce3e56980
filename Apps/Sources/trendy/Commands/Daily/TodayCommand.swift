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
    "today", summary: "What was recorded today.", group: .daily, examples: ["today", "today --json"])

  init(_ session: Session) {}

  /// The day's events, the first first; `nil` where there is no store yet.
  func act(_ session: Session) throws -> EventList? {
    guard DeviceRecord.exists(at: session.storeDirectory) else { return nil }
    let (start, end) = (session.local.startOfDay(session.now), session.local.startOfDay(session.now, addingDays: 1))
    let store = try session.openStore().makeStore()
    let events = try store.events(in: start..<end, ofType: nil, limit: nil)
    return try EventList(events.reversed(), in: store)
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
      let count = answer.events.count
      let entries = count == 0 ? "" : count == 1 ? " · 1 entry" : " · \(count) entries"
      session.console.text(StyledText([StyledText.Part(session.local.day(session.now) + entries, .heading)]))
      if answer.events.isEmpty { session.console.text("  nothing yet. trendy log TYPE records something.") }
      let columns = answer.nameColumns(text)
      for event in answer.events { session.console.text(text.lineOfDay(event, columns: columns)) }
    }
    return .done
  }
}
