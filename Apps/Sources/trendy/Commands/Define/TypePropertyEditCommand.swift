import AppContainer
import CommandSupport
import TrendyAgent
import TrendyModels
import TrendyProtocols

struct TypePropertyEditCommand: Command {
  static let spec = CommandSpec(
    "type prop edit", .one("type", .eventType, "event type"), .one("key", .propertyKey, "key"),
    summary: "Change a property; a new key is also applied to existing events.", group: .define,
    examples: ["type prop edit coffee size --options small,large,huge", "type prop edit coffee count --label Cups"],
    options: [
      OptionSpec("--key", value: "key", kind: .text, help: "new key"),
      OptionSpec("--label", value: "text", kind: .text, help: "name shown to users"),
      OptionSpec(
        "--options", value: "a,b", kind: .text, help: "allowed values of a select or number"),
      OptionSpec("--default", value: "value", kind: .text, help: "value used if trendy log does not set one"),
      OptionSpec("--no-default", help: "remove the default value"),
    ])

  private let typeName: String
  private let key: String
  private let newKey: String?
  private let label: String?
  private let choices: [String]?
  private let defaultText: String?
  private let clearsDefault: Bool

  init(_ session: Session) throws {
    let arguments = session.arguments
    (typeName, key) = (arguments.positionals[0], arguments.positionals[1])
    newKey = arguments.value("--key")
    if let newKey, !Property.isKey(newKey, session) {
      throw session.usageError("Invalid property key '\(newKey)'", hint: "Use one line of 1 to 128 bytes without '='.")
    }
    label = arguments.value("--label")
    choices = arguments.value("--options")?.split(separator: ",").map(String.init)
    defaultText = arguments.value("--default")
    clearsDefault = arguments.has("--no-default")
    if clearsDefault, defaultText != nil { throw session.usageError("--default and --no-default cannot be combined") }
  }

  struct Answer {
    var type: OneEventType
    /// Number of events in which the property was renamed.
    var renamed: Int
  }

  func act(_ session: Session) throws -> Answer {
    let container = try session.openStore()
    let store = container.makeStore()
    let lookup = Lookup(store: store)
    let type = try lookup.eventType(typeName) { "trendy type add \($0)" }
    let old = try lookup.property(key, of: type)
    var definition = old
    if let newKey {
      let isTaken = try store.definitions(of: type).contains {
        $0.id != old.id && $0.key.lowercased() == newKey.lowercased()
      }
      if isTaken { throw session.usageError("'\(type.name)' already has a property '\(newKey)'") }
      definition.key = newKey
    }
    if let label { definition.label = label }
    if let choices {
      try Property.checkOptions(choices, of: old.propertyType, session)
      definition.options = choices
    }
    if clearsDefault { definition.defaultValue = nil }
    if let defaultText {
      definition.defaultValue = try Property.value(defaultText, of: definition, session: session).value
    }
    guard definition != old else {
      try session.reportNothingChanged(of: Self.spec.options)
      return Answer(type: try OneEventType(type, in: store), renamed: 0)
    }
    let events =
      definition.key == old.key
      ? [] : try store.events(in: nil, ofType: type.id, limit: nil).filter { $0.properties[old.key] != nil }
    let renamed = events.map { event in
      var event = event
      event.properties[definition.key] = event.properties.removeValue(forKey: old.key)
      return event
    }
    try container.record.perform(
      "type prop edit \(type.name) \(old.key)", [.property(definition)] + renamed.map { .event($0) },
      before: [.property(old)] + events.map { .event($0) })
    return Answer(type: try OneEventType(type, in: container.makeStore()), renamed: renamed.count)
  }

  func show(_ answer: Answer, _ session: Session) -> ExitCode {
    if answer.renamed > 0 { session.console.done("Renamed the key in \(Quantity(answer.renamed, "event")).") }
    return answer.type.show(session, isDetailed: !session.console.isQuiet)
  }
}
