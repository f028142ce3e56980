import AppContainer
import CommandSupport
import TrendyAgent
import TrendyModels
import TrendyProtocols

struct CancelCommand: Command {
  static let spec = CommandSpec(
    "cancel", .optional("type", .eventType),
    summary: "Discard a running event.", group: .daily, examples: ["cancel", "cancel headache"],
    columns: .eventColumns)

  private let name: String?

  init(_ session: Session) { name = session.arguments.positionals.first }

  func act(_ session: Session) throws -> OneEvent {
    let container = try session.openStore()
    let store = container.makeStore()
    let running = try RunningChoice(name: name, session: session).event(in: store)
    let answer = try OneEvent(running.event, in: store)
    let type = try store.findEventType(id: running.event.eventTypeId)?.name ?? "event"
    try container.record.perform(
      session.undoLabel("cancel", type, running.event), [], before: [.event(running.event), .record(running.mark)])
    return answer
  }

  func show(_ answer: OneEvent, _ session: Session) -> ExitCode {
    session.console.done("Discarded the running event. Undo with: trendy undo")
    return answer.show(session)
  }
}
