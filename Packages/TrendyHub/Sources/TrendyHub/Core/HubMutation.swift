public import TrendyModels

/// One write to be judged.
public struct HubMutation: Hashable, Sendable {
  public enum Operation: String, Hashable, Sendable, CaseIterable {
    case create
    case update
    case delete
    case restore
  }

  /// What is written.
  public enum Content: Hashable, Sendable {
    /// The members of a create or update request, of one who says nothing of what they knew: they replace what is there.
    case members([String: JSONValue])
    /// The fields by name, each with what its author knew of it.
    case fields([String: FieldChange])
  }

  /// What names the mutation for good; a plain write has none.
  public var mutationId: String?
  public var kind: String
  public var id: String
  public var operation: Operation
  public var content: Content
  /// The id is the hash of what was imported: a create of a living one changes nothing.
  public var hasNaturalKey: Bool
  /// The life of the entity that is meant; of a restore the one it begins. `nil` means whichever it is in.
  public var incarnation: Int64?
  /// Of a delete: up to here its author knew everything. `nil` means all there is.
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

/// A mutation as a device sent it: with its place in the device's row.
public struct SentMutation: Hashable, Sendable {
  public var sequence: Int64
  /// SHA-256 of its content: what was sent under a sequence never changes.
  public var digest: String
  /// The mutation, or why it can never be judged; such a one is refused and uses its sequence up.
  public var content: Result<HubMutation, Problem>

  public init(sequence: Int64, digest: String, content: Result<HubMutation, Problem>) {
    self.sequence = sequence
    self.digest = digest
    self.content = content
  }
}

extension SentMutation {
  /// The entries that judging it looks at: its own, and those it refers to.
  var keys: [HubEntryKey] {
    guard case .success(let mutation) = content else { return [] }
    return HubEntryKey.judged(kind: mutation.kind, id: mutation.id) { mutation.content[$0] }
  }
}

extension HubEntryKey {
  /// The entries that judging a write looks at: its own, and those that its members refer to, which are found by name.
  static func judged(kind: String, id: String, member: (String) -> JSONValue?) -> [HubEntryKey] {
    let references = SyncedKind.named(kind)?.references ?? []
    return [HubEntryKey(kind: kind, id: id)]
      + references.compactMap { field, reference in
        member(field.name)?.stringValue.map { HubEntryKey(kind: reference.kind, id: $0) }
      }
  }
}

/// What became of one mutation, and which of its fields did not take effect.
public struct HubVerdict: Hashable, Sendable {
  public var outcome: MutationOutcome
  /// By name, in their order; of a merged one alone.
  public var lost: [String]

  public init(outcome: MutationOutcome, lost: [String] = []) {
    self.outcome = outcome
    self.lost = lost
  }

  /// The entity has this version now; the one it had, if nothing changed.
  public static func accepted(version: Int64) -> HubVerdict { HubVerdict(outcome: .accepted(version: version)) }

  /// It met what others had written; these fields of it did not take effect.
  public static func merged(version: Int64, lost: [String]) -> HubVerdict {
    HubVerdict(outcome: .merged(version: version), lost: lost)
  }

  public static func refused(_ problem: Problem) -> HubVerdict {
    HubVerdict(outcome: .refused(problem.details))
  }
}

extension OutcomeEnvelope {
  init(sequence: Int64, _ verdict: HubVerdict) {
    self.init(sequence: sequence, verdict.outcome, lost: verdict.lost)
  }
}
