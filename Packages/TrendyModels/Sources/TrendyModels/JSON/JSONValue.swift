/// Any JSON value.
///
/// Numbers are equal if their values are equal: `5` equals `5.0`. Signed 64-bit integers are exact. Larger integers and
/// fractions become the nearest double. A Boolean is never a number.
public enum JSONValue: Sendable {
  case null
  case bool(Bool)
  case int(Int64)
  case double(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])
}

extension JSONValue {
  public var isNull: Bool { if case .null = self { true } else { false } }

  /// The string, or `nil` if the value is not a string.
  public var stringValue: String? { if case .string(let value) = self { value } else { nil } }

  /// The value as an integer: an integer, or a double below 2^53 in magnitude without a fraction, such as `5.0`.
  ///
  /// Larger doubles are excluded: they may represent an integer that does not fit 64 bits, such as
  /// -9223372036854775809.
  public var intValue: Int64? {
    switch self {
    case .int(let value): value
    case .double(let value): Int64(exactlyWhole: value)
    default: nil
    }
  }

  /// The value as a double, or `nil` if it is not a number. Integers beyond 2^53 in magnitude lose precision.
  public var doubleValue: Double? {
    switch self {
    case .int(let value): Double(value)
    case .double(let value): value
    default: nil
    }
  }

  /// The Boolean, or `nil` if the value is not a Boolean.
  public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }

  /// The elements, or `nil` if the value is not an array.
  public var arrayValue: [JSONValue]? { if case .array(let value) = self { value } else { nil } }

  /// The members, or `nil` if the value is not an object.
  public var objectValue: [String: JSONValue]? { if case .object(let value) = self { value } else { nil } }
}

extension Int64 {
  /// Converts a whole number. Returns `nil` for a fraction, and for a magnitude of 2^53 or more, where a double
  /// represents several integers.
  init?(exactlyWhole value: Double) {
    guard abs(value) < 9_007_199_254_740_992 else { return nil }
    self.init(exactly: value)
  }
}

extension JSONValue: Hashable {
  public static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.int(let left), .int(let right)): left == right
    case (.double(let left), .double(let right)): left == right
    case (.int(let whole), .double(let number)), (.double(let number), .int(let whole)):
      Int64(exactly: number) == whole
    case (.string(let left), .string(let right)): left == right
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let value): hasher.combine(value)
    case .int(let value): hasher.combine(value)
    case .double(let value):
      if let whole = Int64(exactly: value) { hasher.combine(whole) } else { hasher.combine(value) }
    case .string(let value): hasher.combine(value)
    case .array(let value): hasher.combine(value)
    case .object(let value): hasher.combine(value)
    }
  }
}

extension JSONValue: Codable {
  public init(from decoder: any Decoder) throws {
    // A decoder does not expose the kind of a value, so try each kind, starting with frequent kinds. For arrays and
    // objects, try only the container, so that errors inside it keep their path.
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .int(value)
    } else if let value = try? container.decode(Double.self) {
      self = .double(value)
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let members = try? decoder.container(keyedBy: WireKey.self) {
      var object: [String: JSONValue] = [:]
      for key in members.allKeys { object[key.stringValue] = try members.decode(JSONValue.self, forKey: key) }
      self = .object(object)
    } else if var elements = try? decoder.unkeyedContainer() {
      var array: [JSONValue] = []
      while !elements.isAtEnd { array.append(try elements.decode(JSONValue.self)) }
      self = .array(array)
    } else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "expected a number below 1.8e308")
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .int(let value): try container.encode(value)
    case .double(let value):
      // Write large whole numbers as integers, because their shortest representation, such as 4.611686018427388e+18,
      // denotes another integer when parsed exactly.
      if let whole = Int64(exactly: value) { try container.encode(whole) } else { try container.encode(value) }
    case .string(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(nilLiteral: ()) { self = .null }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int64) { self = .int(value) }
  public init(floatLiteral value: Double) { self = .double(value) }
  public init(stringLiteral value: String) { self = .string(value) }
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  /// Creates an object. The last of several equal keys wins.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(Dictionary(elements, uniquingKeysWith: { _, last in last }))
  }
}
