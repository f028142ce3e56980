public import TrendyFoundation

extension PropertyValue {
  public static func text(_ value: String) -> PropertyValue { PropertyValue(type: .text, value: .string(value)) }

  public static func number(_ value: Int) -> PropertyValue { PropertyValue(type: .number, value: .int(Int64(value))) }

  /// - Parameter value: finite: JSON has no text for others.
  public static func number(_ value: Double) -> PropertyValue { PropertyValue(type: .number, value: .double(value)) }

  public static func boolean(_ value: Bool) -> PropertyValue { PropertyValue(type: .boolean, value: .bool(value)) }

  public static func date(_ value: Date) -> PropertyValue {
    PropertyValue(type: .date, value: .string(RFC3339.string(from: value)))
  }

  /// One of the definition's options.
  public static func select(_ option: String) -> PropertyValue {
    PropertyValue(type: .select, value: .string(option))
  }

  /// - Parameter seconds: finite.
  public static func duration(_ seconds: TimeInterval) -> PropertyValue {
    PropertyValue(type: .duration, value: .double(seconds))
  }

  public static func duration(_ value: Duration) -> PropertyValue { .duration(value / .seconds(1)) }

  public static func url(_ address: String) -> PropertyValue { PropertyValue(type: .url, value: .string(address)) }

  public static func email(_ address: String) -> PropertyValue { PropertyValue(type: .email, value: .string(address)) }
}

/// A text.
extension PropertyValue: ExpressibleByStringLiteral {
  public init(stringLiteral value: String) { self = .text(value) }
}

/// A number.
extension PropertyValue: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: Int) { self = .number(value) }
}

/// A number.
extension PropertyValue: ExpressibleByFloatLiteral {
  public init(floatLiteral value: Double) { self = .number(value) }
}

/// Yes or no.
extension PropertyValue: ExpressibleByBooleanLiteral {
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
}
