public import TrendyModels

/// One write to be judged.
public struct HubMutation: Hashable, Sendable {
  public enum Operation: String, Hashable, Sendable, CaseIterable {
    case create
    case update
    case delete
    case restore
  }

  public var kind: String
  public var id: String
  public var operation: Operation
  /// The members of the create or update request.
  public var payload: [String: JSONValue]
  /// The id is the hash of what was imported: a create of a living one changes nothing.
  public var hasNaturalKey: Bool
  /// The life of the entity that is meant; of a restore the one it begins. `nil` means whichever it is in.
  public var incarnation: Int64?

  public init(
    kind: String, id: String, operation: Operation, payload: [String: JSONValue] = [:], hasNaturalKey: Bool = false,
    incarnation: Int64? = nil
  ) {
    self.kind = kind
    self.id = id
    self.operation = operation
    self.payload = payload
    self.hasNaturalKey = hasNaturalKey
    self.incarnation = incarnation
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

/// What became of one mutation.
public enum HubOutcome: Hashable, Sendable {
  /// The entity has this version now; the one it had, if nothing changed.
  case accepted(version: Int64)
  /// It met what others had written; these fields of it did not take effect.
  case merged(version: Int64, lost: [String])
  case refused(Problem)
  /// Not judged; its sequence is not used up.
  case tryLater(retryAfter: Duration?)
}
