public import TrendyFoundation
public import TrendyModels

/// Sample values of each property type.
public enum PropertyValueFixture: Sendable {
  /// Creates a text value.
  public static func makeTextProperty(value: String = "Sample") -> PropertyValue {
    PropertyValue(type: .text, value: .string(value))
  }

  /// Creates a number value.
  public static func makeNumberProperty(value: Double = 42) -> PropertyValue {
    PropertyValue(type: .number, value: .double(value))
  }

  /// Creates a Boolean value.
  public static func makeBooleanProperty(value: Bool = true) -> PropertyValue {
    PropertyValue(type: .boolean, value: .bool(value))
  }

  /// Creates a date value.
  public static func makeDateProperty(value: Date = DeterministicDate.jan1_2024) -> PropertyValue {
    PropertyValue(type: .date, value: .string(RFC3339.string(from: value)))
  }

  /// Creates a `select` value.
  public static func makeSelectProperty(value: String = "Option A") -> PropertyValue {
    PropertyValue(type: .select, value: .string(value))
  }

  /// Creates a duration value.
  ///
  /// - Parameter seconds: length in seconds. May be fractional.
  public static func makeDurationProperty(seconds: Double = 1800) -> PropertyValue {
    PropertyValue(type: .duration, value: .double(seconds))
  }

  /// Creates a URL value.
  public static func makeURLProperty(value: String = "https://example.org/") -> PropertyValue {
    PropertyValue(type: .url, value: .string(value))
  }

  /// Creates an email value.
  public static func makeEmailProperty(value: String = "person@example.org") -> PropertyValue {
    PropertyValue(type: .email, value: .string(value))
  }
}
