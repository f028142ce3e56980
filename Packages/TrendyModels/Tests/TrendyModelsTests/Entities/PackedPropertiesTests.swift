import Testing
import TrendyModels

@Suite("PackedProperties", .timeLimit(.minutes(10)))
struct PackedPropertiesTests {
  private static func value(_ words: inout SeededGenerator, depth: Int = 0) -> JSONValue {
    let word = words.next()
    switch word % (depth > 3 ? 8 : 10) {
    case 0: return .null
    case 1: return .bool(word >> 8 & 1 == 0)
    case 2: return .int(Int64(bitPattern: words.next()) >> Int64(words.next() % 64))
    case 3: return .double(Double(bitPattern: words.next()))
    case 4: return .double(Double(Int64(bitPattern: words.next()) >> Int64(words.next() % 64)) / 10)
    case 5:
      let special = [0, -0.0, 0.1, 85.7, -1.005, 1e300, Double.leastNonzeroMagnitude, 0.001, 123_456.789]
      return .double(special[Int(words.next() % 9)])
    case 6: return .string(String(repeating: "é", count: Int(words.next() % 40)))
    case 7: return .string("place \(words.next() % 1000)")
    case 8: return .array((0..<words.next() % 4).map { _ in value(&words, depth: depth + 1) })
    default:
      return .object(
        Dictionary((0..<words.next() % 4).map { ("m\($0)", value(&words, depth: depth + 1)) }) { first, _ in first })
    }
  }

  private static func properties(_ words: inout SeededGenerator) -> [String: PropertyValue] {
    var properties: [String: PropertyValue] = [:]
    for _ in 0..<words.next() % 8 {
      let name = String(repeating: "n", count: Int(words.next() % 40)) + "\(words.next() % 9)"
      properties[name] = PropertyValue(
        type: PropertyType.allCases[Int(words.next() % 8)], value: value(&words))
    }
    return properties
  }

  /// Text that differs if any bit of a value differs, unlike `==`, which compares meaning.
  private static func text(_ properties: [String: PropertyValue]) -> String {
    func text(_ value: JSONValue) -> String {
      switch value {
      case .double(let number): "d\(number.bitPattern)"
      case .array(let values): "[\(values.map(text).joined(separator: ","))]"
      case .object(let values): "{\(values.sorted { $0.key < $1.key }.map { $0.key + text($0.value) })}"
      default: "\(value)"
      }
    }
    return "\(properties.sorted { $0.key < $1.key }.map { ($0.key, $0.value.type, text($0.value.value)) })"
  }

  /// Bytes of the values as files store them.
  private static func bytes(_ packed: PackedProperties) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: packed.byteCount) { buffer, count in
      if let base = buffer.baseAddress { packed.copyBytes(to: base) }
      count = packed.byteCount
    }
  }

  @Test(arguments: 1...300 as ClosedRange<UInt64>)
  func `packed properties are unpacked bit by bit`(seed: UInt64) throws {
    var words = SeededGenerator(seed: seed)
    let properties = Self.properties(&words)
    let packed = PackedProperties(properties)
    #expect(packed.count == properties.count && packed.isEmpty == properties.isEmpty)
    var again = PackedProperties()
    if let bytes = packed.shape?.bytes {
      let shape = try #require(bytes.withUnsafeBytes { PropertyShape($0) })
      again = try #require(Self.bytes(packed).withUnsafeBytes { PackedProperties(shape: shape, bytes: $0) })
    }
    #expect(Self.text(again.dictionary) == Self.text(properties))
    var listed: [String: PropertyValue] = [:]
    again.forEach { listed[$0] = $1 }
    #expect(Self.text(listed) == Self.text(properties))
    listed = [:]
    again.forEachPacked { listed[$0.names[$1]] = PropertyValue(type: $0.types[$1], value: $2.json) }
    #expect(Self.text(listed) == Self.text(properties))
    for name in properties.keys { #expect(again[name] != nil) }
    #expect(again["never there"] == nil)
    let hasNumbersOnly = !Self.text(properties).contains("nan")
    if hasNumbersOnly { #expect((again == packed) == (again.dictionary == packed.dictionary)) }
  }

  @Test(arguments: 1...300 as ClosedRange<UInt64>)
  func `random bytes are decoded or rejected without a crash`(seed: UInt64) throws {
    var words = SeededGenerator(seed: seed)
    let packed = PackedProperties(Self.properties(&words))
    guard var shapeBytes = packed.shape?.bytes else { return }
    var values = Self.bytes(packed)
    for _ in 0..<3 {
      shapeBytes[Int(words.next() % UInt64(shapeBytes.count))] ^= 1 << UInt8(words.next() % 8)
      values[Int(words.next() % UInt64(values.count))] ^= 1 << UInt8(words.next() % 8)
    }
    if words.next() % 2 == 0 { values.removeLast() }
    guard let other = shapeBytes.withUnsafeBytes({ PropertyShape($0) }) else { return }
    guard let read = values.withUnsafeBytes({ PackedProperties(shape: other, bytes: $0) }) else { return }
    #expect(read.dictionary.count <= other.names.count)
  }

  @Test func `equality compares meaning`() {
    let left = PackedProperties(["a": PropertyValue(type: .number, value: 5)])
    let right = PackedProperties(["a": PropertyValue(type: .number, value: 5.0)])
    #expect(left == right && left.hashValue == right.hashValue)
    #expect(left != PackedProperties(["a": PropertyValue(type: .duration, value: 5)]))
    #expect(left != PackedProperties() && PackedProperties() == PackedProperties([:]))
  }

  @Test func `a decimal number is stored in 3 bytes`() {
    let packed = PackedProperties(["weight": PropertyValue(type: .number, value: 85.7)])
    #expect(packed.byteCount == 3 && Self.bytes(packed) == [8, 0xB2, 0x0D])
  }
}
