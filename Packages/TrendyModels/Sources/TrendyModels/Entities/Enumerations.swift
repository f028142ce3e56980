/// Sync state of an entity on this device.
public enum SyncStatus: String, Hashable, Sendable, CaseIterable, Codable {
  /// Created or changed on this device and not yet accepted.
  case pending
  case synced
  /// Refused by the hub; the data is in the conflict journal.
  case failed
}

/// Source of an event.
public enum EventSourceType: String, Hashable, Sendable, CaseIterable, Codable {
  case manual
  case imported
  case geofence
  case healthKit = "healthkit"
  case trip

  /// Whether events from this source (visits and trips) are detected from location data.
  public var isOfPosition: Bool { self == .geofence || self == .trip }
}

/// Type of a property's value.
public enum PropertyType: String, Hashable, Sendable, CaseIterable, Codable {
  case text
  case number
  case boolean
  case date
  case select
  /// Duration in seconds.
  case duration
  case url
  case email
}

/// Operation of a mutation on its entity.
public enum MutationOperation: String, Hashable, Sendable, CaseIterable, Codable {
  case create
  case update
  case delete
  /// Begins a new incarnation of a deleted entity.
  case restore
}
