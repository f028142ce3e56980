import AgentLink
import AppContainer
import CommandSupport
import TrendyModels
import TrendyProtocols
import TrendySync

extension Command {
  static let typeCommands: [Command] = [
    Command(
      path: ["type", "add"], arguments: "<name>", summary: "Make a type of event.", group: .define,
      examples: ["type add reading", "type add run --color \"#D0503C\" --icon \"⚑\""],
      options: [
        OptionSpec("--color", value: "hex", help: "#RRGGBB"),
        OptionSpec("--icon", value: "glyph", help: "any short glyph"),
      ]
    ) { session in
      let name = try session.positionals(1...1, missing: "the name")[0]
      let container = try session.openStore()
      if let type = try container.makeStore().fetchAllEventTypes().first(where: {
        $0.name.lowercased() == name.lowercased()
      }) {
        throw CommandError("There is a type '\(type.name)' already", hint: "trendy log \(type.name)", exit: .usage)
      }
      let type = try makeType(
        named: name, color: session.arguments.value("--color"), icon: session.arguments.value("--icon"),
        container: container, session: session)
      container.agent.send()
      if session.console.isJSON {
        session.console.document("trendy.event_type/1", [("event_type", json(type, definitions: []))])
      }
      session.console.done("\(type.iconName) \(type.name)  \(type.colorHex)")
      session.console.done("Next:  trendy log \(type.name)")
      return .done
    },
    Command(
      path: ["type", "list"], arguments: "", summary: "The types of events, with their properties.", group: .define,
      examples: ["type list", "type list --plain"]
    ) { session in
      let store = try session.openStore().makeStore()
      let types = try store.fetchAllEventTypes()
      let definitions = Dictionary(grouping: try store.fetchAllPropertyDefinitions(), by: \.eventTypeId)
      switch session.console.format {
      case .json:
        let rows = types.map { json($0, definitions: definitions[$0.id] ?? []) }
        session.console.document("trendy.event_types/1", [("event_types", .array(rows))])
      case .ndjson: for type in types { session.console.data("\(json(type, definitions: definitions[type.id] ?? []))") }
      case .plain: for type in types { session.console.row([type.id, type.name, type.colorHex, type.iconName]) }
      case .text:
        if types.isEmpty { session.console.text("No types yet. Make one: trendy type add coffee") }
        for type in types {
          let properties = (definitions[type.id] ?? []).map { "\($0.key) (\($0.propertyType.rawValue))" }
          session.console.text((["\(type.iconName) \(type.name)"] + properties).joined(separator: "  "))
        }
      }
      return .done
    },
    Command(
      path: ["type", "prop", "add"], arguments: "<type> <key>", summary: "Give a type of event a property.",
      group: .define,
      examples: [
        "type prop add coffee cups --kind number",
        "type prop add coffee size --kind select --options small,large --default small",
      ],
      options: [
        OptionSpec("--kind", value: "kind", help: PropertyType.allCases.map(\.rawValue).joined(separator: ", ")),
        OptionSpec("--label", value: "text", help: "what a person reads"),
        OptionSpec("--options", value: "a,b", help: "the choices of a select"),
        OptionSpec("--default", value: "value", help: "used when log does not say"),
      ]
    ) { session in
      let words = try session.positionals(2...2, missing: "the type and the key")
      let container = try session.openStore()
      let store = container.makeStore()
      let type = try Lookup(store: store).eventType(words[0]) { "trendy type add \($0)" }
      let definitions = try store.fetchAllPropertyDefinitions().filter { $0.eventTypeId == type.id }
      guard session.isName(words[1]), !words[1].contains("=") else {
        throw session.usageError("'\(words[1])' is no key")
      }
      if definitions.contains(where: { $0.key.lowercased() == words[1].lowercased() }) {
        throw session.usageError("'\(type.name)' has a property '\(words[1])' already")
      }
      let kind = session.arguments.value("--kind") ?? "text"
      guard let propertyType = PropertyType(rawValue: kind) else {
        throw session.usageError(
          "'\(kind)' is no kind of property",
          hint: "There are: \(PropertyType.allCases.map(\.rawValue).joined(separator: ", ")).")
      }
      let choices = session.arguments.value("--options")?.split(separator: ",").map(String.init) ?? []
      guard (propertyType == .select) == !choices.isEmpty else {
        throw session.usageError("--options goes with --kind select, and a select needs them")
      }
      var definition = PropertyDefinition(
        id: container.makeID(), eventTypeId: type.id, key: words[1],
        label: session.arguments.value("--label") ?? words[1], propertyType: propertyType, options: choices,
        displayOrder: (definitions.map(\.displayOrder).max() ?? -1) + 1)
      if let text = session.arguments.value("--default") {
        definition.defaultValue = try Property.value(text, of: definition, session: session).value
      }
      try container.recorder.record(definition)
      container.agent.send()
      if session.console.isJSON {
        session.console.document("trendy.property_definition/1", [("property_definition", json(definition))])
      }
      session.console.done("\(type.name) now has \(definition.key) (\(propertyType.rawValue))")
      return .done
    },
  ]

  static func makeType(
    named name: String, color: String?, icon: String?, container: AppContainer, session: Session
  ) throws -> EventType {
    guard session.isName(name), !name.hasPrefix("@"), !name.contains("=") else {
      throw session.usageError(
        "'\(name)' cannot be the name of a type", hint: "One line of 1 to 128 bytes, no '=', no '@' first.")
    }
    if let color, color.wholeMatch(of: /#[0-9A-Fa-f]{6}/) == nil {
      throw session.usageError("'\(color)' is no colour", hint: "Colours look like #7B4F2E.")
    }
    let type = EventType(
      id: container.makeID(), name: name, colorHex: color?.uppercased() ?? "#888888", iconName: icon ?? "•")
    try container.recorder.record(type)
    return type
  }

  private static func json(_ type: EventType, definitions: [PropertyDefinition]) -> JSONText {
    .object([
      ("id", .string(type.id)), ("name", .string(type.name)), ("color", .string(type.colorHex)),
      ("icon", .string(type.iconName)), ("properties", .array(definitions.map(json))),
      ("sync_status", .string(type.syncStatus.rawValue)),
    ])
  }

  private static func json(_ definition: PropertyDefinition) -> JSONText {
    .object([
      ("id", .string(definition.id)), ("event_type_id", .string(definition.eventTypeId)),
      ("key", .string(definition.key)), ("label", .string(definition.label)),
      ("property_type", .string(definition.propertyType.rawValue)),
      ("options", .array(definition.options.map { .string($0) })),
      ("default_value", definition.defaultValue.map { .value($0) } ?? .null),
      ("display_order", .number(definition.displayOrder)),
    ])
  }
}
