import AppContainer
import CommandSupport
import TrendyAgent
import TrendyModels
import TrendyProtocols

struct TypeRemoveCommand: Command {
  static let spec = CommandSpec(
    "type rm", .one("type", .eventType, "event type"),
    summary: "Delete an event type with its events and properties, on all devices.", group: .define,
    examples: ["type rm coffee --yes"], options: [.yes])

  private let name: String

  init(_ session: Session) { name = session.arguments.positionals[0] }

  struct Answer {
    var type: EventType
    var count: Int
  }

  func act(_ session: Session) throws -> Answer {
    let container = try session.openStore()
    let store = container.makeStore()
    let type = try Lookup(store: store).eventType(name) { "trendy type add \($0)" }
    let events = try store.events(in: nil, ofType: type.id, limit: nil)
    if !events.isEmpty { try session.confirm("Delete '\(type.name)' with \(Quantity(events.count, "event"))?") }
    let properties = try store.definitions(of: type)
    try container.record.perform(
      "type rm \(type.name)", [],
      before: [.eventType(type)] + properties.map { .property($0) } + events.map { .event($0) }, isDivisible: true)
    return Answer(type: type, count: events.count)
  }

  func show(_ answer: Answer, _ session: Session) -> ExitCode {
    if session.console.isJSON {
      session.console.document(
        "trendy.deleted/1", [("deleted", .array([.string(answer.type.id)])), ("events", .number(answer.count))])
    }
    session.console.done("Deleted: \(answer.type.name) with \(Quantity(answer.count, "event")). Undo with: trendy undo")
    return .done
  }
}
