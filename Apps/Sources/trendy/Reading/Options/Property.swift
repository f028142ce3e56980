import CommandSupport
import TrendyModels

/// Parses property values and validates them against their definitions.
enum Property {
  static func isKey(_ text: String, _ session: Session) -> Bool { session.isName(text) && !text.contains("=") }

  /// Validates a property's options, which are its allowed values.
  static func checkOptions(_ options: [String], of kind: PropertyType, _ session: Session) throws(CommandError) {
    switch kind {
    case .select where options.isEmpty:
      throw session.usageError(
        "A select property needs options", hint: "Add options, for example --options small,large.")
    case .number where options.contains { number($0) == nil }:
      throw session.usageError(
        "The options of a number property must be numbers", hint: "Use numbers, for example --options 1,2,3,4,5.")
    case .select, .number: break
    default:
      guard options.isEmpty else {
        throw session.usageError(
          "A \(kind.rawValue) property cannot have options", hint: "Only select and number properties can have options."
        )
      }
    }
  }

  /// Sets properties of an event from words in the form `key=value`.
  /// - Throws: `CommandError` with exit 64 if a value is invalid, or if the command line has different values for a
  ///   property.
  static func say(
    _ words: some Sequence<String>, of event: inout Event, _ definitions: [PropertyDefinition], _ session: Session,
    besides said: [String: PropertyValue] = [:]
  ) throws(CommandError) {
    var said = said
    for word in words {
      let (key, value) = try parse(word, definitions: definitions, session: session)
      if let before = said[key], before != value {
        throw session.usageError(
          "Property '\(key)' was specified twice: '\(text(before.value))' and '\(text(value.value))'")
      }
      said[key] = value
      event.properties[key] = value
    }
  }

  private static func parse(
    _ word: String, definitions: [PropertyDefinition], session: Session
  ) throws(CommandError) -> (key: String, value: PropertyValue) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let key = String(parts[0])
    guard parts.count == 2, !key.isEmpty else {
      throw session.usageError("'\(word)' is not in the form KEY=VALUE")
    }
    guard let definition = definitions.first(where: { $0.key.lowercased() == key.lowercased() }) else {
      let known = definitions.map(\.key).joined(separator: ", ")
      let near = Suggestion.nearest(to: key, among: definitions.map(\.key)).map { "Did you mean '\($0)'? " } ?? ""
      throw session.usageError(
        "Property '\(key)' not found",
        hint: known.isEmpty
          ? "This type has no properties. Add one: trendy type prop add" : "\(near)Properties: \(known).")
    }
    return (definition.key, try value(String(parts[1]), of: definition, session: session))
  }

  static func value(
    _ text: String, of definition: PropertyDefinition, session: Session
  ) throws(CommandError) -> PropertyValue {
    let value: JSONValue?
    switch definition.propertyType {
    case .text: value = .string(text)
    case .number: value = number(text, of: definition)
    case .boolean: value = boolean(text)
    case .date:
      let phrase = try TimePhrase(text, now: session.now, in: session.local)
      let moment = try phrase.resolved(.day(of: session.now)).date
      value = .string(
        phrase.isDate ? session.local.text(of: session.local.date(of: moment)) : RFC3339.string(from: moment))
    case .select: value = definition.options.first { $0.lowercased() == text.lowercased() }.map { .string($0) }
    case .duration: value = DurationPhrase.seconds(text).map { .double($0) }
    case .url: value = text.hasPrefix("https://") || text.hasPrefix("http://") ? .string(text) : nil
    case .email: value = text.split(separator: "@").count == 2 && !text.contains(" ") ? .string(text) : nil
    }
    guard let value else {
      var hint: String?
      if definition.propertyType == .number {
        hint =
          NumberPhrase.hint(for: text)
          ?? NumberPhrase.withoutUnit(text).map { "Did you mean \($0)? Write the number without a unit." }
      }
      throw CommandError(
        "The value '\(text)' is invalid for '\(definition.key)'",
        hint: hint ?? "\(definition.key)  \(definition.label) (\(takes(definition)))",
        usage: Commands.table.usage(of: session.command),
        exit: .usage)
    }
    return PropertyValue(type: definition.propertyType, value: value)
  }

  /// Guesses the kind of a new property from its first value.
  static func kind(of text: String) -> PropertyType {
    if number(text) != nil { return .number }
    if ["yes", "no", "true", "false"].contains(text.lowercased()) { return .boolean }
    if DurationPhrase.seconds(text) != nil { return .duration }
    return text.hasPrefix("https://") || text.hasPrefix("http://") ? .url : .text
  }

  /// Value for `--plain` output, where dates have no time.
  static func plain(_ value: PropertyValue, of event: Event, in local: LocalTime) -> String {
    local.date(value, of: event)?.description ?? text(value.value)
  }

  /// Value as text, with strings unquoted.
  static func text(_ value: JSONValue) -> String {
    switch value {
    case .string(let text): text
    case .int(let number): String(number)
    default: JSONText.value(value).description
    }
  }

  private static func takes(_ definition: PropertyDefinition) -> String {
    switch definition.propertyType {
    case .text: "any text"
    case .number: definition.options.isEmpty ? "a number" : definition.options.joined(separator: ", ")
    case .boolean: "yes or no"
    case .date: "a date, such as 2026-11-20 or yesterday"
    case .select: definition.options.joined(separator: ", ")
    case .duration: "a duration, such as 1h30m"
    case .url: "a URL that starts with https://"
    case .email: "an email address"
    }
  }

  static func number(_ text: String) -> JSONValue? {
    if let whole = Int64(text) { return .int(whole) }
    // Reject integers beyond 64 bits, because a double cannot represent them exactly.
    guard !text.drop(while: { $0 == "-" }).allSatisfy(\.isASCIIDigit) else { return nil }
    return NumberPhrase.value(text).map { .double($0) }
  }

  /// Parses a number. If the property has options, the number must be one of them.
  private static func number(_ text: String, of definition: PropertyDefinition) -> JSONValue? {
    guard let value = number(text) else { return nil }
    let isOption = definition.options.isEmpty || definition.options.contains { Double($0) == value.doubleValue }
    return isOption ? .some(value) : .none
  }

  static func boolean(_ text: String) -> JSONValue? {
    switch text.lowercased() {
    case "yes", "true", "y", "1", "on": true
    case "no", "false", "n", "0", "off": false
    default: nil
    }
  }
}
