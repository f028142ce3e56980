public import Foundation
public import TrendyInterchange
public import TrendyModels

/// A file import: its source, its progress, and the range of versions that it wrote.
///
/// Created entities are not listed. They are recognized by their versions, which are in this range, and by the author
/// of their fields, which is the import until the entities are edited.
public struct HubImport: Hashable, Sendable, Identifiable {
  public let id: String
  /// Identifier of the file format, for example `loop`.
  public var format: String
  /// Name of the file on the user's device.
  public var source: String
  public var startedAt: Date
  /// Time when the import ended, or `nil` while it is running or if it was interrupted.
  public var finishedAt: Date?
  /// Time when an undo of the import began, or `nil` if there was none.
  public var undoneAt: Date?
  /// Head of the record before the first write. The versions between this head and ``through`` may include other
  /// writes.
  public var before: Int64
  /// Version of the last write.
  public var through: Int64
  /// Head of the record when the undo was complete, or `nil` until then.
  public var undoneThrough: Int64?
  /// Time zone of the import and digests of the first events' timestamps, or `nil` if not recorded.
  public var reading: ImportReading?
  /// Number of created entities of each kind.
  public var made: [String: Int]

  public init(id: String, format: String, source: String, startedAt: Date, before: Int64) {
    self.id = id
    self.format = format
    self.source = source
    self.startedAt = startedAt
    self.before = before
    through = before
    made = [:]
  }
}

extension HubImport {
  /// JSON representation of the import, as saved by storages.
  public var stored: JSONValue {
    var members: [String: JSONValue] = [
      "id": .string(id), "format": .string(format), "source": .string(source),
      "started": .int(startedAt.milliseconds), "before": .int(before), "through": .int(through),
      "made": .object(made.mapValues { .int(Int64($0)) }),
    ]
    if let reading { members["reading"] = .object(reading.members) }
    if let finishedAt { members["finished"] = .int(finishedAt.milliseconds) }
    if let undoneAt { members["undone"] = .int(undoneAt.milliseconds) }
    if let undoneThrough { members["undone_through"] = .int(undoneThrough) }
    return .object(members)
  }

  /// Decodes ``stored``, or returns `nil` if it is invalid.
  public init?(stored: JSONValue) {
    guard let members = stored.objectValue, let id = members["id"]?.stringValue,
      let format = members["format"]?.stringValue, let source = members["source"]?.stringValue,
      let started = members["started"]?.intValue, let before = members["before"]?.storedCounter,
      let through = members["through"]?.storedCounter, let made = members["made"]?.objectValue
    else { return nil }
    self.init(id: id, format: format, source: source, startedAt: Date(milliseconds: started), before: before)
    self.through = through
    self.made = made.compactMapValues { $0.storedCounter.map { Int($0) } }
    reading = members["reading"]?.objectValue.flatMap { ImportReading(members: $0) }
    finishedAt = members["finished"]?.intValue.map(Date.init(milliseconds:))
    undoneAt = members["undone"]?.intValue.map(Date.init(milliseconds:))
    undoneThrough = members["undone_through"]?.storedCounter
  }
}

extension HubImport {
  var author: String { HubDevice.restDevice(deviceName) }

  /// Device name under which the import appears.
  var deviceName: String { "import:\(id)" }
}

extension HubEntry {
  /// Returns whether the given authors wrote all fields and, if there was one, the restore.
  func isWritten(byOneOf authors: Set<String>) -> Bool {
    fields.values.allSatisfy { authors.contains($0.author) }
      && restoration.map { $0.author.map(authors.contains) ?? false } ?? true
  }
}
