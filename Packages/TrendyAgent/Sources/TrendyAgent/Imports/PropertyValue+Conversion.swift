import TrendyModels

extension PropertyValue {
  /// Returns the value converted to the kind of a definition, or unchanged if that kind cannot represent it.
  func converted(to definition: PropertyDefinition) -> PropertyValue {
    guard type != definition.propertyType else { return self }
    switch definition.propertyType {
    case .duration: return doubleValue == nil ? self : PropertyValue(type: .duration, value: value)
    case .number:
      if doubleValue != nil { return PropertyValue(type: .number, value: value) }
      if let whole = stringValue.flatMap({ Int64($0) }) { return PropertyValue(type: .number, value: .int(whole)) }
      return stringValue.flatMap { Double($0) }.map { .number($0) } ?? self
    case .text: return stringValue.map { .text($0) } ?? .text(valueText)
    case .select, .url, .email, .date:
      return PropertyValue(type: definition.propertyType, value: .string(stringValue ?? valueText))
    case .boolean: return boolValue.map { .boolean($0) } ?? self
    }
  }

  private var valueText: String {
    switch value {
    case .int(let value): "\(value)"
    case .double(let value): value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
    case .bool(let value): value ? "true" : "false"
    default: ""
    }
  }
}
