#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Names and types of an event's properties, ordered by name. Events of one type usually share one shape.
public final class PropertyShape: Sendable {
  /// Property names in ascending order.
  public let names: [String]
  /// Type of each property, in the order of ``names``.
  public let types: [PropertyType]
  /// Storage format of the shape (`docs/format-rows.md`, "Properties").
  public let bytes: [UInt8]

  private static let kinds: [PropertyType] = [.text, .number, .boolean, .date, .select, .duration, .url, .email]
  private static let longName = 31

  init(_ properties: [(key: String, value: PropertyValue)]) {
    names = properties.map(\.key)
    types = properties.map(\.value.type)
    var bytes: [UInt8] = []
    PackedJSON.append(number: UInt64(properties.count), to: &bytes)
    for (name, type) in zip(names, types) {
      guard let kind = Self.kinds.firstIndex(of: type) else { preconditionFailure("\(type) has no storage code") }
      let count = name.utf8.count
      bytes.append(UInt8(kind << 5 | min(count, Self.longName)))
      if count >= Self.longName { PackedJSON.append(number: UInt64(count), to: &bytes) }
      bytes.append(contentsOf: name.utf8)
    }
    self.bytes = bytes
  }

  /// Parses the storage format. Returns `nil` if the bytes are invalid or the names are not in ascending order.
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

  /// Returns whether ``bytes`` equals these bytes.
  public func isBytes(_ other: UnsafeRawBufferPointer) -> Bool {
    bytes.count == other.count
      && bytes.withUnsafeBytes { own in
        guard let left = own.baseAddress, let right = other.baseAddress else { return true }
        return memcmp(left, right, own.count) == 0
      }
  }
}

/// Compact storage of an event's properties: names and types in a shared shape, values consecutively in packed form.
/// Values are created on access.
///
/// Functions that bulk reads call for every event are inlinable into other modules, which saves a call per value.
public struct PackedProperties: Sendable {
  @usableFromInline typealias Words = (UInt64, UInt64, UInt64, UInt64)
  @usableFromInline static let inlineCapacity = 31

  @usableFromInline var keptShape: PropertyShape?
  /// Packed values of up to 31 bytes. The last byte contains their length.
  @usableFromInline var words: Words = (0, 0, 0, 0)
  /// Packed values that do not fit ``words``.
  @usableFromInline var more: [UInt8]?

  /// Creates an empty set of properties.
  @inlinable public init() { keptShape = nil }

  /// Packs properties given by key.
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

  /// Creates properties from a copy of their storage format. Returns `nil` if the bytes do not contain one value per
  /// name.
  public init?(shape: PropertyShape, bytes: UnsafeRawBufferPointer) {
    guard set(shape, bytes) else { return nil }
  }

  @inlinable mutating func set(_ shape: consuming PropertyShape, _ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let base = bytes.baseAddress, Self.fits(shape.names.count, base, end: base + bytes.count) else {
      return false
    }
    // A shape without names has an empty value section.
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
    guard bytes.count <= Self.inlineCapacity else {
      more = Array(bytes)
      return
    }
    withUnsafeMutableBytes(of: &words) { here in
      here.copyMemory(from: bytes)
      here[Self.inlineCapacity] = UInt8(bytes.count)
    }
  }

  /// Names and types, or `nil` if the set is empty.
  @inlinable public var shape: PropertyShape? { keptShape }
  public var isEmpty: Bool { shape == nil }
  public var count: Int { shape?.names.count ?? 0 }

  /// Properties by name. Created on each access.
  public var dictionary: [String: PropertyValue] {
    guard let shape else { return [:] }
    var values: [String: PropertyValue] = [:]
    values.reserveCapacity(shape.names.count)
    forEach { values[$0] = $1 }
    return values
  }

  /// Returns the property with this name, or `nil`.
  public subscript(name: String) -> PropertyValue? {
    guard let shape, let index = shape.names.firstIndex(of: name) else { return nil }
    return withValues { base, end in
      var reader = PackedReader(base, end: end)
      for _ in 0..<index { _ = reader.skipValue() }
      return reader.value().map { PropertyValue(type: shape.types[index], value: $0) }
    }
  }

  /// Calls `body` for each property in the order of names.
  public func forEach(_ body: (String, PropertyValue) -> Void) {
    guard let shape else { return }
    _ = withValues { base, end in Self.forEach(shape, base, end: end, body) }
  }

  /// Calls `body` with the name and value of each property in packed form, in the order of names, without copying the
  /// bytes.
  ///
  /// - Returns: `false` if the bytes do not contain exactly one value per name. In that case `body` may already have
  ///   been called for some of the properties.
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

  /// Calls `body` for each property in the order of names, with its index in ``shape`` and its value in packed form. No
  /// strings are created.
  @inlinable public func forEachPacked(_ body: (PropertyShape, Int, PackedValue) -> Void) {
    guard let shape else { return }
    _ = withValues { Self.forEachPacked(shape, $0, end: $1, body) }
  }

  /// Calls `body` for each property in packed form, in the order of names, with its index in the shape.
  ///
  /// - Returns: `false` if the bytes do not contain exactly one value per name. In that case `body` may already have
  ///   been called for some of the properties.
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

  /// Length of the packed values in bytes.
  public var byteCount: Int { more?.count ?? Int(truncatingIfNeeded: words.3.littleEndian &>> 56) }

  /// Copies the packed values, ``byteCount`` bytes.
  public func copyBytes(to target: UnsafeMutableRawPointer) {
    withValues { target.copyMemory(from: $0, byteCount: $1 - $0) }
  }

  @inlinable func withValues<Result>(_ body: (UnsafeRawPointer, UnsafeRawPointer) throws -> Result) rethrows -> Result {
    if let more {
      return try more.withUnsafeBytes { bytes in
        guard let base = bytes.baseAddress else { preconditionFailure("the overflow buffer is empty") }
        return try body(base, base + bytes.count)
      }
    }
    return try withUnsafeBytes(of: words) { bytes in
      guard let base = bytes.baseAddress else { preconditionFailure("the inline buffer has no address") }
      return try body(base, base + Int(bytes[Self.inlineCapacity]))
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
