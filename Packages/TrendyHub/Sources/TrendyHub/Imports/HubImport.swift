public import Foundation
public import TrendyInterchange
public import TrendyModels

/// A file that a person had the hub take in: where from, how far it came, and where in the feed it lies.
///
/// The entries that it made are not listed: they have versions in its range, and its name as the author of every field, until
/// somebody edits one.
public struct HubImport: Hashable, Sendable, Identifiable {
  public let id: String
  /// The word of its format, such as `loop`.
  public var format: String
  /// The file as the person named it.
  public var source: String
  public var startedAt: Date
  /// `nil` while it goes on, and where it was interrupted.
  public var finishedAt: Date?
  /// When taking it back was begun.
  public var undoneAt: Date?
  /// Versions of its writes lie above the first and up to the second; others may lie between them.
  public var before: Int64
  public var through: Int64
  /// Head of the record when undoing the import was complete; `nil` before.
  public var undoneThrough: Int64?
  /// How its file was read: the zone, and digests of the first events' local times and instants; `nil` where nobody noted it.
  public var reading: ImportReading?
  /// Entities that it made, by the name of their kind.
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
  /// As storages may keep it.
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

  /// Reads ``stored``; `nil` for anything else.
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
  /// Who stands for it in the record's fields.
  var author: String { HubDevice.restDevice(deviceName) }

  /// The name by which it writes.
  var deviceName: String { "import:\(id)" }
}

extension HubEntry {
  /// Whether one of these wrote every field and, if the entity was restored, restored it.
  func isWritten(byOneOf authors: Set<String>) -> Bool {
    fields.values.allSatisfy { authors.contains($0.author) }
      && restoration.map { $0.author.map(authors.contains) ?? false } ?? true
  }
}
