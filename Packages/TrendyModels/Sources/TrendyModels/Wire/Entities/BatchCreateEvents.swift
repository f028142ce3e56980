/// Request to create up to 500 events.
public struct BatchCreateEventsRequest: Hashable, Sendable {
  public var events: [CreateEventRequest]

  public init(events: [CreateEventRequest]) {
    self.events = events
  }
}

extension BatchCreateEventsRequest: WireDocument {
  public init(from fields: inout WireReader) throws {
    events = try fields.required("events")
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.write("events", events)
  }
}

/// Response to a batch of creates, in which events succeed and fail independently.
public struct BatchCreateEventsResponse: Hashable, Sendable {
  public var created: [APIEvent]
  public var errors: [BatchError]?
  public var total: Int
  public var success: Int
  public var failed: Int

  public init(created: [APIEvent], errors: [BatchError]? = nil, total: Int, success: Int, failed: Int) {
    self.created = created
    self.errors = errors
    self.total = total
    self.success = success
    self.failed = failed
  }
}

extension BatchCreateEventsResponse: WireDocument {
  public init(from fields: inout WireReader) throws {
    created = try fields.required("created")
    errors = try fields.optional("errors")
    total = Int(try fields.required("total", in: SyncRange.counter))
    success = Int(try fields.required("success", in: SyncRange.counter))
    failed = Int(try fields.required("failed", in: SyncRange.counter))
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.write("created", created)
    try fields.writeIfPresent("errors", errors)
    try fields.write("failed", failed)
    try fields.write("success", success)
    try fields.write("total", total)
  }
}

/// Error for one event in a batch.
public struct BatchError: Hashable, Sendable {
  /// Index of the event in the request, from 0.
  public var index: Int
  public var message: String

  public init(index: Int, message: String) {
    self.index = index
    self.message = message
  }
}

extension BatchError: WireDocument {
  public init(from fields: inout WireReader) throws {
    index = Int(try fields.required("index", in: SyncRange.counter))
    message = try fields.required("message")
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.write("index", index)
    try fields.write("message", message)
  }
}
