/// A device asks for a token with the code a person read to it.
public struct PairRequest: Hashable, Sendable {
  public var code: String
  public var deviceName: String

  public init(code: String, deviceName: String) {
    self.code = code
    self.deviceName = deviceName
  }
}

extension PairRequest: WireDocument {
  public init(from fields: inout WireReader) throws {
    code = try fields.required("code")
    deviceName = try fields.required("device_name")
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.write("code", code)
    try fields.write("device_name", deviceName)
  }
}

/// The token of a device; shown once, stored hashed at the hub.
public struct PairResponse: Hashable, Sendable {
  public var token: String
  public var deviceId: String
  public var person: String

  public init(token: String, deviceId: String, person: String) {
    self.token = token
    self.deviceId = deviceId
    self.person = person
  }
}

extension PairResponse: WireDocument {
  public init(from fields: inout WireReader) throws {
    token = try fields.required("token")
    deviceId = try fields.required("device_id")
    person = try fields.required("person")
  }

  public func write(to fields: inout WireWriter) throws {
    try fields.write("device_id", deviceId)
    try fields.write("person", person)
    try fields.write("token", token)
  }
}
