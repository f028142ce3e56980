import AppContainer
import CommandSupport
import TrendyModels
import TrendyProtocols

struct TypeListCommand: Command {
  static let spec = CommandSpec(
    "type list", summary: "List event types with their goals and properties.", group: .define,
    examples: ["type list", "type list --plain"], columns: .typeColumns)

  struct Row {
    var type: EventType
    var definitions: [PropertyDefinition]

    var json: JSONText { EventTypeText.json(type, definitions) }
  }

  init(_ session: Session) {}

  func act(_ session: Session) throws -> [Row] {
    let store = try session.openStore().makeStore()
    let types = try store.fetchAllEventTypes()
    let definitions = Dictionary(grouping: try store.fetchAllPropertyDefinitions(), by: \.eventTypeId)
    return types.map { Row(type: $0, definitions: definitions[$0.id] ?? []) }
  }

  func show(_ answer: [Row], _ session: Session) -> ExitCode {
    switch session.console.format {
    case .json: session.console.document("trendy.event_types/1", [("event_types", .array(answer.map(\.json)))])
    case .ndjson: for row in answer { session.console.data("\(row.json)") }
    case .plain:
      for type in answer.map(\.type) { session.console.row(EventTypeText.plain(type)) }
    case .text:
      if answer.isEmpty { session.console.text("No event types yet. Add one: trendy type add coffee") }
      for row in answer {
        let properties = row.definitions.map { "\($0.key) (\($0.propertyType.rawValue))" }
        let goal = EventTypeText.goal(of: row.type).map { [$0] } ?? []
        session.console.text(([EventTypeText.heading(of: row.type)] + goal + properties).joined(separator: "  "))
      }
      for hint in Lookup.mergeHints(for: answer.map(\.type), "types", command: "type merge", name: \.name) {
        session.console.talk(hint)
      }
    }
    return .done
  }
}
