/// Request for a device token in exchange for a pairing code.
public struct PairRequest: Hashable, Sendable {
  public var code: String
  public var deviceName: String
  /// User to whom the device's data belongs, or `nil` for an empty device. The hub rejects another user's code without
  /// using it up.
  public var user: String?

  public init(code: String, deviceName: String, user: String? = nil) {
    self.code = code
    self.deviceName = deviceName
    self.user = user
  }
}

extension PairRequest: WireDocument {
  public init(from fields: inout WireReader) throws {
    code = try fields.required("code")
    deviceName = try fields.required("device_name")
    user = try fields.optional("person")
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.write("code", code)
    try fields.write("device_name", deviceName)
    try fields.writeIfPresent("person", user)
  }
}

/// Response with the token of a newly paired device. The hub stores only a hash of it.
public struct PairResponse: Hashable, Sendable {
  public var token: String
  public var deviceId: String
  public var user: String
  /// Name of the hub, or `nil` if the hub sends none.
  public var hub: String?

  public init(token: String, deviceId: String, user: String, hub: String? = nil) {
    self.token = token
    self.deviceId = deviceId
    self.user = user
    self.hub = hub
  }
}

extension PairResponse: WireDocument {
  public init(from fields: inout WireReader) throws {
    token = try fields.required("token")
    deviceId = try fields.required("device_id")
    user = try fields.required("person")
    hub = try fields.optional("hub")
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.write("device_id", deviceId)
    try fields.writeIfPresent("hub", hub)
    try fields.write("person", user)
    try fields.write("token", token)
  }
}
