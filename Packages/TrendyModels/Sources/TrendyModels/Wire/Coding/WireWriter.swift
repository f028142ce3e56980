import TrendyFoundation

/// Writer of wire documents: as JSON text, to an `Encoder`, or as the members of a ``JSONValue``.
///
/// The unknown members of an object are set first. The known members must then be written in the order of their names,
/// and the writer inserts the unknown members between them. A known member replaces an unknown member with the same
/// name.
public struct WireWriter: ~Copyable {
  private let coder: OtherCoder?
  private var text: UnsafeMutablePointer<UInt8>
  private var count = 0
  private var capacity: Int
  // Whether the current object has no member yet.
  private var isFirst = true
  /// Unknown members not yet written, in descending order of name.
  private var unknown: [(name: String, value: JSONValue)] = []
  /// Name of the previous member, to assert the order.
  private var before: StaticString = ""
  /// Whether the document contains changes to an entity's fields instead of their values.
  var isUpdate = false

  /// Container of a Foundation encoder.
  ///
  /// A separate class, so that the runtime creates the container's type only when a container is used. Creating the
  /// type takes 1/30 of the run time of a short command.
  private final class OtherCoder {
    var container: KeyedEncodingContainer<WireKey>

    init(_ encoder: any Encoder) { container = encoder.container(keyedBy: WireKey.self) }
  }

  /// Whether ``value`` is built instead of text.
  private let makesValue: Bool
  private var members: [String: JSONValue] = [:]
  /// Last completed value, if `makesValue` is set.
  private(set) var value = JSONValue.null

  init(makesValue: Bool = false) {
    self.makesValue = makesValue
    coder = nil
    capacity = makesValue ? 0 : 1024
    text = .allocate(capacity: capacity)
  }

  init(_ encoder: any Encoder) {
    makesValue = false
    coder = OtherCoder(encoder)
    capacity = 0
    text = .allocate(capacity: 0)
  }

  deinit { text.deallocate() }

  var data: Data { Data(bytes: text, count: count) }
}

@available(*, unavailable) extension WireWriter: Sendable {}

// MARK: - Members

extension WireWriter {
  /// Sets the members that this version does not know. Must be called before any other member is written.
  public mutating func write(unknown members: [String: JSONValue]) throws {
    guard !members.isEmpty else { return }
    if makesValue {
      for (name, value) in members { try appendMember(name, value) }
      return
    }
    guard coder != nil else {
      unknown = members.sorted { $0.key > $1.key }.map { ($0.key, $0.value) }
      return
    }
    for (name, value) in members.sorted(by: { $0.key < $1.key }) {
      try coder?.container.encode(value, forKey: WireKey(name))
    }
  }

  /// Writes a member. Names must be in ascending order.
  public mutating func write(_ name: StaticString, _ value: some WireValue) throws {
    if let coder {
      if let date = value as? Date {
        try coder.container.encode(RFC3339.string(from: date), forKey: WireKey(name))
      } else {
        try coder.container.encode(value, forKey: WireKey(name))
      }
      return
    }
    try begin(name)
    do {
      try value.append(to: &self)
    } catch let error as Unwritable {
      throw error.within(name.description)
    }
    end(name)
  }

  /// Writes a member unless the value is `nil`.
  public mutating func writeIfPresent(_ name: StaticString, _ value: (some WireValue)?) throws {
    if let value { try write(name, value) }
  }

  /// Writes a field of an update unless it is absent.
  public mutating func write(_ name: StaticString, _ patch: Patch<some WireValue>) throws {
    switch patch {
    case .absent: break
    case .null: try writeNull(name)
    case .value(let value): try write(name, value)
    }
  }

  private mutating func writeNull(_ name: StaticString) throws {
    guard coder == nil else {
      try coder?.container.encodeNil(forKey: WireKey(name))
      return
    }
    try begin(name)
    appendNull()
    end(name)
  }

  private mutating func end(_ name: StaticString) {
    if makesValue { members[name.description] = value }
  }

  private mutating func begin(_ name: StaticString) throws {
    assert(before.description < name.description, "\(name) must be written before \(before)")
    before = name
    if makesValue { return }
    if !unknown.isEmpty { try writeUnknown(before: name.description) }
    let length = name.utf8CodeUnitCount
    reserve(length + 4)
    if !isFirst { put(UInt8(ascii: ",")) }
    isFirst = false
    put(UInt8(ascii: "\""))
    (text + count).initialize(from: name.utf8Start, count: length)
    count += length
    put(UInt8(ascii: "\""))
    put(UInt8(ascii: ":"))
  }

  private mutating func writeUnknown(before name: String?) throws {
    while let next = unknown.last {
      if let name, next.name >= name {
        if next.name == name { unknown.removeLast() }
        return
      }
      unknown.removeLast()
      try appendMember(next.name, next.value)
    }
  }
}

// MARK: - Values

extension WireWriter {
  mutating func appendObject(_ write: (inout WireWriter) throws -> Void) throws {
    if makesValue {
      let outer = (members, before, isUpdate)
      (members, before, isUpdate) = ([:], "", false)
      try write(&self)
      value = .object(members)
      (members, before, isUpdate) = outer
      return
    }
    let outer = (isFirst, unknown, before, isUpdate)
    (isFirst, unknown, before, isUpdate) = (true, [], "", false)
    reserve(1)
    put(UInt8(ascii: "{"))
    try write(&self)
    if !unknown.isEmpty { try writeUnknown(before: nil) }
    reserve(1)
    put(UInt8(ascii: "}"))
    (isFirst, unknown, before, isUpdate) = outer
  }

  private mutating func appendMember(_ name: String, _ value: some WireValue) throws {
    if makesValue {
      try appendValue(of: name, value)
      members[name] = self.value
      return
    }
    if !isFirst {
      reserve(1)
      put(UInt8(ascii: ","))
    }
    isFirst = false
    append(name)
    reserve(1)
    put(UInt8(ascii: ":"))
    try appendValue(of: name, value)
  }

  private mutating func appendValue(of name: String, _ value: some WireValue) throws {
    do {
      try value.append(to: &self)
    } catch let error as Unwritable {
      throw error.within(name)
    }
  }

  mutating func append(_ members: [String: some WireValue]) throws {
    try appendObject { writer in
      for (name, value) in members.sorted(by: { $0.key < $1.key }) { try writer.appendMember(name, value) }
    }
  }

  mutating func append(_ values: [some WireValue]) throws {
    var made: [JSONValue] = []
    reserve(2)
    if makesValue { made.reserveCapacity(values.count) } else { put(UInt8(ascii: "[")) }
    for index in values.indices {
      if index > 0, !makesValue {
        reserve(1)
        put(UInt8(ascii: ","))
      }
      do {
        try values[index].append(to: &self)
      } catch let error as Unwritable {
        throw error.within("[\(index)]")
      }
      if makesValue { made.append(value) }
    }
    if makesValue {
      value = .array(made)
    } else {
      reserve(1)
      put(UInt8(ascii: "]"))
    }
  }

  mutating func append(_ value: JSONValue) throws {
    switch value {
    case .null: appendNull()
    case .bool(let value): append(value)
    case .int(let value): append(value)
    case .double(let value): try append(value)
    case .string(let value): append(value)
    case .array(let values): try append(values)
    case .object(let members): try append(members)
    }
  }

  mutating func appendNull() {
    if makesValue { value = .null } else { append("null" as StaticString) }
  }

  mutating func append(_ value: Bool) {
    if makesValue { self.value = .bool(value) } else { append(value ? "true" : "false" as StaticString) }
  }

  private mutating func append(_ literal: StaticString) {
    reserve(literal.utf8CodeUnitCount)
    (text + count).initialize(from: literal.utf8Start, count: literal.utf8CodeUnitCount)
    count += literal.utf8CodeUnitCount
  }

  mutating func append(_ value: Int64) {
    if makesValue {
      self.value = .int(value)
      return
    }
    reserve(20)
    if value < 0 { put(UInt8(ascii: "-")) }
    var rest = value.magnitude
    var length = 1
    while rest >= 10 {
      rest /= 10
      length += 1
    }
    rest = value.magnitude
    for place in (0..<length).reversed() {
      text[count + place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    count += length
  }

  /// Appends the shortest decimal number that parses as the same double.
  mutating func append(_ value: Double) throws {
    // Write large whole numbers as integers, because their shortest representation, such as 4.611686018427388e+18,
    // denotes another integer when parsed exactly.
    if let whole = Int64(exactly: value) { return append(whole) }
    guard value.isFinite else { throw Unwritable(value: value) }
    if makesValue {
      self.value = .double(value)
      return
    }
    let written = value.description.utf8
    reserve(written.count)
    for byte in written { put(byte) }
  }

  mutating func append(_ date: Date) {
    if makesValue {
      value = .string(RFC3339.string(from: date))
      return
    }
    reserve(RFC3339.length + 2)
    put(UInt8(ascii: "\""))
    RFC3339.write(date, to: text + count)
    count += RFC3339.length
    put(UInt8(ascii: "\""))
  }

  mutating func append(_ value: String) {
    if makesValue {
      self.value = .string(value)
      return
    }
    // Only strings bridged from Objective-C are not stored as contiguous UTF-8.
    if value.utf8.withContiguousStorageIfAvailable({ append($0) }) == nil {
      Array(value.utf8).withUnsafeBufferPointer { append($0) }
    }
  }

  private mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    // The longest escape has six bytes.
    reserve(bytes.count * 6 + 2)
    put(UInt8(ascii: "\""))
    var index = 0
    while index < bytes.count {
      if index + 8 <= bytes.count {
        let word = UnsafeRawPointer(bytes.baseAddress! + index).loadUnaligned(as: UInt64.self)
        UnsafeMutableRawPointer(text + count).storeBytes(of: word, as: UInt64.self)
        if Self.isPlain(UInt64(littleEndian: word)) {
          index += 8
          count += 8
          continue
        }
      }
      // One of the next eight bytes needs an escape, or fewer than eight bytes remain.
      let end = min(index + 8, bytes.count)
      while index < end {
        putEscaping(bytes[index])
        index += 1
      }
    }
    put(UInt8(ascii: "\""))
  }

  /// Returns whether none of eight bytes is a control character, a quotation mark or a backslash.
  private static func isPlain(_ word: UInt64) -> Bool {
    let quote = word ^ 0x2222_2222_2222_2222
    let escape = word ^ 0x5C5C_5C5C_5C5C_5C5C
    let found =
      (word &- 0x2020_2020_2020_2020) & ~word | (quote &- 0x0101_0101_0101_0101) & ~quote
      | (escape &- 0x0101_0101_0101_0101) & ~escape
    return found & 0x8080_8080_8080_8080 == 0
  }

  private mutating func putEscaping(_ byte: UInt8) {
    guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { return put(byte) }
    put(UInt8(ascii: "\\"))
    switch byte {
    case 0x08: put(UInt8(ascii: "b"))
    case 0x09: put(UInt8(ascii: "t"))
    case 0x0A: put(UInt8(ascii: "n"))
    case 0x0C: put(UInt8(ascii: "f"))
    case 0x0D: put(UInt8(ascii: "r"))
    case 0..<0x20:
      for byte in "u00".utf8 { put(byte) }
      put(byte < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
      let digit = byte & 15
      put(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    default: put(byte)
    }
  }
}

// MARK: - Bytes

extension WireWriter {
  /// Appends a byte. Space must have been reserved with ``reserve(_:)``.
  private mutating func put(_ byte: UInt8) {
    text[count] = byte
    count += 1
  }

  private mutating func reserve(_ more: Int) {
    if count + more > capacity { grow(more) }
  }

  private mutating func grow(_ more: Int) {
    capacity = max(capacity * 2, count + more)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    larger.moveInitialize(from: text, count: count)
    text.deallocate()
    text = larger
  }
}

/// Error for a number that JSON cannot represent.
struct Unwritable: Error {
  var path = ""
  var value: Double

  func within(_ name: String) -> Unwritable {
    let separator = path.isEmpty || path.hasPrefix("[") ? "" : "."
    return Unwritable(path: name + separator + path, value: value)
  }
}
