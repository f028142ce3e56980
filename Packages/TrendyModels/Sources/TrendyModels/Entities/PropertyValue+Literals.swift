public import TrendyFoundation

extension PropertyValue {
  /// Creates a text value.
  public static func text(_ value: String) -> PropertyValue { PropertyValue(type: .text, value: .string(value)) }

  /// Creates a number value from an integer.
  public static func number(_ value: Int) -> PropertyValue { PropertyValue(type: .number, value: .int(Int64(value))) }

  /// Creates a number value.
  ///
  /// - Parameter value: a finite number, because JSON cannot represent infinity and NaN.
  public static func number(_ value: Double) -> PropertyValue { PropertyValue(type: .number, value: .double(value)) }

  /// Creates a Boolean value.
  public static func boolean(_ value: Bool) -> PropertyValue { PropertyValue(type: .boolean, value: .bool(value)) }

  /// Creates a date value.
  public static func date(_ value: Date) -> PropertyValue {
    PropertyValue(type: .date, value: .string(RFC3339.string(from: value)))
  }

  /// Creates a `select` value, which should be one of the definition's options.
  public static func select(_ option: String) -> PropertyValue {
    PropertyValue(type: .select, value: .string(option))
  }

  /// Creates a duration value.
  ///
  /// - Parameter seconds: a finite number of seconds.
  public static func duration(_ seconds: TimeInterval) -> PropertyValue {
    PropertyValue(type: .duration, value: .double(seconds))
  }

  /// Creates a duration value.
  public static func duration(_ value: Duration) -> PropertyValue { .duration(value / .seconds(1)) }

  /// Creates a URL value.
  public static func url(_ address: String) -> PropertyValue { PropertyValue(type: .url, value: .string(address)) }

  /// Creates an email value.
  public static func email(_ address: String) -> PropertyValue { PropertyValue(type: .email, value: .string(address)) }
}

/// Creates a text value.
extension PropertyValue: ExpressibleByStringLiteral {
  public init(stringLiteral value: String) { self = .text(value) }
}

/// Creates a number value.
extension PropertyValue: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: Int) { self = .number(value) }
}

/// Creates a number value.
extension PropertyValue: ExpressibleByFloatLiteral {
  public init(floatLiteral value: Double) { self = .number(value) }
}

/// Creates a Boolean value.
extension PropertyValue: ExpressibleByBooleanLiteral {
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
}
