#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TrendyModels

/// Makes a snapshot of its lines: a header that says how many entries follow, then an entry each.
struct SnapshotReader: Sendable {
  private let hub: String
  private var header: SnapshotHeader?
  private var entries = 0
  private var result = Snapshot(cursor: 0)

  /// - Parameter hub: its name, for the words of an error.
  init(hub: String) { self.hub = hub }

  /// - Throws: ``TrendyModels/APIError/decodingError(_:)`` that names the line.
  mutating func read(_ line: Data) throws {
    guard !line.isEmpty else { return }
    do {
      if header == nil {
        let header = try WireJSON.decode(SnapshotHeader.self, from: line)
        self.header = header
        result.cursor = header.cursor
      } else {
        entries += 1
        try take(WireJSON.decode(Entry.self, from: line))
      }
    } catch APIError.decodingError(let what) {
      throw APIError.decodingError("line \(header == nil ? 1 : entries + 1) of the snapshot of \(hub): \(what)")
    }
  }

  /// What the lines were, once all have been read.
  /// - Throws: `networkError` for fewer entries than announced.
  func snapshot() throws -> Snapshot {
    guard let header else { throw APIError.networkError("the snapshot of \(hub) was cut off before its first line") }
    guard entries >= header.count else {
      throw APIError.networkError("the snapshot of \(hub) was cut off after \(entries) of \(header.count) entries")
    }
    guard entries == header.count else {
      throw APIError.decodingError("the snapshot of \(hub) has \(entries) entries and announced \(header.count)")
    }
    return result
  }

  private mutating func take(_ entry: Entry) throws {
    switch entry {
    case .event(let event): result.events.append(event)
    case .eventType(let type): result.eventTypes.append(type)
    case .geofence(let geofence): result.geofences.append(geofence)
    case .propertyDefinition(let definition): result.propertyDefinitions.append(definition)
    case .other: break
    }
  }
}

/// One line of a snapshot, read straight into the type its kind has.
private enum Entry: Decodable {
  case event(APIEvent)
  case eventType(APIEventType)
  case geofence(APIGeofence)
  case propertyDefinition(APIPropertyDefinition)
  /// A tombstone, or a kind that a snapshot value has no room for.
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
      case .vehicle, .tripRule, .setting, .skip, .conflict: .other
      }
  }
}
