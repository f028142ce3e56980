import TrendyFoundation
import TrendyModels

/// Parser for the lines of a snapshot or snapshot part: a header with the number of entries, then one entry per line.
struct SnapshotReader<Result: SnapshotResult>: Sendable {
  private let hub: String
  private var header: SnapshotHeader?
  private var entries = 0
  private var result: Result?

  /// Creates a parser. `hub` is the name of the hub for error messages.
  init(hub: String) { self.hub = hub }

  /// Parses one line. Ignores empty lines.
  ///
  /// - Throws: ``TrendyModels/APIError/decodingError(_:)`` with the line number.
  mutating func read(_ line: Data) throws {
    guard !line.isEmpty else { return }
    do {
      if header == nil {
        let header = try WireJSON.decode(SnapshotHeader.self, from: line)
        self.header = header
        result = Result(header)
      } else {
        entries += 1
        try result?.take(line)
      }
    } catch APIError.decodingError(let what) {
      throw APIError.decodingError("line \(header == nil ? 1 : entries + 1) of the snapshot of \(hub): \(what)")
    }
  }

  /// Returns the result after the last line.
  /// - Throws: `networkError` if there were fewer entries than announced, `decodingError` if there were more.
  func snapshot() throws -> (header: SnapshotHeader, result: Result) {
    guard let header, let result else {
      throw APIError.networkError("the snapshot of \(hub) was cut off before its first line")
    }
    guard entries >= header.count else {
      throw APIError.networkError("the snapshot of \(hub) was cut off after \(entries) of \(header.count) entries")
    }
    guard entries == header.count else {
      throw APIError.decodingError("the snapshot of \(hub) has \(entries) entries instead of \(header.count)")
    }
    return (header, result)
  }
}

protocol SnapshotResult: Sendable {
  init(_ header: SnapshotHeader)
  /// Adds an entry.
  /// - Throws: `APIError.decodingError` if the line is not an entry.
  mutating func take(_ line: Data) throws
}

extension Snapshot: SnapshotResult {
  init(_ header: SnapshotHeader) { self.init(cursor: header.cursor) }

  mutating func take(_ line: Data) throws {
    switch try WireJSON.decode(Entry.self, from: line) {
    case .event(let event): events.append(event)
    case .eventType(let type): eventTypes.append(type)
    case .geofence(let geofence): geofences.append(geofence)
    case .propertyDefinition(let definition): propertyDefinitions.append(definition)
    case .other: break
    }
  }
}

extension SnapshotAnswer: SnapshotResult {
  init(_ header: SnapshotHeader) {
    self =
      if let position = header.position {
        .entries(HubSnapshot(position: position, entries: []))
      } else {
        .lists(Snapshot(header))
      }
  }

  mutating func take(_ line: Data) throws {
    switch self {
    case .entries(var snapshot):
      // Release the reference in `self` while the snapshot is modified, so that the array is not copied.
      self = .lists(Snapshot(cursor: 0))
      snapshot.entries.append(try WireJSON.decode(ChangeEntry.self, from: line))
      self = .entries(snapshot)
    case .lists(var snapshot):
      self = .lists(Snapshot(cursor: 0))
      try snapshot.take(line)
      self = .lists(snapshot)
    }
  }
}

/// Line of a snapshot, decoded directly to the type for its kind.
private enum Entry: Decodable {
  case event(APIEvent)
  case eventType(APIEventType)
  case geofence(APIGeofence)
  case propertyDefinition(APIPropertyDefinition)
  /// Tombstone, or a kind that `Snapshot` does not contain.
  case other

  private enum Key: String, CodingKey {
    case entityType = "entity_type"
    case operation
    case data
  }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    let kind = try fields.decode(String.self, forKey: .entityType)
    let operation = try fields.decodeIfPresent(String.self, forKey: .operation)
    guard operation != MutationOperation.delete.rawValue, let kind = MutationEntityType(rawValue: kind) else {
      self = .other
      return
    }
    self =
      switch kind {
      case .event: .event(try fields.decode(APIEvent.self, forKey: .data))
      case .eventType: .eventType(try fields.decode(APIEventType.self, forKey: .data))
      case .geofence: .geofence(try fields.decode(APIGeofence.self, forKey: .data))
      case .propertyDefinition: .propertyDefinition(try fields.decode(APIPropertyDefinition.self, forKey: .data))
      // `Snapshot` has no list for other kinds.
      default: .other
      }
  }
}
