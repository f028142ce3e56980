import TrendyModels
import AppContainer
import CommandSupport
import TrendyAgent
import TrendyProtocols
import TrendySync

/// `trendy rm`
struct RemoveCommand: Command {
  static let spec = CommandSpec(
    "rm", .oneOrMore("id", .event, "the id"), summary: "Delete events, here and on every device.", group: .daily,
    examples: ["rm @1", "rm 0199f3c2 0199f3d0"])

  private let ids: [String]

  init(_ session: Session) { ids = session.arguments.positionals }

  func act(_ session: Session) throws -> EventList {
    let container = try session.openStore()
    let lookup = Lookup(store: container.makeStore())
    let answer = try EventList(ids.map { try lookup.event($0) }, in: lookup.store)
    try container.record.perform(label(answer.events), [], before: answer.events.map { .event($0) })
    return answer
  }

  private func label(_ events: [Event]) -> String {
    events.count == 1 ? "rm \(ShortID.of(events[0].id))" : "rm \(events.count) events"
  }

  func show(_ answer: EventList, _ session: Session) -> ExitCode {
    if session.console.isJSON {
      session.console.document("trendy.deleted/1", [("deleted", .array(answer.events.map { .string($0.id) }))])
    }
    let text = answer.text(session)
    for event in answer.events { session.console.done(text.line(event).led(by: "Deleted:")) }
    return .done
  }
}
