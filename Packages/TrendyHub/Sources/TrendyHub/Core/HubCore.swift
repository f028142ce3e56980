public import Foundation
import TrendyModels

/// The hub's semantics: what a write does to one person's state, and what it is answered.
///
/// It keeps nothing, reads no clock and waits for nothing: state comes and goes through the transaction, time as `now`.
/// Called twice with the same state and input it does the same.
public struct HubCore: Hashable, Sendable {
  public init() {}

  // MARK: A device's push

  public struct Push: Sendable {
    /// The identity of the store that sends.
    public var device: String
    /// Up to here the device holds the outcomes.
    public var acknowledgedThrough: Int64
    /// The highest sequence the device has ever sent, where it says so.
    public var lastSequence: Int64?
    public var mutations: [SentMutation]

    public init(device: String, acknowledgedThrough: Int64, lastSequence: Int64? = nil, mutations: [SentMutation]) {
      self.device = device
      self.acknowledgedThrough = acknowledgedThrough
      self.lastSequence = lastSequence
      self.mutations = mutations
    }
  }

  public struct PushResult: Hashable, Sendable {
    public struct Judged: Hashable, Sendable {
      public var sequence: Int64
      public var outcome: HubOutcome
    }

    /// In order; of a forked device those before the fork was seen.
    public var outcomes: [Judged]
    /// Why the rest was not judged: two stores use one identity.
    public var fork: Problem?
    public var head: Int64
  }

  /// Judges a device's mutations in their order, each exactly once.
  public func push(_ push: Push, in transaction: any HubTransaction, now: Date) throws -> PushResult {
    let known = try transaction.mark(device: push.device)
    var mark = known
    var result = PushResult(outcomes: [], head: 0)
    if let last = push.lastSequence, known > last {
      result.fork = .forked("this hub has judged sequence \(known) of the device, which says it has sent \(last)")
    } else {
      try transaction.forgetOutcomes(device: push.device, through: push.acknowledgedThrough)
      for mutation in push.mutations {
        if mutation.sequence <= mark {
          guard let stored = try transaction.outcome(device: push.device, sequence: mutation.sequence),
            stored.digest == mutation.digest
          else {
            result.fork = .forked("sequence \(mutation.sequence) was judged before, with other content or long ago")
            break
          }
          result.outcomes.append(.init(sequence: mutation.sequence, outcome: stored.outcome))
          continue
        }
        guard mutation.sequence == mark + 1 else {
          result.fork = .forked("sequence \(mutation.sequence) came, \(mark + 1) was expected")
          break
        }
        let outcome: HubOutcome
        switch mutation.content {
        case .failure(let problem): outcome = .refused(problem)
        case .success(let content): outcome = try judge(content, device: push.device, in: transaction, now: now)
        }
        result.outcomes.append(.init(sequence: mutation.sequence, outcome: outcome))
        if case .tryLater = outcome { break }
        mark = mutation.sequence
        try transaction.putOutcome(
          device: push.device, sequence: mark, StoredOutcome(digest: mutation.digest, outcome: outcome))
      }
      if mark > known { try transaction.setMark(device: push.device, mark) }
    }
    result.head = try transaction.state().head
    return result
  }

  // MARK: One write

  /// Judges one write and carries it out. A refusal is an outcome; what is thrown is the storage's.
  public func judge(
    _ mutation: HubMutation, device: String, in transaction: any HubTransaction, now: Date
  ) throws -> HubOutcome {
    var judgement = Judgement(mutation: mutation, device: device, transaction: transaction, now: now)
    do {
      return try judgement.run()
    } catch let problem as Problem {
      return .refused(problem)
    }
  }

  // MARK: The feed

  public struct Page: Hashable, Sendable {
    public var entries: [HubEntry]
    public var nextCursor: Int64
    public var hasMore: Bool
    public var head: Int64
  }

  /// The entries after a position, at most `limit`, which is 1 to 500.
  /// - Throws: a problem of kind `log_reset` for a position this hub never gave.
  public func page(after cursor: Int64, limit: Int, in reading: any HubReading) throws -> Page {
    // The head is read first: an entry that is written meanwhile is then in the page or after the cursor, never between.
    let head = try reading.state().head
    guard cursor <= head else {
      throw Problem(
        "log_reset", status: 409, title: "Position unknown",
        detail: "this hub stands at \(head) and never gave \(cursor): it was restored or set up anew; take a snapshot")
    }
    var entries = try reading.entries(after: cursor, limit: limit + 1)
    let hasMore = entries.count > limit
    if hasMore { entries.removeLast() }
    let last = entries.last?.version ?? cursor
    return Page(entries: entries, nextCursor: hasMore ? last : max(head, last), hasMore: hasMore, head: head)
  }

  /// Begins a new life of the hub for this person: whoever knows the list of lives can tell whether the hub was restored.
  public func begin(epoch: String, in transaction: any HubTransaction) throws -> HubState {
    var state = try transaction.state()
    let new = HubState.Epoch(id: epoch, first: state.head + 1)
    // A life in which nothing was written left no position behind.
    if state.epochs.last?.first == new.first { state.epochs.removeLast() }
    state.epochs.append(new)
    try transaction.setState(state)
    return state
  }
}

/// One write being judged: throws a ``Problem`` where it is refused, before anything was put.
private struct Judgement {
  let mutation: HubMutation
  let device: String
  let transaction: any HubTransaction
  let now: Date
  private let kind: SyncedKind?

  init(mutation: HubMutation, device: String, transaction: any HubTransaction, now: Date) {
    self.mutation = mutation
    self.device = device
    self.transaction = transaction
    self.now = now
    self.kind = SyncedKind.named(mutation.kind)
  }

  mutating func run() throws -> HubOutcome {
    guard let kind else {
      throw Problem.invalid(
        "entity_type: this hub knows \(SyncedKind.all.map(\.name).joined(separator: ", ")), found \"\(mutation.kind.prefix(40))\""
      )
    }
    guard Identifier.isValid(mutation.id) else { throw Problem.invalid("entity_id: expected \(Identifier.rule)") }
    if let id = mutation.payload["id"], id.stringValue != mutation.id {
      throw Problem.invalid("id: expected the id of the entity, \"\(mutation.id)\", found \(id.kindInWords)")
    }
    let entry = try transaction.entry(kind: kind.name, id: mutation.id)
    switch mutation.operation {
    case .create: return try create(kind, over: entry)
    case .update: return try update(kind, entry)
    case .delete: return try delete(kind, entry)
    case .restore: return try restore(kind, entry)
    }
  }

  private func create(_ kind: SyncedKind, over entry: HubEntry?) throws -> HubOutcome {
    let fields = try kind.fields(from: mutation.payload, isCreate: true)
    guard let entry else {
      try checkReferences(fields, kind: kind, replacing: nil)
      let version = try nextVersion()
      try transaction.put(
        HubEntry(
          kind: kind.name, id: mutation.id, version: version, incarnation: mutation.incarnation ?? 0, createdAt: now,
          updatedAt: now, createdVersion: version, fields: fields.mapValues { field($0, version) }))
      return .accepted(version: version)
    }
    guard entry.isAlive else { throw Problem.entityDeleted(entry) }
    // Whoever imports the same thing again has nothing new to say of it, and may not overwrite what a person wrote since.
    if mutation.hasNaturalKey { return .merged(version: entry.version, lost: []) }
    return try merge(fields, into: entry, kind: kind)
  }

  private func update(_ kind: SyncedKind, _ entry: HubEntry?) throws -> HubOutcome {
    guard let entry, entry.isAlive else { throw Problem.entityDeleted(entry, id: mutation.id) }
    try checkIncarnation(entry)
    return try merge(try updateFields(kind, entry), into: entry, kind: kind)
  }

  private func delete(_ kind: SyncedKind, _ entry: HubEntry?) throws -> HubOutcome {
    guard let entry else {
      // The create may still be on its way from another device: it must find the tombstone.
      let version = try nextVersion()
      try transaction.put(
        HubEntry(
          kind: kind.name, id: mutation.id, version: version, incarnation: mutation.incarnation ?? 0, deletedAt: now,
          createdAt: now, updatedAt: now, createdVersion: version, fields: [:]))
      return .accepted(version: version)
    }
    guard entry.isAlive else { return .accepted(version: entry.version) }
    try checkIncarnation(entry)
    var outcome = HubOutcome.accepted(version: entry.version)
    var dying = entry
    if !mutation.payload.isEmpty {
      // The edits that the delete replaced in the device's queue: a later restore has them.
      outcome = try merge(try updateFields(kind, entry), into: entry, kind: kind)
      dying = try transaction.entry(kind: kind.name, id: entry.id) ?? entry
    }
    let version = try bury(dying)
    for child in try transaction.referring(toKind: kind.name, id: entry.id) {
      guard let childKind = SyncedKind.named(child.kind) else { continue }
      let references = childKind.fields.filter {
        $0.refersTo?.kind == kind.name && child.fields[$0.name]?.value.stringValue == entry.id
      }
      if references.contains(where: { $0.refersTo?.onDelete == .cascade }) {
        _ = try bury(child)
      } else {
        var child = child
        child.version = try nextVersion()
        child.updatedAt = now
        for reference in references { child.fields[reference.name] = field(.null, child.version) }
        try transaction.put(child)
      }
    }
    if case .merged(_, let lost) = outcome { return .merged(version: version, lost: lost) }
    return .accepted(version: version)
  }

  private func restore(_ kind: SyncedKind, _ entry: HubEntry?) throws -> HubOutcome {
    guard let incarnation = mutation.incarnation, incarnation > 0 else {
      throw Problem.invalid("incarnation: expected the life that the restore begins, from 1")
    }
    guard var entry else { throw Problem.entityDeleted(nil, id: mutation.id) }
    let fields = try updateFields(kind, entry)
    if entry.isAlive {
      guard entry.incarnation < incarnation else { return try merge(fields, into: entry, kind: kind) }
    } else {
      guard entry.incarnation < incarnation else { throw Problem.entityDeleted(entry) }
    }
    let merged = entry.fields.mapValues(\.value).merging(fields) { _, new in new }
    for field in kind.fields where field.isRequired && merged[field.name]?.isNull ?? true {
      throw Problem.invalid("\(field.name): expected \(field.type.inWords), as the tombstone does not have it")
    }
    try checkReferences(merged, kind: kind, replacing: nil)
    entry.version = try nextVersion()
    entry.incarnation = incarnation
    entry.deletedAt = nil
    entry.updatedAt = now
    for (name, value) in fields where entry.fields[name]?.value != value {
      entry.fields[name] = field(value, entry.version)
    }
    try transaction.put(entry)
    return .accepted(version: entry.version)
  }

  private func updateFields(_ kind: SyncedKind, _ entry: HubEntry) throws -> [String: JSONValue] {
    var fields = try kind.fields(from: mutation.payload, isCreate: false)
    if let nested = kind.nestedMember, mutation.payload[nested]?.isNull == true {
      for name in entry.fields.keys where name.hasPrefix("\(nested).") { fields[name] = .null }
    }
    return fields
  }

  /// Sets what differs. In order of arrival: the author knew what it replaces, or comes later.
  private func merge(_ fields: [String: JSONValue], into entry: HubEntry, kind: SyncedKind) throws -> HubOutcome {
    let changed = fields.filter { name, value in
      entry.fields[name].map { $0.value != value } ?? !value.isNull
    }
    guard !changed.isEmpty else { return .accepted(version: entry.version) }
    try checkReferences(changed, kind: kind, replacing: entry)
    var entry = entry
    entry.version = try nextVersion()
    entry.updatedAt = now
    for (name, value) in changed { entry.fields[name] = field(value, entry.version) }
    try transaction.put(entry)
    return .accepted(version: entry.version)
  }

  private func bury(_ entry: HubEntry) throws -> Int64 {
    var entry = entry
    entry.version = try nextVersion()
    entry.deletedAt = now
    entry.updatedAt = now
    try transaction.put(entry)
    return entry.version
  }

  private func checkReferences(_ fields: [String: JSONValue], kind: SyncedKind, replacing entry: HubEntry?) throws {
    for field in kind.fields {
      guard let reference = field.refersTo, let id = fields[field.name]?.stringValue else { continue }
      let parent = try transaction.entry(kind: reference.kind, id: id)
      guard parent?.isAlive ?? false else {
        throw Problem(
          "parent_deleted", status: 409, title: "Parent is gone",
          detail: "\(field.name): the \(reference.kind) \"\(id)\" \(parent == nil ? "was never here" : "was deleted")")
      }
    }
  }

  private func checkIncarnation(_ entry: HubEntry) throws {
    guard let incarnation = mutation.incarnation, incarnation < entry.incarnation else { return }
    throw Problem(
      "restored", status: 409, title: "Restored meanwhile",
      detail: "the \(entry.kind) \"\(entry.id)\" was deleted and restored since this was written")
  }

  private func nextVersion() throws -> Int64 {
    var state = try transaction.state()
    state.head += 1
    try transaction.setState(state)
    return state.head
  }

  private func field(_ value: JSONValue, _ version: Int64) -> HubField {
    HubField(value: value, version: version, stamp: now.milliseconds, author: device)
  }
}

extension Problem {
  fileprivate static func forked(_ detail: String) -> Problem {
    Problem(
      "device_forked", status: 409, title: "Device forked",
      detail: "\(detail): two stores use one identity, or a store was restored; make a new identity and queue again")
  }

  fileprivate static func entityDeleted(_ entry: HubEntry?, id: String = "") -> Problem {
    Problem(
      "entity_deleted", status: 409, title: "Deleted",
      detail: entry.map { "the \($0.kind) \"\($0.id)\" was deleted, and an id does not come back by itself" }
        ?? "\"\(id)\" is not here")
  }
}
