public import TrendyFoundation

/// Value of an event property, and the type it was recorded with.
///
/// Values are equal if they have the same meaning: `5` and `5.0`, or two RFC 3339 strings for the same instant.
public struct PropertyValue: Sendable {
  public var type: PropertyType
  /// Value as on the wire: an RFC 3339 string for a date, a number of seconds for a duration, a string for a select,
  /// URL or email.
  public var value: JSONValue

  public init(type: PropertyType, value: JSONValue) {
    self.type = type
    self.value = value
  }

  /// The value as a string, or `nil` if it is not stored as a string.
  public var stringValue: String? { value.stringValue }
  /// The value as an integer, or `nil` if it is not a whole number that fits.
  public var intValue: Int? { value.intValue.flatMap { Int(exactly: $0) } }
  /// The value as a number, or `nil` if it is not a number.
  public var doubleValue: Double? { value.doubleValue }
  /// The value as a Boolean, or `nil` if it is not a Boolean.
  public var boolValue: Bool? { value.boolValue }
  /// The value as a date, or `nil` if it is not an RFC 3339 date with a time.
  public var dateValue: Date? { value.stringValue.flatMap { RFC3339.date(from: $0) } }
}

extension PropertyValue: Hashable {
  public static func == (left: PropertyValue, right: PropertyValue) -> Bool {
    guard left.type == right.type else { return false }
    if left.type == .date, let left = left.dateValue, let right = right.dateValue { return left == right }
    return left.value == right.value
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(type)
    if type == .date, let date = dateValue { hasher.combine(date) } else { hasher.combine(value) }
  }
}

extension PropertyValue {
  /// Creates a value from its wire form, or returns `nil` if this version does not know the type.
  public init?(_ value: APIPropertyValue) {
    guard let type = PropertyType(rawValue: value.type) else { return nil }
    self.init(type: type, value: value.value)
  }
}
