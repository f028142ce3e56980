import AppContainer
import CommandSupport
import TrendyAgent
import TrendyModels
import TrendyProtocols
import TrendySync

/// Events that are in the store twice, and what was done about them.
struct Doubles {
  private let groups: [Duplicates]
  private let types: [EventType]
  /// What was in the store before they were removed; `nil` where they are there still.
  private let backup: String?

  private var events: [Event] { groups.flatMap(\.doubles) }

  /// Finds them, and removes them where that is asked for: then a backup is made first.
  init(_ session: Session, isRemoving: Bool) throws {
    let container = try session.openStore()
    groups = try Duplicates.find(among: container.makeStore().fetchAllEvents())
    let events = groups.flatMap(\.doubles)
    if isRemoving, !events.isEmpty {
      backup = try StoreParts(storeDirectory: session.storeDirectory).backUp(before: "repair")
      try container.record.perform(
        "remove \(Quantity(events.count, "double"))", [], before: events.map { .event($0) })
    } else {
      backup = nil
    }
    types = try container.makeStore().fetchAllEventTypes()
  }

  func show(_ session: Session) {
    let (console, text) = (session.console, EventText(session: session, types: types))
    if console.isJSON {
      let doubles = JSONText.array(groups.map { json($0, text) })
      console.document(
        "trendy.doubles/1",
        [("doubles", doubles), ("removed", .bool(backup != nil)), ("backup", .string(backup))])
      return
    }
    for group in groups {
      console.text(text.line(group.kept))
      for event in group.doubles { console.text(text.line(event).led(by: "  twice:")) }
      for event in group.differing { console.text(text.line(event).led(by: "  says something else:")) }
    }
    let count = Quantity(events.count, "double")
    if events.isEmpty {
      console.text("Nothing is here twice.")
    } else if let backup {
      console.done("Removed \(count). What was here before is kept in \(backup)")
      console.done("undo: trendy undo")
    } else {
      console.text("Nothing was removed. The \(count) would be: trendy sync repair --dedupe --yes")
    }
  }

  private func json(_ group: Duplicates, _ text: EventText) -> JSONText {
    .object([
      ("kept", text.json(group.kept)), ("doubles", .array(group.doubles.map { text.json($0) })),
      ("differing", .array(group.differing.map { text.json($0) })),
    ])
  }
}
