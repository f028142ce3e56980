package import TrendyModels

/// Decides how to apply each feed entry of a hub without versions. Entries must be passed in order.
///
/// Does not read the store. ``UnversionedFeedApplier`` carries out the decisions.
package struct UnversionedFeedPlanner: Hashable, Sendable {
  package struct Candidate: Hashable, Sendable {
    /// Key of the entity, or `nil` for a kind that is unknown to this version.
    package var key: EntityKey?
    package var version: Int64
    package var isDelete: Bool
    /// Whether the data could be decoded. Always `true` for a delete, which has no data.
    package var isReadable: Bool
    /// Event type on which the entity's visibility depends.
    package var parentEventTypeId: String?
    /// Whether children that would be deleted with the entity have pending mutations.
    package var hasUnsettledChildren: Bool
    /// Whether the hub has not answered a local delete yet.
    package var isDeleteUnanswered: Bool

    package init(
      key: EntityKey?, version: Int64, isDelete: Bool = false, isReadable: Bool = true,
      parentEventTypeId: String? = nil, hasUnsettledChildren: Bool = false, isDeleteUnanswered: Bool = false
    ) {
      self.key = key
      self.version = version
      self.isDelete = isDelete
      self.isReadable = isReadable
      self.parentEventTypeId = parentEventTypeId
      self.hasUnsettledChildren = hasUnsettledChildren
      self.isDeleteUnanswered = isDeleteUnanswered
    }
  }

  package enum Verdict: Hashable, Sendable {
    /// Write the entity to its row.
    case apply
    /// Delete the row and its children.
    case remove
    /// Ignore the entry, because it is older than the local deletion.
    case skip
    case park(Cause)
  }

  /// Reason why an entry is parked.
  package enum Cause: Hashable, Sendable {
    case unknownKind
    case unreadable
    case parentMissing
    /// The hub deleted an event type whose children have pending mutations on this device.
    case childrenUnsettled
    /// The entity was deleted on this device. Only the hub's outcome will show whether the entry is older than the
    /// deletion or restores the entity.
    case deleteUnanswered
  }

  private var eventTypeIds: Set<String>
  private var guards: [EntityKey: Tombstone]

  /// Creates a planner for a page. `tombstones` are the local deletions that the feed has not passed yet.
  package init(eventTypeIds: some Sequence<String>, tombstones: some Sequence<Tombstone>) {
    self.eventTypeIds = Set(eventTypeIds)
    guards = Dictionary(tombstones.map { ($0.key, $0) }, uniquingKeysWith: { _, last in last })
  }

  /// Notes that an event type is visible although its deletion was applied, because this device has recreated it.
  package mutating func onReborn(eventTypeId: String) {
    eventTypeIds.insert(eventTypeId)
  }

  package mutating func onEntry(_ entry: Candidate) -> Verdict {
    guard let key = entry.key else { return .park(.unknownKind) }
    if entry.isDelete {
      if entry.hasUnsettledChildren { return .park(.childrenUnsettled) }
      if key.entityType == .eventType { eventTypeIds.remove(key.entityId) }
      return .remove
    }
    if let tombstone = guards[key] {
      // An entry above the version of the deletion is a restore. While that version is unknown, the entry is parked
      // until the hub has answered the delete, and skipped afterwards.
      guard let deleted = tombstone.version else {
        return entry.isDeleteUnanswered ? .park(.deleteUnanswered) : .skip
      }
      guard entry.version > deleted else { return .skip }
    }
    guard entry.isReadable else { return .park(.unreadable) }
    if let parent = entry.parentEventTypeId, !eventTypeIds.contains(parent) { return .park(.parentMissing) }
    if key.entityType == .eventType { eventTypeIds.insert(key.entityId) }
    return .apply
  }
}
