public import TrendyFoundation
public import TrendyModels

/// Property values of each type.
public enum PropertyValueFixture: Sendable {
  public static func makeTextProperty(value: String = "Sample") -> PropertyValue {
    PropertyValue(type: .text, value: .string(value))
  }

  public static func makeNumberProperty(value: Double = 42) -> PropertyValue {
    PropertyValue(type: .number, value: .double(value))
  }

  public static func makeBooleanProperty(value: Bool = true) -> PropertyValue {
    PropertyValue(type: .boolean, value: .bool(value))
  }

  public static func makeDateProperty(value: Date = DeterministicDate.jan1_2024) -> PropertyValue {
    PropertyValue(type: .date, value: .string(RFC3339.string(from: value)))
  }

  public static func makeSelectProperty(value: String = "Option A") -> PropertyValue {
    PropertyValue(type: .select, value: .string(value))
  }

  /// - Parameter seconds: of any length, also fractions.
  public static func makeDurationProperty(seconds: Double = 1800) -> PropertyValue {
    PropertyValue(type: .duration, value: .double(seconds))
  }

  public static func makeURLProperty(value: String = "https://example.org/") -> PropertyValue {
    PropertyValue(type: .url, value: .string(value))
  }

  public static func makeEmailProperty(value: String = "person@example.org") -> PropertyValue {
    PropertyValue(type: .email, value: .string(value))
  }
}
