#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The names and types of an event's properties, in the order of the names. Events of one type mostly share one shape.
public final class PropertyShape: Sendable {
  public let names: [String]
  public let types: [PropertyType]
  /// How files keep it (docs/format-rows.md, "Properties").
  public let bytes: [UInt8]

  private static let kinds: [PropertyType] = [.text, .number, .boolean, .date, .select, .duration, .url, .email]
  private static let longName = 31

  init(_ properties: [(key: String, value: PropertyValue)]) {
    names = properties.map(\.key)
    types = properties.map(\.value.type)
    var bytes: [UInt8] = []
    PackedJSON.append(number: UInt64(properties.count), to: &bytes)
    for (name, type) in zip(names, types) {
      guard let kind = Self.kinds.firstIndex(of: type) else { preconditionFailure("\(type) has no number") }
      let count = name.utf8.count
      bytes.append(UInt8(kind << 5 | min(count, Self.longName)))
      if count >= Self.longName { PackedJSON.append(number: UInt64(count), to: &bytes) }
      bytes.append(contentsOf: name.utf8)
    }
    self.bytes = bytes
  }

  /// - Returns: `nil` for what is no shape; its names rise.
  public init?(_ source: UnsafeRawBufferPointer) {
    guard let base = source.baseAddress else { return nil }
    var reader = PackedReader(base, end: base + source.count)
    guard let count = reader.number(), count <= UInt64(source.count) else { return nil }
    var names: [String] = []
    var types: [PropertyType] = []
    for _ in 0..<count {
      guard let head = reader.byte() else { return nil }
      var length = UInt64(head & 31)
      if length == Self.longName {
        guard let long = reader.number() else { return nil }
        length = long
      }
      guard let piece = reader.piece(length) else { return nil }
      let name = String(decoding: piece, as: UTF8.self)
      if let last = names.last, last >= name { return nil }
      names.append(name)
      types.append(Self.kinds[Int(head >> 5)])
    }
    guard reader.isAtEnd else { return nil }
    self.names = names
    self.types = types
    bytes = Array(source)
  }

  /// Whether ``bytes`` are these.
  public func isBytes(_ other: UnsafeRawBufferPointer) -> Bool {
    bytes.count == other.count
      && bytes.withUnsafeBytes { own in
        guard let left = own.baseAddress, let right = other.baseAddress else { return true }
        return memcmp(left, right, own.count) == 0
      }
  }
}

/// An event's properties in few bytes: the names are those of a shape that many events share, the values lie one after the
/// other. A value is made when it is asked for.
///
/// What is done for every event of a range is inlined into other modules, which saves a call for each value.
public struct PackedProperties: Sendable {
  @usableFromInline typealias Words = (UInt64, UInt64, UInt64, UInt64)
  @usableFromInline static let mostHere = 31

  @usableFromInline var keptShape: PropertyShape?
  /// The values, where they are few; the last byte says how many.
  @usableFromInline var words: Words = (0, 0, 0, 0)
  /// The values that do not fit here.
  @usableFromInline var more: [UInt8]?

  @inlinable public init() { keptShape = nil }

  public init(_ values: [String: PropertyValue]) {
    guard !values.isEmpty else {
      keptShape = nil
      return
    }
    let sorted = values.sorted { $0.key < $1.key }
    var bytes: [UInt8] = []
    for (_, property) in sorted { PackedJSON.append(property.value, to: &bytes) }
    keptShape = PropertyShape(sorted)
    bytes.withUnsafeBytes { keep($0) }
  }

  /// As a file keeps them; the bytes are copied.
  /// - Returns: `nil` where they are not a value for each name.
  public init?(shape: PropertyShape, bytes: UnsafeRawBufferPointer) {
    guard set(shape, bytes) else { return nil }
  }

  @inlinable mutating func set(_ shape: consuming PropertyShape, _ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let base = bytes.baseAddress, Self.fits(shape.names.count, base, end: base + bytes.count) else {
      return false
    }
    // Where there are no names there are no bytes.
    if bytes.isEmpty { keptShape = nil } else { keptShape = shape }
    more = nil
    keep(bytes)
    return true
  }

  @inlinable static func fits(_ count: Int, _ base: UnsafeRawPointer, end: UnsafeRawPointer) -> Bool {
    var reader = PackedReader(base, end: end)
    for _ in 0..<count {
      guard reader.skipValue() else { return false }
    }
    return reader.isAtEnd
  }

  @inlinable @inline(__always) mutating func keep(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count <= Self.mostHere else {
      more = Array(bytes)
      return
    }
    withUnsafeMutableBytes(of: &words) { here in
      here.copyMemory(from: bytes)
      here[Self.mostHere] = UInt8(bytes.count)
    }
  }

  /// The names and types; `nil` where there are none.
  @inlinable public var shape: PropertyShape? { keptShape }
  public var isEmpty: Bool { shape == nil }
  public var count: Int { shape?.names.count ?? 0 }

  /// By name; made anew each time.
  public var dictionary: [String: PropertyValue] {
    guard let shape else { return [:] }
    var values: [String: PropertyValue] = [:]
    values.reserveCapacity(shape.names.count)
    forEach { values[$0] = $1 }
    return values
  }

  public subscript(name: String) -> PropertyValue? {
    guard let shape, let index = shape.names.firstIndex(of: name) else { return nil }
    return withValues { base, end in
      var reader = PackedReader(base, end: end)
      for _ in 0..<index { _ = reader.skipValue() }
      return reader.value().map { PropertyValue(type: shape.types[index], value: $0) }
    }
  }

  /// Each in the order of the names.
  public func forEach(_ body: (String, PropertyValue) -> Void) {
    guard let shape else { return }
    _ = withValues { base, end in Self.forEach(shape, base, end: end, body) }
  }

  /// The same of what lies in a file, which nothing is copied of.
  /// - Returns: `false` where the bytes are not a value for each name; it may have shown some.
  @discardableResult
  public static func forEach(
    _ shape: PropertyShape, _ bytes: UnsafeRawBufferPointer, _ body: (String, PropertyValue) -> Void
  ) -> Bool {
    guard let base = bytes.baseAddress else { return shape.names.isEmpty }
    return forEach(shape, base, end: base + bytes.count, body)
  }

  @discardableResult
  private static func forEach(
    _ shape: PropertyShape, _ base: UnsafeRawPointer, end: UnsafeRawPointer, _ body: (String, PropertyValue) -> Void
  ) -> Bool {
    var reader = PackedReader(base, end: end)
    for index in 0..<shape.names.count {
      guard let value = reader.value() else { return false }
      body(shape.names[index], PropertyValue(type: shape.types[index], value: value))
    }
    return reader.isAtEnd
  }

  /// Each in the order of the names, by its place in ``shape``, as it lies here: no text is made.
  @inlinable public func forEachPacked(_ body: (PropertyShape, Int, PackedValue) -> Void) {
    guard let shape else { return }
    _ = withValues { Self.forEachPacked(shape, $0, end: $1, body) }
  }

  /// The same of what lies in a file.
  /// - Returns: `false` where the bytes are not a value for each name; it may have shown some.
  @inlinable public static func forEachPacked(
    _ shape: PropertyShape, _ bytes: UnsafeRawBufferPointer, _ body: (PropertyShape, Int, PackedValue) -> Void
  ) -> Bool {
    guard let base = bytes.baseAddress else { return shape.names.isEmpty }
    return forEachPacked(shape, base, end: base + bytes.count, body)
  }

  @inlinable static func forEachPacked(
    _ shape: PropertyShape, _ base: UnsafeRawPointer, end: UnsafeRawPointer,
    _ body: (PropertyShape, Int, PackedValue) -> Void
  ) -> Bool {
    var reader = PackedReader(base, end: end)
    for index in 0..<shape.names.count {
      guard let value = reader.packedValue() else { return false }
      body(shape, index, value)
    }
    return reader.isAtEnd
  }

  /// Bytes of the values as files keep them.
  public var byteCount: Int { more?.count ?? Int(truncatingIfNeeded: words.3.littleEndian &>> 56) }

  /// Copies the values as files keep them, ``byteCount`` bytes.
  public func copyBytes(to target: UnsafeMutableRawPointer) {
    withValues { target.copyMemory(from: $0, byteCount: $1 - $0) }
  }

  @inlinable func withValues<Result>(_ body: (UnsafeRawPointer, UnsafeRawPointer) throws -> Result) rethrows -> Result {
    if let more {
      return try more.withUnsafeBytes { bytes in
        guard let base = bytes.baseAddress else { preconditionFailure("more than fits here is no byte") }
        return try body(base, base + bytes.count)
      }
    }
    return try withUnsafeBytes(of: words) { bytes in
      guard let base = bytes.baseAddress else { preconditionFailure("words have no place") }
      return try body(base, base + Int(bytes[Self.mostHere]))
    }
  }
}

extension PackedProperties: Hashable {
  public static func == (left: PackedProperties, right: PackedProperties) -> Bool {
    if left.isEmpty || right.isEmpty { return left.isEmpty && right.isEmpty }
    return left.dictionary == right.dictionary
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(dictionary) }
}
