#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
public import TrendyModels
import TrendyPersistence

/// One import as it was done: where from, how far it came, and the entities that it made.
public struct ImportEntry: Hashable, Sendable {
  public struct Made: Hashable, Sendable {
    public var kind: MutationEntityType
    public var id: String
    /// Of its fields when it was made, so that a later edit is noticed.
    var digest: String
  }

  public var id: String
  /// The word of its format.
  public var format: String
  /// The file as the person named it.
  public var source: String
  public var started: Date
  /// `nil` where it was interrupted.
  public var finished: Date?
  public var undone: Date?
  /// Says what was read and how, so that the same command goes on.
  var fingerprint: String
  public var made: [Made] = []
}

/// Imports of a store, in notes of it: what is noted of a batch is saved with the batch, or not at all, and every backup holds it.
///
/// Used within one unit of work, which has the write lock where it writes.
struct ImportJournal {
  /// Entities that lie in a row.
  private static let partLength = 500
  private static let name = "imports"

  private let store: LocalStore

  init(_ store: LocalStore) { self.store = store }

  /// The oldest first.
  func entries() throws -> [ImportEntry] { try ids().compactMap(entry) }

  func begin(_ entry: ImportEntry) throws {
    try put(
      [
        "format": .string(entry.format), "source": .string(entry.source), "fingerprint": .string(entry.fingerprint),
        "started": .string(RFC3339.string(from: entry.started)),
      ], of: entry.id)
    try store.setNote(.array((ids() + [entry.id]).map { .string($0) }), named: Self.name)
  }

  func append(_ made: [ImportEntry.Made], to id: String) throws {
    guard var head = try head(id) else { return }
    var part = Self.parts(head)
    var rest = made[...]
    while !rest.isEmpty {
      let piece = rest.prefix(Self.partLength)
      try store.setNote(
        .array(piece.map { .array([.string($0.kind.rawValue), .string($0.id), .string($0.digest)]) }),
        named: Self.name(id, part: part))
      rest = rest.dropFirst(piece.count)
      part += 1
    }
    head["parts"] = .int(Int64(part))
    try put(head, of: id)
  }

  func finish(_ id: String, at date: Date) throws { try set("finished", of: id, to: date) }

  func undo(_ id: String, at date: Date) throws { try set("undone", of: id, to: date) }

  /// Takes in what an earlier version kept in files.
  func takeOver(_ earlier: [ImportEntry]) throws {
    let known = Set(try ids())
    for entry in earlier where !known.contains(entry.id) {
      try begin(entry)
      try append(entry.made, to: entry.id)
      if let finished = entry.finished { try finish(entry.id, at: finished) }
      if let undone = entry.undone { try undo(entry.id, at: undone) }
    }
  }
}

extension ImportJournal {
  private func ids() throws -> [String] {
    try store.note(named: Self.name)?.arrayValue?.compactMap(\.stringValue) ?? []
  }

  /// `nil` for one that was lost with a damaged store.
  private func entry(_ id: String) throws -> ImportEntry? {
    guard let head = try head(id), var entry = ImportEntry(id: id, head) else { return nil }
    for part in 0..<Self.parts(head) {
      for made in try store.note(named: Self.name(id, part: part))?.arrayValue ?? [] {
        if let made = ImportEntry.Made(made) { entry.made.append(made) }
      }
    }
    return entry
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

  private static func parts(_ head: [String: JSONValue]) -> Int { Int(head["parts"]?.intValue ?? 0) }
  private static func name(_ id: String) -> String { "import \(id)" }
  private static func name(_ id: String, part: Int) -> String { "import \(id).\(part)" }
}

/// What versions before the store had notes kept of imports: a file for each in the folder `imports` beside it, a line of JSON for
/// each batch. It is taken into the store once, and removed.
struct EarlierImportFiles {
  private let folder: URL

  init(storeDirectory: URL) { folder = storeDirectory.appending(path: "imports") }

  var exist: Bool { access(folder.path, F_OK) == 0 }

  /// The oldest first.
  func entries() throws -> [ImportEntry] {
    guard exist else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      .filter { $0.hasSuffix(".ndjson") }.compactMap { try entry(String($0.dropLast(7))) }
  }

  func remove() throws { try FileManager.default.removeItem(at: folder) }

  /// `nil` for a file whose first line was not written whole.
  private func entry(_ id: String) throws -> ImportEntry? {
    var entry: ImportEntry?
    for line in try Data(contentsOf: folder.appending(path: "\(id).ndjson")).split(separator: 0xA) {
      // The last line may have been cut by a power failure before its batch was saved.
      guard let members = try? WireJSON.decode(JSONValue.self, from: Data(line)).objectValue else { continue }
      if let begun = ImportEntry(id: id, members) { entry = begun }
      for made in members["made"]?.arrayValue ?? [] {
        if let made = ImportEntry.Made(made) { entry?.made.append(made) }
      }
      entry?.takeDates(members)
    }
    return entry
  }
}

extension ImportEntry {
  fileprivate init?(id: String, _ members: [String: JSONValue]) {
    guard let format = members["format"]?.stringValue,
      let started = members["started"]?.stringValue.flatMap({ RFC3339.date(from: $0) })
    else { return nil }
    self.init(
      id: id, format: format, source: members["source"]?.stringValue ?? "", started: started,
      fingerprint: members["fingerprint"]?.stringValue ?? "")
    takeDates(members)
  }

  fileprivate mutating func takeDates(_ members: [String: JSONValue]) {
    func date(_ name: String) -> Date? { members[name]?.stringValue.flatMap { RFC3339.date(from: $0) } }
    if let date = date("finished") { finished = date }
    if let date = date("undone") { undone = date }
  }
}

extension ImportEntry.Made {
  fileprivate init?(_ value: JSONValue) {
    guard let parts = value.arrayValue, parts.count == 3, let id = parts[1].stringValue,
      let kind = parts[0].stringValue.flatMap(MutationEntityType.init(rawValue:)), let digest = parts[2].stringValue
    else { return nil }
    self.init(kind: kind, id: id, digest: digest)
  }
}

extension Undoable {
  /// Tells whether anything of it was changed.
  var digest: String {
    get throws {
      StableHash.sha256(Array(try WireJSON.encode(value))).prefix(8).map { byte in
        String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
      }.joined()
    }
  }
}
