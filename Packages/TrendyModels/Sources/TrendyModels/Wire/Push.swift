/// Push from one device: mutations in the order of their sequence numbers.
public typealias PushRequest = PushDocument<MutationEnvelope>

/// Push request, generic over the representation of mutations. A hub decodes each mutation as a ``LenientElement``.
public struct PushDocument<Mutation: WireValue & Hashable & Sendable>: Hashable, Sendable {
  public var position: DevicePosition
  public var mutations: [Mutation]

  public init(position: DevicePosition, mutations: [Mutation]) {
    self.position = position
    self.mutations = mutations
  }

  /// Identity of the store that sends the mutations.
  public var device: String { position.device }
}

extension PushDocument<MutationEnvelope> {
  /// Creates a push without the device's `seen` version, epoch and last sequence number.
  public init(device: String, acknowledgedThrough: Int64, mutations: [MutationEnvelope]) {
    self.init(
      position: DevicePosition(device: device, acknowledgedThrough: acknowledgedThrough), mutations: mutations)
  }

  /// Creates the push request for a batch.
  public init(_ batch: PushBatch) {
    self.init(position: batch.position, mutations: batch.mutations.map { MutationEnvelope($0) })
  }
}

extension PushDocument: WireDocument {
  public init(from fields: inout WireReader) throws {
    position = DevicePosition(
      device: try fields.required("device"), seen: try fields.optional("seen", in: SyncRange.counter) ?? 0,
      epoch: try fields.optional("epoch"), lastSequence: try fields.optional("last_seq", in: SyncRange.counter),
      acknowledgedThrough: try fields.required("acked_through", in: SyncRange.counter))
    mutations = try fields.required("mutations")
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.write("acked_through", position.acknowledgedThrough)
    try fields.write("device", position.device)
    try fields.writeIfPresent("epoch", position.epoch)
    try fields.writeIfPresent("last_seq", position.lastSequence)
    try fields.write("mutations", mutations)
    // Without an epoch the device has received no version yet.
    if position.epoch != nil { try fields.write("seen", position.seen) }
  }
}

/// Change to one field in a mutation.
public struct FieldChange: Hashable, Sendable {
  /// New value, or `null` to clear the field.
  public var value: JSONValue
  /// Version that the author knew, within ``SyncRange/counter``.
  public var base: Int64 { didSet { base = base.clamped(to: SyncRange.counter) } }
  /// Hub time of the edit in milliseconds since 1970, within ``SyncRange/stamp``.
  public var stamp: Int64 { didSet { stamp = stamp.clamped(to: SyncRange.stamp) } }
  /// Identity of the device that made the edit, if it is not the sending device.
  public var author: String?

  public init(value: JSONValue, base: Int64, stamp: Int64, author: String? = nil) {
    self.value = value
    self.base = base.clamped(to: SyncRange.counter)
    self.stamp = stamp.clamped(to: SyncRange.stamp)
    self.author = author
  }
}

extension FieldChange: WireDocument {
  public init(from fields: inout WireReader) throws {
    value = try fields.required("value")
    base = try fields.required("base", in: SyncRange.counter)
    stamp = try fields.required("stamp", in: SyncRange.stamp)
    author = try fields.optional("author")
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.writeIfPresent("author", author)
    try fields.write("base", base)
    try fields.write("stamp", stamp)
    try fields.write("value", value)
  }
}

/// Mutation in a push.
public struct MutationEnvelope: Hashable, Sendable {
  /// Idempotency key of the mutation.
  public let id: String
  /// Sequence number within the device identity, from 1 without gaps.
  public var sequence: Int64
  public var entityType: String
  public var entityId: String
  public var operation: String
  /// Incarnation of the entity that the mutation applies to, or the new incarnation for a restore.
  public var incarnation: Int64
  /// For a delete, the version through which the author had seen all changes to the entity and its children.
  public var base: Int64?
  /// Changed fields by wire name, or `nil` if the mutation has a payload instead, which is applied in order of arrival.
  public var fields: [String: FieldChange]?
  /// Members of the `Create…Request` or `Update…Request`, or an empty dictionary for a delete. In an update, null
  /// clears a field and an absent member leaves its field unchanged.
  public var payload: [String: JSONValue]
  /// Members that this version does not know. They are written back unchanged.
  public var unknownFields: [String: JSONValue]

  public init(
    id: String, sequence: Int64, entityType: String, entityId: String, operation: String,
    payload: [String: JSONValue] = [:], unknownFields: [String: JSONValue] = [:], incarnation: Int64 = 0,
    base: Int64? = nil, fields: [String: FieldChange]? = nil
  ) {
    self.id = id
    self.sequence = sequence
    self.entityType = entityType
    self.entityId = entityId
    self.operation = operation
    self.payload = payload
    self.unknownFields = unknownFields
    self.incarnation = incarnation.clamped(to: SyncRange.counter)
    self.base = base?.clamped(to: SyncRange.counter)
    self.fields = fields
  }

  /// Creates the wire form of a mutation. Equal mutations have equal wire forms.
  ///
  /// A payload that is not a JSON object is encoded in a form that every hub refuses. The refusal uses up the sequence
  /// number, so that later mutations can be applied, and moves the data to the conflict journal. A delete is sent
  /// without the edits in such a payload.
  public init(_ mutation: PendingMutation) {
    let readable =
      mutation.payload.isEmpty ? [:] : try? WireJSON.decode([String: JSONValue].self, from: mutation.payload)
    let members = readable ?? (mutation.operation == .delete ? [:] : ["id": nil])
    self.init(
      id: mutation.idempotencyKey, sequence: mutation.sequence ?? 0, entityType: mutation.entityType.rawValue,
      entityId: mutation.entityId, operation: mutation.operation.rawValue,
      payload: mutation.marks.isEmpty || readable == nil ? members : [:], incarnation: mutation.incarnation,
      base: mutation.base)
    if readable != nil, !mutation.marks.isEmpty {
      fields = FieldChange.changes(members, of: mutation.entityType, marks: mutation.marks)
    }
  }
}

extension FieldChange {
  /// Returns the changes of a mutation by field name.
  ///
  /// - Throws: `APIError.decodingError` if the payload is not a JSON object.
  public static func changes(of mutation: PendingMutation) throws -> [String: FieldChange] {
    guard !mutation.payload.isEmpty else { return [:] }
    let members = try WireJSON.decode([String: JSONValue].self, from: mutation.payload)
    return changes(members, of: mutation.entityType, marks: mutation.marks)
  }

  /// Converts the members of a request to fields. Members that are merged key by key become one field per key.
  static func changes(
    _ members: [String: JSONValue], of kind: MutationEntityType, marks: [String: FieldVersion]
  ) -> [String: FieldChange] {
    var changes: [String: FieldChange] = [:]
    func add(_ name: String, _ value: JSONValue) {
      let mark = marks.mark(of: name) ?? FieldVersion(version: 0, stamp: 0)
      changes[name] = FieldChange(value: value, base: mark.version, stamp: mark.stamp, author: mark.author)
    }
    let nested = SyncedKind.named(kind.rawValue)?.nestedMember
    for (name, value) in members where name != "id" {
      if name == nested {
        for (key, value) in value.objectValue ?? [:] { add("\(name).\(key)", value) }
      } else {
        add(name, value)
      }
    }
    return changes
  }
}

extension MutationEnvelope: WireDocument {
  public init(from members: inout WireReader) throws {
    id = try members.required("id")
    sequence = try members.required("seq", in: SyncRange.counter)
    entityType = try members.required("entity_type")
    entityId = try members.required("entity_id")
    operation = try members.required("operation")
    payload = try members.optional("payload", default: [:])
    incarnation = try members.optional("incarnation", in: SyncRange.counter) ?? 0
    base = try members.optional("base", in: SyncRange.counter)
    fields = try members.optional("fields")
    unknownFields = try members.unknown()
  }

  public func write(to members: inout WireWriter) throws {
    try members.write(unknown: unknownFields)
    try members.writeIfPresent("base", base)
    try members.write("entity_id", entityId)
    try members.write("entity_type", entityType)
    try members.writeIfPresent("fields", fields)
    try members.write("id", id)
    if incarnation != 0 { try members.write("incarnation", incarnation) }
    try members.write("operation", operation)
    if fields == nil { try members.write("payload", payload) }
    try members.write("seq", sequence)
  }
}

/// Response to a push: outcomes in order, up to and including the first `try_later`.
public struct PushResponse: Hashable, Sendable {
  public var outcomes: [OutcomeEnvelope]
  /// Version of the last write.
  public var head: Int64
  /// Current epoch, or `nil` if the hub sends none.
  public var epoch: String?
  /// Position of the hub, or `nil` if the hub sends none.
  public var position: HubPosition?
  /// Whether the hub answered with problem type `device_forked`.
  public var isForked: Bool

  /// Creates the response of a hub that sends its position.
  public init(outcomes: [OutcomeEnvelope], position: HubPosition) {
    self.init(outcomes: outcomes, head: position.head, epoch: position.epoch, position: position)
  }

  public init(
    outcomes: [OutcomeEnvelope], head: Int64, epoch: String? = nil, position: HubPosition? = nil,
    isForked: Bool = false
  ) {
    self.outcomes = outcomes
    self.head = head
    self.epoch = epoch
    self.position = position
    self.isForked = isForked
  }
}

extension PushResponse: WireDocument {
  public init(from fields: inout WireReader) throws {
    outcomes = try fields.required("outcomes")
    head = try fields.required("head", in: SyncRange.counter)
    epoch = try fields.optional("epoch")
    position = try fields.position()
    isForked = try fields.optional("type") == ProblemDetails.deviceForked
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.writeIfPresent("epoch", epoch)
    try fields.writeIfPresent("epochs", position?.epochs)
    try fields.write("head", head)
    try fields.writeIfPresent("now", position?.now)
    try fields.write("outcomes", outcomes)
    if isForked { try fields.write("type", ProblemDetails.deviceForked) }
  }
}

extension PushResponse {
  /// Returns one outcome for each mutation, `.tryLater` if the response contains none.
  ///
  /// - Throws: `APIError.decodingError` if the first outcome has an unknown status.
  public func answer(to mutations: [MutationEnvelope]) throws -> PushBatchResult {
    let bySequence = Dictionary(outcomes.map { ($0.sequence, $0) }, uniquingKeysWith: { first, _ in first })
    var answer = PushBatchResult(outcomes: [], position: position, isForked: isForked)
    for mutation in mutations {
      guard let judged = bySequence[mutation.sequence] else { break }
      switch judged.status {
      case "accepted": answer.outcomes.append(.accepted(version: judged.version))
      case "merged": answer.outcomes.append(.merged(version: judged.version))
      case "refused":
        answer.outcomes.append(.refused(judged.problem ?? ProblemDetails(title: "Rejected by the hub", status: 422)))
      case "try_later":
        answer.outcomes.append(
          .tryLater(retryAfter: judged.retryAfterSeconds.map { min(.seconds(max($0, 0)), SyncRange.longestWait) }))
      default:
        // A newer hub sent an unknown status. Use the outcomes before it, or report the status as an error if there are
        // none.
        guard !answer.outcomes.isEmpty else {
          throw APIError.decodingError(
            "outcome of sequence number \(mutation.sequence): expected accepted, merged, refused or try_later, found "
              + "\"\(judged.status)\"; this device may need an update")
        }
        answer.outcomes.append(.tryLater(retryAfter: nil))
      }
      if !judged.lost.isEmpty { answer.lost[answer.outcomes.count - 1] = judged.lost }
      if case .tryLater? = answer.outcomes.last { break }
    }
    // Mutations after a mutation without an outcome may depend on that mutation, so they have no outcome either.
    var unjudged = MutationOutcome.tryLater(retryAfter: nil)
    if let last = answer.outcomes.last, case .tryLater = last { unjudged = last }
    answer.outcomes += Array(repeating: unjudged, count: mutations.count - answer.outcomes.count)
    return answer
  }
}

/// Outcome of one mutation on the wire.
public struct OutcomeEnvelope: Hashable, Sendable {
  public var sequence: Int64
  /// One of `accepted`, `merged`, `refused` and `try_later`.
  public var status: String
  /// Version of the entity after the mutation.
  public var version: Int64?
  public var problem: ProblemDetails?
  public var retryAfterSeconds: Int?
  /// Fields of a merged mutation that lost to later values.
  public var lost: [String]

  public init(
    sequence: Int64, status: String, version: Int64? = nil, problem: ProblemDetails? = nil,
    retryAfterSeconds: Int? = nil, lost: [String] = []
  ) {
    self.sequence = sequence
    self.status = status
    self.version = version
    self.problem = problem
    self.retryAfterSeconds = retryAfterSeconds
    self.lost = lost
  }

  /// Creates the wire form of an outcome. `lost` contains the fields of a merged mutation that lost to later values.
  public init(sequence: Int64, _ outcome: MutationOutcome, lost: [String] = []) {
    self.init(sequence: sequence, status: "", lost: lost)
    switch outcome {
    case .accepted(let version): (status, self.version) = ("accepted", version)
    case .merged(let version): (status, self.version) = ("merged", version)
    case .refused(let problem): (status, self.problem) = ("refused", problem)
    case .tryLater(let retryAfter):
      (status, retryAfterSeconds) = ("try_later", retryAfter.map { Int($0.components.seconds) })
    }
  }
}

extension OutcomeEnvelope: WireDocument {
  public init(from fields: inout WireReader) throws {
    sequence = try fields.required("seq", in: SyncRange.counter)
    status = try fields.required("status")
    version = try fields.optional("version", in: SyncRange.counter)
    problem = try fields.optional("problem")
    retryAfterSeconds = try fields.optional("retry_after_s", in: SyncRange.counter).map(Int.init)
    lost = try fields.optional("lost", default: [])
  }

  public func write(to fields: inout WireWriter) throws {
    // A merge that lost no fields, for example because another device imported the same entity, writes an empty list.
    if !lost.isEmpty || status == "merged" { try fields.write("lost", lost) }
    try fields.writeIfPresent("problem", problem)
    try fields.writeIfPresent("retry_after_s", retryAfterSeconds)
    try fields.write("seq", sequence)
    try fields.write("status", status)
    try fields.writeIfPresent("version", version)
  }
}

/// First line of a snapshot or a snapshot part.
public struct SnapshotHeader: Hashable, Sendable {
  /// Version of the state that the snapshot contains.
  public var cursor: Int64
  public var epoch: String
  /// Highest sequence number of the requesting device that the hub has used up.
  public var lastSequence: Int64
  /// Number of entries that follow. If there are fewer, the response was truncated.
  public var count: Int
  /// Position of the hub, or `nil` if the hub sends none.
  public var position: HubPosition?
  /// Version ranges that this part covers completely, or `nil` for a complete snapshot.
  public var spans: [SnapshotSpan]?
  /// Name for requesting the next part, or `nil` for the last part and for a complete snapshot.
  public var next: String?

  public init(
    cursor: Int64, epoch: String, lastSequence: Int64 = 0, count: Int, position: HubPosition? = nil,
    spans: [SnapshotSpan]? = nil, next: String? = nil
  ) {
    self.cursor = cursor
    self.epoch = epoch
    self.lastSequence = lastSequence
    self.count = count
    self.position = position
    self.spans = spans
    self.next = next
  }
}

extension SnapshotHeader: WireDocument {
  public init(from fields: inout WireReader) throws {
    cursor = try fields.required("cursor", in: SyncRange.counter)
    epoch = try fields.required("epoch")
    lastSequence = try fields.optional("last_seq", in: SyncRange.counter) ?? 0
    count = Int(try fields.required("count", in: SyncRange.counter))
    position = try fields.position()
    spans = try fields.optional("spans")
    next = try fields.optional("next")
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.write("count", count)
    try fields.write("cursor", cursor)
    try fields.write("epoch", epoch)
    try fields.writeIfPresent("epochs", position?.epochs)
    try fields.writeIfPresent("head", position?.head)
    try fields.write("last_seq", lastSequence)
    try fields.writeIfPresent("next", next)
    try fields.writeIfPresent("now", position?.now)
    try fields.writeIfPresent("spans", spans)
  }
}
