package import TrendyModels

/// Decides what becomes of the feed's entries, in their order, where the hub gives no versions.
///
/// It reads no store: ``PlainFeed`` does what it says.
package struct PlainFeedPlanner: Hashable, Sendable {
  /// What the decision needs to know of an entry.
  package struct Candidate: Hashable, Sendable {
    /// `nil` for a kind that this version does not know.
    package var key: EntityKey?
    package var version: Int64
    package var isDelete: Bool
    /// Whether its data, which a delete has none of, could be read.
    package var isReadable: Bool
    /// The event type without which it is not shown.
    package var parentEventTypeId: String?
    /// Whether rows that would go with it have changes that the hub has not judged.
    package var hasUnsettledChildren: Bool
    /// Whether a delete made here has no answer yet.
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
    /// It becomes what is held.
    case apply
    /// What is held goes, and what hangs on it.
    case remove
    /// It was deleted here, and the entry is older than that.
    case skip
    case park(Cause)
  }

  /// Why an entry is kept raw until it fits.
  package enum Cause: Hashable, Sendable {
    case unknownKind
    case unreadable
    case parentMissing
    /// A type is deleted at the hub, and what a person did beneath it here waits for its answer.
    case childrenUnsettled
    /// It was deleted here, and only the hub's answer says whether this is older or another life.
    case deleteUnanswered
  }

  private var eventTypeIds: Set<String>
  private var guards: [EntityKey: Tombstone]

  /// - Parameters:
  ///   - eventTypeIds: the event types that are held.
  ///   - tombstones: what was deleted here and is not known to have passed in the feed.
  package init(eventTypeIds: some Sequence<String>, tombstones: some Sequence<Tombstone>) {
    self.eventTypeIds = Set(eventTypeIds)
    guards = Dictionary(tombstones.map { ($0.key, $0) }, uniquingKeysWith: { _, last in last })
  }

  /// An event type is shown though its deletion came: it was made again here.
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
      // Above the version of the delete it is another life; where that is not known, only time can tell.
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
