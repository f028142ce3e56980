/// What became of one pushed mutation.
public enum MutationOutcome: Hashable, Sendable {
  /// It took effect; the entity now has this version, where the client can say one.
  case accepted(version: Int64?)
  /// It took effect beside what others had written, and some of its fields lost to later ones.
  case merged(version: Int64?)
  /// It will never take effect, for the reason given.
  case refused(ProblemDetails)
  /// It was not judged; ask again, not before `retryAfter`.
  case tryLater(retryAfter: Duration?)
}

/// Everything that lives at the hub, as of one moment of the feed.
public struct Snapshot: Hashable, Sendable {
  /// The feed goes on from here.
  public var cursor: Int64
  public var eventTypes: [APIEventType]
  public var events: [APIEvent]
  public var geofences: [APIGeofence]
  public var propertyDefinitions: [APIPropertyDefinition]

  public init(
    cursor: Int64, eventTypes: [APIEventType] = [], events: [APIEvent] = [], geofences: [APIGeofence] = [],
    propertyDefinitions: [APIPropertyDefinition] = []
  ) {
    self.cursor = cursor
    self.eventTypes = eventTypes
    self.events = events
    self.geofences = geofences
    self.propertyDefinitions = propertyDefinitions
  }
}
