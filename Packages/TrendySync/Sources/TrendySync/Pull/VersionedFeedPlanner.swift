import TrendyModels

/// Decides what becomes of the feed's entries, in their order, where the hub gives versions.
///
/// It reads no store: ``VersionedFeed`` says what is known, and does what comes out. What is costly to find out is asked
/// of ``VersionedFeedFacts``, and only where a decision hangs on it.
package struct VersionedFeedPlanner: Hashable, Sendable {
  /// What is held of an entity.
  package struct Held: Hashable, Sendable {
    package var version: Int64
    package var isDelete: Bool
    /// Whether the hub's copy is kept, as the row says something else or there is none.
    package var isBesideRow: Bool

    package init(version: Int64, isDelete: Bool = false, isBesideRow: Bool = false) {
      self.version = version
      self.isDelete = isDelete
      self.isBesideRow = isBesideRow
    }
  }

  /// An entry, and what is held of its entity.
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

  /// What an entry says, as far as a decision hangs on it.
  package enum Content: Hashable, Sendable {
    case unreadable
    /// With the event type without which the entity is not shown.
    case readable(parent: String?)
  }

  package enum Act: Hashable, Sendable {
    /// What is held or parked is as new.
    case drop
    /// It is kept raw until it fits; what is held and shown stays as it was.
    case park
    /// It becomes what is held. What is shown of it is to be worked out when all entries are in.
    case hold
    /// It becomes what is held, and the row is that.
    case holdAndShow
  }

  package struct Verdict: Hashable, Sendable {
    package var act: Act
    /// Whether the entity's parked entry is taken out first: it is older.
    package var takesOutParked: Bool

    package init(_ act: Act, takesOutParked: Bool = false) {
      self.act = act
      self.takesOutParked = takesOutParked
    }
  }

  /// Whether entries are taken though what is held is as new: a snapshot makes good what went wrong here.
  private let isAnew: Bool
  /// Whether anything lies over the hub's copies at all; most pages meet nothing.
  private let hasOverlay: Bool
  private var mayBeParked: Bool
  /// Parents that now live, or lost a child: what is parked about them may fit.
  private var stirred: [String] = []
  private var livingTypes: [String: Bool] = [:]
  private var shownTypes: Set<String> = []

  package init(isAnew: Bool = false, hasOverlay: Bool, hasParked: Bool) {
    self.isAnew = isAnew
    self.hasOverlay = hasOverlay
    mayBeParked = hasParked
  }
}

/// What the store and the data of one entry say. Each is asked once at most for an entry, and not for every entry.
package protocol VersionedFeedFacts {
  /// The version of the entity's parked entry; `nil` where none is parked.
  mutating func parkedVersion() throws -> Int64?
  mutating func content() throws -> VersionedFeedPlanner.Content
  /// The event type that what is held of the entity belongs to.
  func heldParent() throws -> String?
  /// Whether anything that is held alive hangs on the event type that the entry is of, whatever is shown of it.
  func hasLivingChildren() throws -> Bool
  /// Whether any mutation lies over the entity.
  func isOverlaid() throws -> Bool
  func isHeldAlive(eventTypeId: String) throws -> Bool
  func isShown(eventTypeId: String) throws -> Bool
}

// MARK: What comes in

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

  /// An entry of a kind that this version does not know, or with numbers that cannot be: it is parked as it came, unless
  /// what is held or parked is as new.
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

  /// What is parked about these is to be tried again, as entries that come in. After that there may be more of them.
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
    // What nothing lies over is shown as it is; for the rest the copy is kept until it is known what is shown.
    return try canBeShownAtOnce(entry, under: parent, facts) ? .holdAndShow : .hold
  }

  private mutating func canBeShownAtOnce(
    _ entry: Candidate, under parent: String?, _ facts: some VersionedFeedFacts
  ) throws -> Bool {
    // A type that begins to be shown brings what was hidden with it.
    if entry.key.entityType == .eventType, entry.held?.isDelete ?? true { return false }
    if entry.held?.isBesideRow == true { return false }
    if hasOverlay, try facts.isOverlaid() { return false }
    guard let parent else { return true }
    // No row is taken away before all entries are in.
    if shownTypes.contains(parent) { return true }
    guard try facts.isShown(eventTypeId: parent) else { return false }
    shownTypes.insert(parent)
    return true
  }

  /// The parent that an entity had is one child poorer.
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
