import AppContainer
import CommandSupport
import TrendyAgent
import TrendyModels
import TrendyProtocols
import TrendySync

struct RemoveCommand: Command {
  static let spec = CommandSpec(
    "rm", .any("id", .event),
    summary: "Delete events on all devices, by id or by the given filters.",
    group: .daily, examples: ["rm @1", "rm @1 @2", "rm --type coffee --since mon --dry-run"],
    options: EventSelection.options + [OptionSpec.dryRun, OptionSpec.yes])

  private let events: EventChoice

  init(_ session: Session) throws {
    events = try EventChoice(session.arguments.positionals, EventSelection(session), session)
  }

  struct Answer {
    let list: EventList
    /// Whether the events were deleted, which `--dry-run` prevents.
    let isDone: Bool
  }

  func act(_ session: Session) throws -> Answer {
    let container = try session.openStore()
    let found = try events.events(in: container.makeLocalStore(), session)
    // A running event's marker is deleted together with the event.
    let marks = try RunningEvent.all(in: container.makeStore()).filter { running in
      found.contains { $0.id == running.event.id }
    }
    let list = try EventList(found, in: container.makeStore())
    if session.arguments.has(OptionSpec.dryRun.key) { return Answer(list: list, isDone: false) }
    try events.confirm("Delete \(Quantity(found.count, "event"))?", of: list, session)
    let label =
      found.count == 1
      ? session.undoLabel("delete", list.text(session).typeName(found[0]), found[0]) : "delete \(found.count) events"
    try container.record.perform(
      label, [], before: found.map { .event($0) } + marks.map { .record($0.mark) },
      isDivisible: true)
    return Answer(list: list, isDone: true)
  }

  func show(_ answer: Answer, _ session: Session) -> ExitCode {
    let events = answer.list.events
    if session.console.isJSON {
      let ids = JSONText.array(events.map { .string($0.id) })
      session.console.document("trendy.deleted/1", [(answer.isDone ? "deleted" : "would_delete", ids)])
      return .done
    }
    let text = answer.list.text(session)
    session.console.gathering { console in
      for event in events {
        if answer.isDone {
          console.done(text.line(event).led(by: "Deleted:"))
        } else {
          console.text(text.line(event).led(by: "Would delete:"))
        }
      }
    }
    if answer.isDone, events.count > 1 {
      session.console.done("Deleted \(Quantity(events.count, "event")). Undo with: trendy undo")
    } else if answer.isDone, !events.isEmpty {
      session.reportUndo()
    }
    return .done
  }
}
