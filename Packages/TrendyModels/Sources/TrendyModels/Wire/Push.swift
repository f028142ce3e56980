/// The mutations of one device, in the order of their sequences.
public struct PushRequest: Hashable, Sendable {
  /// The identity of the store that sends them.
  public var device: String
  /// The highest sequence whose outcome the device holds; up to it the hub may forget outcomes.
  public var acknowledgedThrough: Int64
  public var mutations: [MutationEnvelope]

  public init(device: String, acknowledgedThrough: Int64, mutations: [MutationEnvelope]) {
    self.device = device
    self.acknowledgedThrough = acknowledgedThrough
    self.mutations = mutations
  }
}

extension PushRequest: WireDocument {
  public init(from fields: inout WireReader) throws {
    device = try fields.required("device")
    acknowledgedThrough = try fields.required("acked_through")
    mutations = try fields.required("mutations")
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.write("acked_through", acknowledgedThrough)
    try fields.write("device", device)
    try fields.write("mutations", mutations)
  }
}

/// One mutation of a push.
public struct MutationEnvelope: Hashable, Sendable {
  /// The mutation’s idempotency key.
  public let id: String
  /// Its place in the row of this device, from 1, without a gap.
  public var sequence: Int64
  public var entityType: String
  public var entityId: String
  public var operation: String
  /// The members of the `Create…Request` or `Update…Request`, null and absent kept apart; empty for a delete.
  public var payload: [String: JSONValue]
  /// Members this version does not know, kept and written back.
  public var unknownFields: [String: JSONValue]

  public init(
    id: String, sequence: Int64, entityType: String, entityId: String, operation: String,
    payload: [String: JSONValue] = [:], unknownFields: [String: JSONValue] = [:]
  ) {
    self.id = id
    self.sequence = sequence
    self.entityType = entityType
    self.entityId = entityId
    self.operation = operation
    self.payload = payload
    self.unknownFields = unknownFields
  }
}

extension MutationEnvelope: WireDocument {
  public init(from fields: inout WireReader) throws {
    id = try fields.required("id")
    sequence = try fields.required("seq")
    entityType = try fields.required("entity_type")
    entityId = try fields.required("entity_id")
    operation = try fields.required("operation")
    payload = try fields.optional("payload", default: [:])
    unknownFields = try fields.unknown()
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.write(unknown: unknownFields)
    try fields.write("entity_id", entityId)
    try fields.write("entity_type", entityType)
    try fields.write("id", id)
    try fields.write("operation", operation)
    try fields.write("payload", payload)
    try fields.write("seq", sequence)
  }
}

/// The outcomes of a push, as many as were judged, in order; `try_later` ends it.
public struct PushResponse: Hashable, Sendable {
  public var outcomes: [OutcomeEnvelope]
  /// The version of the last write.
  public var head: Int64
  public var epoch: String?

  public init(outcomes: [OutcomeEnvelope], head: Int64, epoch: String? = nil) {
    self.outcomes = outcomes
    self.head = head
    self.epoch = epoch
  }
}

extension PushResponse: WireDocument {
  public init(from fields: inout WireReader) throws {
    outcomes = try fields.required("outcomes")
    head = try fields.required("head")
    epoch = try fields.optional("epoch")
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.writeIfPresent("epoch", epoch)
    try fields.write("head", head)
    try fields.write("outcomes", outcomes)
  }
}

/// What became of one mutation.
public struct OutcomeEnvelope: Hashable, Sendable {
  public var sequence: Int64
  /// `accepted`, `merged`, `refused` or `try_later`.
  public var status: String
  /// The version the entity has after it.
  public var version: Int64?
  public var problem: ProblemDetails?
  public var retryAfterSeconds: Int?

  public init(
    sequence: Int64, status: String, version: Int64? = nil, problem: ProblemDetails? = nil,
    retryAfterSeconds: Int? = nil
  ) {
    self.sequence = sequence
    self.status = status
    self.version = version
    self.problem = problem
    self.retryAfterSeconds = retryAfterSeconds
  }
}

extension OutcomeEnvelope: WireDocument {
  public init(from fields: inout WireReader) throws {
    sequence = try fields.required("seq")
    status = try fields.required("status")
    version = try fields.optional("version")
    problem = try fields.optional("problem")
    retryAfterSeconds = try fields.optional("retry_after_s")
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.writeIfPresent("problem", problem)
    try fields.writeIfPresent("retry_after_s", retryAfterSeconds)
    try fields.write("seq", sequence)
    try fields.write("status", status)
    try fields.writeIfPresent("version", version)
  }
}

/// The first line of a snapshot.
public struct SnapshotHeader: Hashable, Sendable {
  /// The version at which the snapshot was taken.
  public var cursor: Int64
  public var epoch: String
  /// The highest sequence of the asking device that was judged.
  public var lastSequence: Int64
  /// How many entries follow; fewer is a snapshot cut off.
  public var count: Int

  public init(cursor: Int64, epoch: String, lastSequence: Int64 = 0, count: Int) {
    self.cursor = cursor
    self.epoch = epoch
    self.lastSequence = lastSequence
    self.count = count
  }
}

extension SnapshotHeader: WireDocument {
  public init(from fields: inout WireReader) throws {
    cursor = try fields.required("cursor")
    epoch = try fields.required("epoch")
    lastSequence = try fields.optional("last_seq", default: 0)
    count = try fields.required("count")
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.write("count", count)
    try fields.write("cursor", cursor)
    try fields.write("epoch", epoch)
    try fields.write("last_seq", lastSequence)
  }
}
