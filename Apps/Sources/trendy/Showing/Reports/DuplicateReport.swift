import AppContainer
import CommandSupport
import TrendyAgent
import TrendyModels
import TrendyProtocols
import TrendySync

/// Duplicate events in the store, and the result of deleting them.
struct DuplicateReport {
  private let groups: [Duplicates]
  private let types: [EventType]
  /// Path of the backup made before deleting duplicates, or `nil` if none were deleted.
  private let backup: String?

  private var events: [Event] { groups.flatMap(\.doubles) }

  /// Finds duplicate events. With `isRemoving`, makes a backup and deletes them.
  init(_ session: Session, isRemoving: Bool) throws {
    let container = try session.openStore()
    groups = try Duplicates.find(among: container.makeStore().fetchAllEvents())
    let events = groups.flatMap(\.doubles)
    if isRemoving, !events.isEmpty {
      backup = try StoreParts(storeDirectory: session.storeDirectory).backUp(before: "repair")
      try container.record.perform(
        "delete \(Quantity(events.count, "duplicate"))", [], before: events.map { .event($0) })
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
      for event in group.doubles { console.text(text.line(event).led(by: "  duplicate:")) }
      for event in group.differing { console.text(text.line(event).led(by: "  differs:")) }
    }
    let count = Quantity(events.count, "duplicate")
    if events.isEmpty {
      console.text("No duplicates found.")
    } else if let backup {
      console.done("Deleted \(count). A backup is in \(backup)")
      console.done("Undo with: trendy undo")
    } else {
      console.text("Nothing was deleted. To delete \(count): trendy sync repair --dedupe --yes")
    }
  }

  private func json(_ group: Duplicates, _ text: EventText) -> JSONText {
    .object([
      ("kept", text.json(group.kept)), ("doubles", .array(group.doubles.map { text.json($0) })),
      ("differing", .array(group.differing.map { text.json($0) })),
    ])
  }
}
