public import TrendyFoundation

/// How a hub found a trip or a visit in what a device posted there.
public struct APIExplanation: Hashable, Sendable, Identifiable {
  /// One decision about a trip, by its figures.
  public struct Decision: Hashable, Sendable {
    public var time: Date
    /// By its name in the code; a later hub may know more.
    public var rule: String
    public var seconds: Double?
    public var meters: Double?
    /// What seconds or metres were held against.
    public var limit: Double?
    /// The decision as a sentence without its time; `nil` from a hub that does not say it.
    public var words: String?

    public init(
      time: Date, rule: String, seconds: Double? = nil, meters: Double? = nil, limit: Double? = nil,
      words: String? = nil
    ) {
      self.time = time
      self.rule = rule
      self.seconds = seconds
      self.meters = meters
      self.limit = limit
      self.words = words
    }
  }

  /// Of the event.
  public let id: String
  /// The device whose readings they are.
  public var deviceId: String
  /// Empty for a device that the person does not have any more.
  public var deviceName: String
  public var start: Date
  /// `nil` while it goes on.
  public var end: Date?
  /// How many were kept from start to end.
  public var readings: Int
  /// Whether later readings do not change it, unless they come late.
  public var isSettled: Bool
  /// Whether the person changed or deleted it, so that it is not written to any more.
  public var isPersonal: Bool
  /// Empty where the device itself said when it drove, and for visits.
  public var decisions: [Decision]

  public init(
    id: String, deviceId: String, deviceName: String, start: Date, end: Date?, readings: Int, isSettled: Bool,
    isPersonal: Bool, decisions: [Decision]
  ) {
    self.id = id
    self.deviceId = deviceId
    self.deviceName = deviceName
    self.start = start
    self.end = end
    self.readings = readings
    self.isSettled = isSettled
    self.isPersonal = isPersonal
    self.decisions = decisions
  }
}

extension APIExplanation: WireDocument {
  public init(from fields: inout WireReader) throws {
    id = try fields.required("id")
    deviceId = try fields.required("device_id")
    deviceName = try fields.optional("device_name", default: "")
    start = try fields.required("start")
    end = try fields.optional("end")
    readings = try fields.optional("readings", default: 0)
    isSettled = try fields.optional("settled", default: true)
    isPersonal = try fields.optional("personal", default: false)
    decisions = try fields.optional("decisions", default: [])
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.write("decisions", decisions)
    try fields.write("device_id", deviceId)
    try fields.write("device_name", deviceName)
    try fields.writeIfPresent("end", end)
    try fields.write("id", id)
    try fields.write("personal", isPersonal)
    try fields.write("readings", readings)
    try fields.write("settled", isSettled)
    try fields.write("start", start)
  }
}

extension APIExplanation.Decision: WireDocument {
  public init(from fields: inout WireReader) throws {
    time = try fields.required("time")
    rule = try fields.required("rule")
    seconds = try fields.optional("seconds")
    meters = try fields.optional("metres")
    limit = try fields.optional("limit")
    words = try fields.optional("words")
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.writeIfPresent("limit", limit)
    try fields.writeIfPresent("metres", meters)
    try fields.write("rule", rule)
    try fields.writeIfPresent("seconds", seconds)
    try fields.write("time", time)
    try fields.writeIfPresent("words", words)
  }
}
