import AppContainer
import CommandSupport
import TrendyAgent
import TrendyModels
import TrendyProtocols

struct TypePropertyRemoveCommand: Command {
  static let spec = CommandSpec(
    "type prop rm", .one("type", .eventType, "event type"), .one("key", .propertyKey, "key"),
    summary: "Delete a property; events keep its values.", group: .define, examples: ["type prop rm coffee size"])

  private let typeName: String
  private let key: String

  init(_ session: Session) { (typeName, key) = (session.arguments.positionals[0], session.arguments.positionals[1]) }

  func act(_ session: Session) throws -> (type: EventType, definition: PropertyDefinition) {
    let container = try session.openStore()
    let lookup = Lookup(store: container.makeStore())
    let type = try lookup.eventType(typeName) { "trendy type add \($0)" }
    let definition = try lookup.property(key, of: type)
    try container.record.perform("type prop rm \(type.name) \(definition.key)", [], before: [.property(definition)])
    return (type, definition)
  }

  func show(_ answer: (type: EventType, definition: PropertyDefinition), _ session: Session) -> ExitCode {
    if session.console.isJSON {
      session.console.document("trendy.deleted/1", [("deleted", .array([.string(answer.definition.id)]))])
    }
    session.console.done("Deleted: property \(answer.definition.key) of \(answer.type.name). Undo with: trendy undo")
    return .done
  }
}
