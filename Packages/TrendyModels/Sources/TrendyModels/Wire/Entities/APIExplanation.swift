public import TrendyFoundation

/// Explanation of how a hub detected a trip or a visit in a device's readings.
public struct APIExplanation: Hashable, Sendable, Identifiable {
  /// Decision of the trip detector, with the measured values behind it.
  public struct Decision: Hashable, Sendable {
    public var time: Date
    /// Identifier of the rule. Newer hubs may send other identifiers.
    public var rule: String
    public var seconds: Double?
    public var meters: Double?
    /// Limit that ``seconds`` or ``meters`` was compared with.
    public var limit: Double?
    /// The decision as a sentence without its time, or `nil` if the hub sends none.
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

  /// Identifier of the event.
  public let id: String
  /// Device whose readings were used.
  public var deviceId: String
  /// Name of the device, or an empty string if the user has removed the device.
  public var deviceName: String
  public var start: Date
  /// End of the trip or visit, or `nil` while it is in progress.
  public var end: Date?
  /// Number of stored readings from start to end.
  public var readings: Int
  /// Whether the result is final unless late readings arrive.
  public var isSettled: Bool
  /// Whether the user changed or deleted the event, so that detection no longer updates it.
  public var isPersonal: Bool
  /// Decisions in chronological order, or an empty array for visits and for trips recorded with explicit trip commands.
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
