public import TrendyFoundation

/// The value of one property of an event, with the kind it was recorded as.
///
/// Two are equal when they mean the same: `5` and `5.0`, or two spellings of one moment.
public struct PropertyValue: Sendable {
  public var type: PropertyType
  /// As on the wire: a date is an RFC 3339 string, a duration a number of seconds, a select, url or email a string.
  public var value: JSONValue

  public init(type: PropertyType, value: JSONValue) {
    self.type = type
    self.value = value
  }

  public var stringValue: String? { value.stringValue }
  public var intValue: Int? { value.intValue.flatMap { Int(exactly: $0) } }
  public var doubleValue: Double? { value.doubleValue }
  public var boolValue: Bool? { value.boolValue }
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
  /// `nil` when `value` is of a type that this version does not know.
  public init?(_ value: APIPropertyValue) {
    guard let type = PropertyType(rawValue: value.type) else { return nil }
    self.init(type: type, value: value.value)
  }
}
