public import TrendyModels

/// One change to one entity, to be merged by the hub.
public struct HubMutation: Hashable, Sendable {
  public enum Operation: String, Hashable, Sendable, CaseIterable {
    case create
    case update
    case delete
    case restore
  }

  /// Values that a mutation writes.
  public enum Content: Hashable, Sendable {
    /// Members of a plain REST request without bases, which replace the stored values.
    case members([String: JSONValue])
    /// Fields by name, each with its base and stamp.
    case fields([String: FieldChange])
  }

  /// Permanent id of the mutation, or `nil` for a plain REST write.
  public var mutationId: String?
  public var kind: String
  public var id: String
  public var operation: Operation
  public var content: Content
  /// Whether the id is the hash of an imported item. If so, creating an entity that already exists changes nothing.
  public var hasNaturalKey: Bool
  /// Incarnation to which the mutation refers or, for a restore, which it begins. `nil` for the current one.
  public var incarnation: Int64?
  /// Version up to which the author of a delete had seen every entry, or `nil` if the author had seen all entries.
  public var base: Int64?

  public init(
    mutationId: String? = nil, kind: String, id: String, operation: Operation, content: Content = .members([:]),
    hasNaturalKey: Bool = false, incarnation: Int64? = nil, base: Int64? = nil
  ) {
    self.mutationId = mutationId
    self.kind = kind
    self.id = id
    self.operation = operation
    self.content = content
    self.hasNaturalKey = hasNaturalKey
    self.incarnation = incarnation
    self.base = base
  }
}

/// A mutation with the sequence number under which a device sent it.
public struct SentMutation: Hashable, Sendable {
  public var sequence: Int64
  /// SHA-256 of the content in hexadecimal, to detect that a sequence number was reused with different content.
  public var digest: String
  /// The mutation, or the reason why it is invalid. An invalid mutation is refused and uses up its sequence number.
  public var content: Result<HubMutation, Problem>

  public init(sequence: Int64, digest: String, content: Result<HubMutation, Problem>) {
    self.sequence = sequence
    self.digest = digest
    self.content = content
  }
}

extension SentMutation {
  var keys: [HubEntryKey] {
    guard case .success(let mutation) = content else { return [] }
    return HubEntryKey.judged(kind: mutation.kind, id: mutation.id) { mutation.content[$0] }
  }
}

extension HubEntryKey {
  /// Returns the keys of the entries that a merge reads: the entity itself and the entities its fields refer to.
  static func judged(kind: String, id: String, member: (String) -> JSONValue?) -> [HubEntryKey] {
    let references = SyncedKind.named(kind)?.references ?? []
    return [HubEntryKey(kind: kind, id: id)]
      + references.compactMap { field, reference in
        member(field.name)?.stringValue.map { HubEntryKey(kind: reference.kind, id: $0) }
      }
  }
}

/// Outcome of one mutation, with the fields that did not take effect.
public struct MergeResult: Hashable, Sendable {
  public var outcome: MutationOutcome
  /// Sorted names of the fields that lost the merge. Empty unless the outcome is `merged`.
  public var lost: [String]

  public init(outcome: MutationOutcome, lost: [String] = []) {
    self.outcome = outcome
    self.lost = lost
  }

  /// Returns an accepted outcome. `version` is the entity's current version, unchanged if the mutation changed nothing.
  public static func accepted(version: Int64) -> MergeResult { MergeResult(outcome: .accepted(version: version)) }

  /// Returns a merged outcome: the mutation conflicted with other writes, and the fields in `lost` did not take effect.
  public static func merged(version: Int64, lost: [String]) -> MergeResult {
    MergeResult(outcome: .merged(version: version), lost: lost)
  }

  public static func refused(_ problem: Problem) -> MergeResult {
    MergeResult(outcome: .refused(problem.details))
  }
}

extension OutcomeEnvelope {
  init(sequence: Int64, _ verdict: MergeResult) {
    self.init(sequence: sequence, verdict.outcome, lost: verdict.lost)
  }
}
