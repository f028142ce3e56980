import Foundation
public import TrendyModels

/// Format of an entry in a store: additional facts followed by the serialized feed entry, which feed pages copy
/// unchanged.
///
/// Layout: the byte 1; the length of the facts as a little-endian 32-bit integer; the facts as JSON (see
/// ``HubEntry/storedFacts``); the serialized feed entry.
enum StoredEntry {
  private static let form: UInt8 = 1
  private static let headerBytes = 5

  static func write(_ entry: HubEntry, user: String) -> [UInt8] {
    let facts = JSONText.write(entry.storedFacts)
    let line = entry.line(user: user).text
    var bytes: [UInt8] = []
    bytes.reserveCapacity(headerBytes + facts.count + line.count)
    bytes.append(form)
    for shift in stride(from: 0, to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: facts.count >> shift)) }
    bytes += facts
    bytes += line
    return bytes
  }

  static func line(in bytes: UnsafeRawBufferPointer) -> Data? { parts(bytes).map { Data($0.line) } }

  /// Returns the feed entry's `data` member, or `nil` for an unknown format.
  static func document(in bytes: UnsafeRawBufferPointer) -> SerializedObject? {
    guard let line = parts(bytes)?.line else { return nil }
    return SerializedObject(UnsafeRawBufferPointer(rebasing: line)).member("data").map(SerializedObject.init)
  }

  /// Returns the `data` member, or `nil` for a restored entity, whose REST document also contains its incarnation.
  static func unrestored(in bytes: UnsafeRawBufferPointer) -> SerializedObject? {
    guard let line = parts(bytes)?.line else { return nil }
    var data: UnsafeRawBufferPointer?
    var isFirst = false
    _ = SerializedObject(UnsafeRawBufferPointer(rebasing: line)).forEachMember { name, value in
      if name.equals("data") { data = value }
      if name.equals("incarnation") { isFirst = value.equals("0") }
      return data == nil || !isFirst
    }
    return isFirst ? data.map(SerializedObject.init) : nil
  }

  /// Decodes an entry, or returns `nil` for an unknown format.
  static func read(_ bytes: UnsafeRawBufferPointer) throws(Problem) -> HubEntry? {
    func parse(_ part: Slice<UnsafeRawBufferPointer>) throws(Problem) -> JSONValue {
      try JSONText.parse(Data(part), maximumDepth: JSONText.maximumDepth * 2)
    }
    guard let parts = parts(bytes) else { return nil }
    return HubEntry(line: try parse(parts.line), facts: try parse(parts.facts))
  }

  private typealias Parts = (facts: Slice<UnsafeRawBufferPointer>, line: Slice<UnsafeRawBufferPointer>)

  private static func parts(_ bytes: UnsafeRawBufferPointer) -> Parts? {
    guard bytes.count > headerBytes, bytes[0] == form else { return nil }
    let count = Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 1, as: UInt32.self)))
    guard count < bytes.count - headerBytes else { return nil }
    return (bytes[headerBytes..<headerBytes + count], bytes[(headerBytes + count)...])
  }
}

extension HubEntry {
  /// Facts missing from the serialized feed entry.
  ///
  /// A JSON array: version of the first write; times of the first write, of the last write and of the deletion (or
  /// `null`), in milliseconds since 1970; for a restored entity, an array with the version and the author (or `null`)
  /// of the restore; names of re-offered fields.
  public var storedFacts: JSONValue {
    var facts: [JSONValue] = [
      .int(createdVersion), .int(createdAt.milliseconds), .int(updatedAt.milliseconds),
      deletedAt.map { .int($0.milliseconds) } ?? .null,
    ]
    if let restoration {
      facts.append([.int(restoration.version), restoration.author.map { .string($0) } ?? .null])
    }
    return .array(facts + fields.filter(\.value.isReoffered).keys.sorted().map { .string($0) })
  }

  /// Creates an entry from a parsed feed entry and its ``storedFacts``, or returns `nil` if they are invalid.
  public init?(line: JSONValue, facts: JSONValue) {
    guard let members = line.objectValue, let facts = facts.arrayValue, facts.count >= 4,
      let kind = members["entity_type"]?.stringValue, let id = members["entity_id"]?.stringValue,
      let version = members["id"]?.storedCounter, let incarnation = members["incarnation"]?.storedCounter,
      let data = members["data"]?.objectValue, let marks = members["marks"]?.objectValue,
      let createdVersion = facts[0].storedCounter, let created = facts[1].intValue, let updated = facts[2].intValue
    else { return nil }
    self.init(
      kind: kind, id: id, version: version, incarnation: incarnation,
      deletedAt: facts[3].intValue.map(Date.init(milliseconds:)), createdAt: Date(milliseconds: created),
      updatedAt: Date(milliseconds: updated), createdVersion: createdVersion,
      restoration: facts.dropFirst(4).first?.arrayValue.flatMap(HubRestoration.init(stored:)), fields: [:])
    let brought = Set(facts[4...].compactMap(\.stringValue))
    for (name, value) in values(of: data, marks: marks) {
      guard let mark = (marks[name] ?? marks["*"])?.arrayValue, var field = HubField(value, mark: mark) else {
        return nil
      }
      field.isReoffered = brought.contains(name)
      fields[name] = field
    }
  }

  /// Returns the fields in a document. A removed nested key appears only in the field versions.
  private func values(of data: [String: JSONValue], marks: [String: JSONValue]) -> [String: JSONValue] {
    let nested = SyncedKind.named(kind)?.nestedMember
    var values = data.filter { !Self.ownMembers.contains($0.key) && $0.key != nested }
    guard let nested else { return values }
    for (key, value) in data[nested]?.objectValue ?? [:] { values["\(nested).\(key)"] = value }
    for name in marks.keys where values[name] == nil && name.hasPrefix("\(nested).") {
      values.updateValue(.null, forKey: name)
    }
    return values
  }
}

extension HubRestoration {
  fileprivate init?(stored facts: [JSONValue]) {
    guard facts.count == 2, let version = facts[0].intValue else { return nil }
    self.init(version: version, author: facts[1].stringValue)
  }
}
