import Foundation
public import TrendyModels

/// How an entry lies in a store: as the line that devices get, so that a page of the feed is copied and never made again, and
/// before it what the line does not say.
///
/// A byte 1; the length of the facts in four bytes, the lowest first; the facts, a JSON array: version of the first write; milliseconds
/// since 1970 of the first write, of the last, and of the deletion or null; of a restored entity an array with the version and the
/// author, or null, of the restore; then the names of the fields that were brought again after a loss. The rest is the line.
enum StoredEntry {
  private static let form: UInt8 = 1
  private static let headerBytes = 5

  static func write(_ entry: HubEntry, person: String) -> [UInt8] {
    let facts = JSONText.write(entry.storedFacts)
    let line = entry.line(person: person).text
    var bytes: [UInt8] = []
    bytes.reserveCapacity(headerBytes + facts.count + line.count)
    bytes.append(form)
    for shift in stride(from: 0, to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: facts.count >> shift)) }
    bytes += facts
    bytes += line
    return bytes
  }

  /// The line; `nil` for other bytes.
  static func line(in bytes: UnsafeRawBufferPointer) -> Data? { parts(bytes).map { Data($0.line) } }

  /// The entity's document in the line; `nil` for other bytes.
  static func document(in bytes: UnsafeRawBufferPointer) -> WrittenObject? {
    guard let line = parts(bytes)?.line else { return nil }
    return WrittenObject(UnsafeRawBufferPointer(rebasing: line)).member("data").map(WrittenObject.init)
  }

  /// The document of an entity that was never restored, as it is stored; `nil` for any other.
  static func unrestored(in bytes: UnsafeRawBufferPointer) -> WrittenObject? {
    guard let line = parts(bytes)?.line else { return nil }
    var data: UnsafeRawBufferPointer?
    var isFirst = false
    _ = WrittenObject(UnsafeRawBufferPointer(rebasing: line)).forEachMember { name, value in
      if name.equals("data") { data = value }
      if name.equals("incarnation") { isFirst = value.equals("0") }
      return data == nil || !isFirst
    }
    return isFirst ? data.map(WrittenObject.init) : nil
  }

  /// - Returns: `nil` for other bytes.
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
  /// What its line does not say, for storages that keep the line as it is given out.
  ///
  /// An array: version of the first write; milliseconds since 1970 of the first write, of the last, and of the deletion or null; of a
  /// restored entity an array with the version and the author, or null, of the restore; then the names of the fields that were brought
  /// again after a loss.
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

  /// Reads a line, parsed, and its ``storedFacts``; `nil` for anything else.
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

  /// The fields behind a document's members; one that was taken out of a member is only in the marks.
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
