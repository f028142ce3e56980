extension Geofence: SyncedEntity {
  public typealias Wire = APIGeofence
  public typealias CreateRequest = CreateGeofenceRequest
  public typealias UpdateRequest = UpdateGeofenceRequest

  public static var entityType: MutationEntityType { .geofence }

  public init(_ wire: APIGeofence) { self.init(wire.fields, syncStatus: .synced) }
  public init(_ request: CreateGeofenceRequest) { self.init(request.fields, syncStatus: .pending) }

  public var createRequest: CreateGeofenceRequest { CreateGeofenceRequest(fields: GeofenceFields(self)) }

  public func updateRequest(from old: Geofence) -> UpdateGeofenceRequest? {
    GeofenceFields(self).changes(from: GeofenceFields(old))
  }

  public mutating func apply(_ request: UpdateGeofenceRequest) {
    var fields = GeofenceFields(self)
    fields.apply(request)
    self = Geofence(fields, syncStatus: syncStatus)
  }
}

extension Geofence {
  /// JSON members that a store persists by name: colour, role and unknown members.
  ///
  /// Versions without these fields preserve them as unknown members.
  public var storedMembers: [String: JSONValue] {
    get {
      var members = unknownFields
      if let colorHex { members["color"] = .string(colorHex) }
      if let role { members["role"] = .string(role) }
      return members
    }
    set {
      unknownFields = newValue.filter { !["color", "role"].contains($0.key) || $0.value.stringValue == nil }
      (colorHex, role) = (newValue["color"]?.stringValue, newValue["role"]?.stringValue)
    }
  }
}
