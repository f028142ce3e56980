/// Whether the hub has what this device holds of a row.
public enum SyncStatus: String, Hashable, Sendable, CaseIterable, Codable {
  /// Made or changed here, not yet accepted.
  case pending
  case synced
  /// Refused by the hub; the data is in the conflict journal.
  case failed
}

/// Where an event came from.
public enum EventSourceType: String, Hashable, Sendable, CaseIterable, Codable {
  case manual
  case imported
  case geofence
  case healthKit = "healthkit"
  case trip

  /// Whether a device records it by itself, of where it is: a visit or a trip.
  public var isOfPosition: Bool { self == .geofence || self == .trip }
}

/// The eight kinds of value that a property can hold.
public enum PropertyType: String, Hashable, Sendable, CaseIterable, Codable {
  case text
  case number
  case boolean
  case date
  case select
  /// Seconds.
  case duration
  case url
  case email
}

/// What a mutation does to its entity.
public enum MutationOperation: String, Hashable, Sendable, CaseIterable, Codable {
  case create
  case update
  case delete
  /// Begins another life of what was deleted.
  case restore
}
