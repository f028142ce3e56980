import AppContainer
import CommandSupport
import TrendyAgent
import TrendyModels
import TrendyProtocols
import TrendySync

struct TypePropertyAddCommand: Command {
  static let spec = CommandSpec(
    "type prop add", .one("type", .eventType, "type"), .one("key", .text, "key"),
    summary: "Add a property to an event type.", group: .define,
    examples: [
      "type prop add coffee cups --kind number",
      "type prop add coffee size --kind select --options small,large --default small",
    ],
    options: [
      OptionSpec("--kind", value: "kind", kind: .oneOf(kinds), help: "kind of value: " + kinds.joined(separator: ", ")),
      OptionSpec("--label", value: "text", kind: .text, help: "name shown to users"),
      OptionSpec(
        "--options", value: "a,b", kind: .text, help: "allowed values of a select or number"),
      OptionSpec("--default", value: "value", kind: .text, help: "value used if trendy log does not set one"),
    ])

  private static let kinds = PropertyType.allCases.map(\.rawValue)

  struct Answer {
    var type: EventType
    var definition: PropertyDefinition
  }

  private let typeName: String
  private let key: String
  private let label: String
  private let kind: PropertyType
  private let choices: [String]
  private let defaultText: String?

  init(_ session: Session) throws {
    let arguments = session.arguments
    typeName = arguments.positionals[0]
    key = arguments.positionals[1]
    guard Property.isKey(key, session) else {
      throw session.usageError("Invalid property key '\(key)'", hint: "Use one line of 1 to 128 bytes without '='.")
    }
    label = arguments.value("--label") ?? key
    let word = arguments.value("--kind") ?? PropertyType.text.rawValue
    guard let kind = PropertyType(rawValue: word) else {
      throw session.usageError(
        "Unknown kind of property '\(word)'", hint: "Supported kinds: \(Self.kinds.joined(separator: ", ")).")
    }
    self.kind = kind
    choices = arguments.value("--options")?.split(separator: ",").map(String.init) ?? []
    try Property.checkOptions(choices, of: kind, session)
    defaultText = arguments.value("--default")
  }

  func act(_ session: Session) throws -> Answer {
    let container = try session.openStore()
    let store = container.makeStore()
    let type = try Lookup(store: store).eventType(typeName) { "trendy type add \($0)" }
    let known = try store.definitions(of: type)
    if known.contains(where: { $0.key.lowercased() == key.lowercased() }) {
      throw session.usageError("'\(type.name)' already has a property '\(key)'")
    }
    var definition = PropertyDefinition(
      id: container.makeID(), eventTypeId: type.id, key: key, label: label, propertyType: kind, options: choices,
      displayOrder: (known.map(\.displayOrder).max() ?? -1) + 1)
    if let defaultText {
      definition.defaultValue = try Property.value(defaultText, of: definition, session: session).value
    }
    try container.record.perform("type prop add \(type.name) \(definition.key)", [.property(definition)])
    return Answer(type: type, definition: definition)
  }

  func show(_ answer: Answer, _ session: Session) -> ExitCode {
    let definition = answer.definition
    if session.console.isJSON {
      session.console.document(
        "trendy.property_definition/1", [("property_definition", EventTypeText.json(definition))])
    }
    session.console.done(
      "Added property \(definition.key) (\(definition.propertyType.rawValue)) to \(answer.type.name).")
    return .done
  }
}
