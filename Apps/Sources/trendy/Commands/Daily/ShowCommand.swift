import AppContainer
import CommandSupport
import TrendyProtocols

struct ShowCommand: Command {
  static let spec = CommandSpec(
    "show", .one("id", .event, "id"), summary: "Show one event in full.", group: .daily,
    examples: ["show @1", "show @2 --json"], columns: .eventColumns)

  private let id: String

  init(_ session: Session) { id = session.arguments.positionals[0] }

  func act(_ session: Session) throws -> OneEvent {
    let store = try session.openStore().makeStore()
    return try OneEvent(Lookup(store: store).event(id), in: store)
  }

  func show(_ answer: OneEvent, _ session: Session) -> ExitCode { answer.show(session, isDetailed: true) }
}
