import AppContainer
import CommandSupport
import TrendyProtocols

struct TypeShowCommand: Command {
  static let spec = CommandSpec(
    "type show", .one("type", .eventType, "event type"),
    summary: "Show an event type with its goal and properties.",
    group: .define, examples: ["type show coffee"], columns: .typeColumns)

  private let name: String

  init(_ session: Session) { name = session.arguments.positionals[0] }

  func act(_ session: Session) throws -> OneEventType {
    let store = try session.openStore().makeStore()
    return try OneEventType(Lookup(store: store).eventType(name) { "trendy type add \($0)" }, in: store)
  }

  func show(_ answer: OneEventType, _ session: Session) -> ExitCode { answer.show(session, isDetailed: true) }
}
