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

/// Imports of a store: a file for each in the folder `imports`, a line of JSON for each batch, written before the batch is saved.
///
/// A batch that the file names and the store has not was never saved: its entities are not there, and undoing passes over them.
struct ImportJournal {
  private let folder: URL

  init(storeDirectory: URL) { folder = storeDirectory.appending(path: "imports") }

  private func file(_ id: String) -> URL { folder.appending(path: "\(id).ndjson") }

  func begin(_ entry: ImportEntry) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try append(
      to: entry.id,
      [
        "format": .string(entry.format), "source": .string(entry.source), "fingerprint": .string(entry.fingerprint),
        "started": .string(RFC3339.string(from: entry.started)),
      ])
  }

  /// Durable on return.
  func append(_ made: [ImportEntry.Made], to id: String) throws {
    try append(
      to: id, ["made": .array(made.map { .array([.string($0.kind.rawValue), .string($0.id), .string($0.digest)]) })])
  }

  func finish(_ id: String, at date: Date) throws {
    try append(to: id, ["finished": .string(RFC3339.string(from: date))])
  }

  func undo(_ id: String, at date: Date) throws { try append(to: id, ["undone": .string(RFC3339.string(from: date))]) }

  /// The oldest first.
  func entries() throws -> [ImportEntry] {
    guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      .filter { $0.hasSuffix(".ndjson") }.compactMap { try entry(String($0.dropLast(7))) }
  }

  /// `nil` for a file whose first line was not written whole.
  private func entry(_ id: String) throws -> ImportEntry? {
    var entry: ImportEntry?
    for line in try Data(contentsOf: file(id)).split(separator: 0xA) {
      // The last line may have been cut by a power failure before its batch was saved.
      guard let members = try? WireJSON.decode(JSONValue.self, from: Data(line)).objectValue else { continue }
      func date(_ name: String) -> Date? { members[name]?.stringValue.flatMap { RFC3339.date(from: $0) } }
      if let format = members["format"]?.stringValue, let started = date("started") {
        entry = ImportEntry(
          id: id, format: format, source: members["source"]?.stringValue ?? "", started: started,
          fingerprint: members["fingerprint"]?.stringValue ?? "")
      }
      for made in members["made"]?.arrayValue ?? [] {
        guard let parts = made.arrayValue, parts.count == 3, let id = parts[1].stringValue,
          let kind = parts[0].stringValue.flatMap(MutationEntityType.init(rawValue:)), let digest = parts[2].stringValue
        else { continue }
        entry?.made.append(ImportEntry.Made(kind: kind, id: id, digest: digest))
      }
      if let date = date("finished") { entry?.finished = date }
      if let date = date("undone") { entry?.undone = date }
    }
    return entry
  }

  private func append(to id: String, _ members: [String: JSONValue]) throws {
    let path = file(id).path
    let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw OwnerOnlyFile.WriteError(path: path, code: errno) }
    defer { close(descriptor) }
    // A line that a power failure cut ends here.
    let line = [0xA] + Array(try WireJSON.encode(JSONValue.object(members))) + [0xA]
    var rest = line[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if written < 0 {
        if errno == EINTR { continue }
        throw OwnerOnlyFile.WriteError(path: path, code: errno)
      }
      rest = rest.dropFirst(written)
    }
    guard fsync(descriptor) == 0 else { throw OwnerOnlyFile.WriteError(path: path, code: errno) }
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
