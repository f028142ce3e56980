import TrendyModels

/// Decides how to apply each feed entry of a hub with versions. Entries must be passed in order.
///
/// Does not read the store: ``VersionedFeedApplier`` passes the state and carries out the decisions. Facts that are
/// expensive to determine are requested from ``VersionedFeedFacts`` only if a decision depends on them.
package struct VersionedFeedPlanner: Hashable, Sendable {
  package struct Held: Hashable, Sendable {
    package var version: Int64
    package var isDelete: Bool
    /// Whether the replica stores the hub's data separately, because the row differs or does not exist.
    package var isBesideRow: Bool

    package init(version: Int64, isDelete: Bool = false, isBesideRow: Bool = false) {
      self.version = version
      self.isDelete = isDelete
      self.isBesideRow = isBesideRow
    }
  }

  package struct Candidate: Hashable, Sendable {
    package var key: EntityKey
    package var version: Int64
    package var isDelete: Bool
    package var held: Held?

    package init(key: EntityKey, version: Int64, isDelete: Bool = false, held: Held? = nil) {
      self.key = key
      self.version = version
      self.isDelete = isDelete
      self.held = held
    }
  }

  /// Content of an entry, as far as the decision depends on it.
  package enum Content: Hashable, Sendable {
    case unreadable
    /// Valid data. The entity is visible only while its event type `parent` is.
    case readable(parent: String?)
  }

  package enum Act: Hashable, Sendable {
    /// Skip the entry, because the replica or the parked entry is at least as new.
    case drop
    /// Park the entry until it can be applied. The replica and the visible state do not change.
    case park
    /// Store the entry in the replica. The row is computed after all entries have been applied.
    case hold
    /// Store the entry in the replica and write it to the row.
    case holdAndShow
  }

  package struct Verdict: Hashable, Sendable {
    package var act: Act
    package var takesOutParked: Bool

    package init(_ act: Act, takesOutParked: Bool = false) {
      self.act = act
      self.takesOutParked = takesOutParked
    }
  }

  /// Whether to apply entries that are not newer than the replica. A snapshot applies such entries to correct errors in
  /// the replica.
  private let isAnew: Bool
  /// Whether the store has any pending or accepted mutation.
  private let hasOverlay: Bool
  private var mayBeParked: Bool
  /// Parents that became live or lost a child. Entries parked because of them may now be applicable.
  private var stirred: [String] = []
  private var livingTypes: [String: Bool] = [:]
  private var shownTypes: Set<String> = []

  package init(isAnew: Bool = false, hasOverlay: Bool, hasParked: Bool) {
    self.isAnew = isAnew
    self.hasOverlay = hasOverlay
    mayBeParked = hasParked
  }
}

/// Facts from the store and from the data of one entry. Each fact is requested at most once per entry, and only if
/// needed.
package protocol VersionedFeedFacts {
  mutating func parkedVersion() throws -> Int64?
  mutating func content() throws -> VersionedFeedPlanner.Content
  func heldParent() throws -> String?
  /// Whether the replica has live children of the event type that the entry describes, visible or not.
  func hasLivingChildren() throws -> Bool
  func isOverlaid() throws -> Bool
  func isHeldAlive(eventTypeId: String) throws -> Bool
  func isShown(eventTypeId: String) throws -> Bool
}

// MARK: Entries

extension VersionedFeedPlanner {
  package mutating func onEntry(
    _ entry: Candidate, _ facts: inout some VersionedFeedFacts
  ) throws -> Verdict {
    let held = entry.held
    if let held, held.version >= entry.version, !isAnew { return Verdict(.drop) }
    var takesOutParked = false
    if mayBeParked, let parked = try facts.parkedVersion() {
      if parked >= entry.version, !isAnew { return Verdict(.drop) }
      takesOutParked = true
    }
    let act = try entry.isDelete ? onDelete(entry, facts) : onLiving(entry, &facts)
    if act == .park { mayBeParked = true }
    return Verdict(act, takesOutParked: takesOutParked)
  }

  /// Parks an entry of an unknown kind or with out-of-range numbers, unless the replica or the parked entry is at least
  /// as new.
  package mutating func onUnread(
    version: Int64, heldVersion: () throws -> Int64?, parkedVersion: () throws -> Int64?
  ) rethrows -> Act {
    if !isAnew {
      if let held = try heldVersion(), held >= version { return .drop }
      if let parked = try parkedVersion(), parked >= version { return .drop }
    }
    mayBeParked = true
    return .park
  }

  /// Returns the parents whose parked entries must be retried, and clears the list. Retries may add new parents.
  package mutating func takeStirred() -> [String] {
    defer { stirred = [] }
    return Set(stirred).sorted()
  }
}

// MARK: Decisions

extension VersionedFeedPlanner {
  private mutating func onDelete(_ entry: Candidate, _ facts: some VersionedFeedFacts) throws -> Act {
    let isType = entry.key.entityType == .eventType
    if isType, try facts.hasLivingChildren() { return .park }
    try leave(entry, facts)
    if isType { livingTypes[entry.key.entityId] = false }
    return .hold
  }

  private mutating func onLiving(_ entry: Candidate, _ facts: inout some VersionedFeedFacts) throws -> Act {
    guard case .readable(let parent) = try facts.content() else { return .park }
    if let parent, try !isLiving(parent, facts) { return .park }
    try leave(entry, for: parent, facts)
    if entry.key.entityType == .eventType {
      livingTypes[entry.key.entityId] = true
      if entry.held?.isDelete ?? true { stirred.append(entry.key.entityId) }
    }
    // An entity without mutations can be written to its row immediately. For any other entity, the data is stored
    // separately until the visible state has been computed.
    return try canBeShownAtOnce(entry, under: parent, facts) ? .holdAndShow : .hold
  }

  private mutating func canBeShownAtOnce(
    _ entry: Candidate, under parent: String?, _ facts: some VersionedFeedFacts
  ) throws -> Bool {
    // A type that becomes visible also makes its hidden children visible.
    if entry.key.entityType == .eventType, entry.held?.isDelete ?? true { return false }
    if entry.held?.isBesideRow == true { return false }
    if hasOverlay, try facts.isOverlaid() { return false }
    guard let parent else { return true }
    // Rows are deleted only after all entries have been applied.
    if shownTypes.contains(parent) { return true }
    guard try facts.isShown(eventTypeId: parent) else { return false }
    shownTypes.insert(parent)
    return true
  }

  /// Notes that the entity's previous parent has lost a child, unless the parent stays the same.
  private mutating func leave(
    _ entry: Candidate, for newParent: String? = nil, _ facts: some VersionedFeedFacts
  ) throws {
    guard mayBeParked, entry.key.entityType.isChildOfEventType, let held = entry.held, !held.isDelete else { return }
    if let parent = try facts.heldParent(), parent != newParent { stirred.append(parent) }
  }

  private mutating func isLiving(_ eventTypeId: String, _ facts: some VersionedFeedFacts) throws -> Bool {
    if let known = livingTypes[eventTypeId] { return known }
    let isLiving = try facts.isHeldAlive(eventTypeId: eventTypeId)
    livingTypes[eventTypeId] = isLiving
    return isLiving
  }
}
