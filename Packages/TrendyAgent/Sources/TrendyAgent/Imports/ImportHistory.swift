public import TrendyFoundation
import TrendyInterchange
import TrendyModels
import TrendyPersistence

/// One import: its source, its progress, and the number of entities that it created.
public struct ImportEntry: Hashable, Sendable {
  /// Id, as used by `trendy import undo`.
  public var id: String
  /// Format of the file (`InterchangeFormat.word`).
  public var format: String
  /// Path of the file as the user entered it.
  public var source: String
  public var started: Date
  /// Time of completion, or `nil` if the import is running or was interrupted.
  public var finished: Date?
  /// Time at which the import was undone, or `nil`.
  public var undone: Date?
  /// Hash of the file and the options, by which an interrupted import is recognised and resumed.
  var fingerprint: String
  /// Digests of the first events, or `nil` for a file without events.
  var reading: ImportReading?
  /// Number of entities that the import created.
  public internal(set) var madeCount = 0
}

/// Entity that an import created.
struct MadeEntity: Hashable {
  var kind: MutationEntityType
  var id: String
  /// Digest of the entity's fields at its creation, for detecting later edits.
  var digest: String
  /// Whether undoing the import has deleted the entity. Such an entity may be imported again, unlike an entity that the
  /// user deleted.
  var isTakenBack = false
}

/// Import history of a store, in local values.
///
/// An entry is saved in the same transaction as the batch that it describes, and is part of every backup. The list of
/// created entities is read in parts, because it takes 70 MB or more for a million events. Must be used within a unit
/// of work. Changes require the write lock.
struct ImportHistory {
  /// Number of created entities per part of the list.
  static let partLength = 500
  private static let name = "imports"

  private let store: LocalStore

  init(_ store: LocalStore) { self.store = store }

  func entries() throws -> [ImportEntry] { try ids().compactMap(entry) }

  /// Returns an import, or `nil` if it is missing because the store was damaged.
  func entry(_ id: String) throws -> ImportEntry? {
    guard let head = try head(id), var entry = ImportEntry(id: id, head) else { return nil }
    entry.madeCount = Self.count(head)
    return entry
  }

  func begin(_ entry: ImportEntry) throws {
    var head: [String: JSONValue] = [
      "format": .string(entry.format), "source": .string(entry.source), "fingerprint": .string(entry.fingerprint),
      "started": .string(RFC3339.string(from: entry.started)),
    ]
    if let reading = entry.reading { head.merge(reading.members) { $1 } }
    try put(head, of: entry.id)
    try store.setNote(.array((ids() + [entry.id]).map { .string($0) }), named: Self.name)
  }

  func append(_ made: [MadeEntity], to id: String) throws {
    guard var head = try head(id) else { return }
    var part = Self.parts(head)
    head["count"] = .int(Int64(Self.count(head) + made.count))
    var rest = made[...]
    while !rest.isEmpty {
      let piece = rest.prefix(Self.partLength)
      try put(Array(piece), of: id, part: part)
      rest = rest.dropFirst(piece.count)
      part += 1
    }
    head["parts"] = .int(Int64(part))
    try put(head, of: id)
  }

  func partCount(of id: String) throws -> Int { try head(id).map(Self.parts) ?? 0 }

  /// Returns one part of the list of created entities, in order of creation.
  func made(by id: String, part: Int) throws -> [MadeEntity] {
    (try store.note(named: Self.name(id, part: part))?.arrayValue ?? []).compactMap { MadeEntity($0) }
  }

  func put(_ made: [MadeEntity], of id: String, part: Int) throws {
    try store.setNote(.array(made.map(\.json)), named: Self.name(id, part: part))
  }

  func finish(_ id: String, at date: Date) throws { try set("finished", of: id, to: date) }

  func undo(_ id: String, at date: Date) throws { try set("undone", of: id, to: date) }
}

extension ImportHistory {
  private func ids() throws -> [String] {
    try store.note(named: Self.name)?.arrayValue?.compactMap(\.stringValue) ?? []
  }

  private static func count(_ head: [String: JSONValue]) -> Int {
    Int((head["count"]?.intValue ?? 0).clamped(to: 0...maxCount))
  }

  private func head(_ id: String) throws -> [String: JSONValue]? {
    try store.note(named: Self.name(id))?.objectValue
  }

  private func put(_ head: [String: JSONValue], of id: String) throws {
    try store.setNote(.object(head), named: Self.name(id))
  }

  private func set(_ member: String, of id: String, to date: Date) throws {
    guard var head = try head(id) else { return }
    head[member] = .string(RFC3339.string(from: date))
    try put(head, of: id)
  }

  private static func parts(_ head: [String: JSONValue]) -> Int {
    Int((head["parts"]?.intValue ?? 0).clamped(to: 0...maxCount / Int64(partLength)))
  }

  /// Upper bound for the number of created entities. A larger stored number indicates damage.
  private static let maxCount: Int64 = 1 << 32

  private static func name(_ id: String) -> String { "import \(id)" }
  private static func name(_ id: String, part: Int) -> String { "import \(id).\(part)" }
}

extension ImportEntry {
  fileprivate init?(id: String, _ members: [String: JSONValue]) {
    guard let format = members["format"]?.stringValue,
      let started = members["started"]?.stringValue.flatMap({ RFC3339.date(from: $0) })
    else { return nil }
    self.init(
      id: id, format: format, source: members["source"]?.stringValue ?? "", started: started,
      fingerprint: members["fingerprint"]?.stringValue ?? "")
    reading = ImportReading(members: members)
    func date(_ name: String) -> Date? { members[name]?.stringValue.flatMap { RFC3339.date(from: $0) } }
    finished = date("finished")
    undone = date("undone")
  }
}

extension MadeEntity {
  fileprivate init?(_ value: JSONValue) {
    guard let parts = value.arrayValue, parts.count >= 3, let id = parts[1].stringValue,
      let kind = parts[0].stringValue.flatMap(MutationEntityType.init(rawValue:)), let digest = parts[2].stringValue
    else { return nil }
    self.init(kind: kind, id: id, digest: digest, isTakenBack: parts.count > 3 && parts[3] == true)
  }

  fileprivate var json: JSONValue {
    let parts: [JSONValue] = [.string(kind.rawValue), .string(id), .string(digest)]
    return .array(isTakenBack ? parts + [true] : parts)
  }
}

extension AnyEntity {
  /// Digest of the fields in the entity's create request, for detecting later edits.
  var digest: String {
    get throws {
      func digest(_ entity: some SyncedEntity) throws -> String {
        Self.digest(ofPayload: try WireJSON.encode(entity.createRequest))
      }
      switch self {
      case .event(let event): return try digest(event)
      case .eventType(let type): return try digest(type)
      case .place(let place): return try digest(place)
      case .property(let definition): return try digest(definition)
      case .record, .conflict: return Self.digest(ofPayload: try WireJSON.encode(value))
      }
    }
  }

  /// Returns `x` followed by the XXH64 hash of the bytes as 16 hexadecimal digits.
  static func digest(ofPayload payload: Data) -> String {
    let hash = payload.withUnsafeBytes { Checksum.xxh64($0) }
    return String(unsafeUninitializedCapacity: 17) { text in
      text[0] = UInt8(ascii: "x")
      for place in 0..<16 {
        let digit = UInt8(hash >> UInt64(60 - 4 * place) & 15)
        text[place + 1] = digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
      }
      return 17
    }
  }
}
