extension Geofence: SyncedEntity {
  public typealias Wire = APIGeofence
  public typealias CreateRequest = CreateGeofenceRequest
  public typealias UpdateRequest = UpdateGeofenceRequest

  public static var entityType: MutationEntityType { .geofence }

  public init(_ wire: APIGeofence) {
    self.init(
      id: wire.id, name: wire.name, latitude: wire.latitude, longitude: wire.longitude, radius: wire.radius,
      eventTypeEntryId: wire.eventTypeEntryId, eventTypeExitId: wire.eventTypeExitId, isActive: wire.isActive,
      notifyOnEntry: wire.notifyOnEntry, notifyOnExit: wire.notifyOnExit, colorHex: wire.color, role: wire.role,
      syncStatus: .synced, unknownFields: wire.unknownFields)
  }

  public init(_ request: CreateGeofenceRequest) {
    self.init(
      id: request.id, name: request.name, latitude: request.latitude, longitude: request.longitude,
      radius: request.radius, eventTypeEntryId: request.eventTypeEntryId, eventTypeExitId: request.eventTypeExitId,
      isActive: request.isActive, notifyOnEntry: request.notifyOnEntry, notifyOnExit: request.notifyOnExit,
      colorHex: request.color, role: request.role, unknownFields: request.unknownFields)
  }

  public var createRequest: CreateGeofenceRequest {
    CreateGeofenceRequest(
      id: id, name: name, latitude: latitude, longitude: longitude, radius: radius,
      eventTypeEntryId: eventTypeEntryId, eventTypeExitId: eventTypeExitId, isActive: isActive,
      notifyOnEntry: notifyOnEntry, notifyOnExit: notifyOnExit, color: colorHex, role: role,
      unknownFields: unknownFields)
  }

  public func updateRequest(from old: Geofence) -> UpdateGeofenceRequest? {
    let request = UpdateGeofenceRequest(
      name: .changed(old.name, name), latitude: .changed(old.latitude, latitude),
      longitude: .changed(old.longitude, longitude), radius: .changed(old.radius, radius),
      eventTypeEntryId: Patch(from: old.eventTypeEntryId, to: eventTypeEntryId),
      eventTypeExitId: Patch(from: old.eventTypeExitId, to: eventTypeExitId),
      isActive: .changed(old.isActive, isActive), notifyOnEntry: .changed(old.notifyOnEntry, notifyOnEntry),
      notifyOnExit: .changed(old.notifyOnExit, notifyOnExit), color: Patch(from: old.colorHex, to: colorHex),
      role: Patch(from: old.role, to: role))
    return request == UpdateGeofenceRequest() ? nil : request
  }

  public mutating func apply(_ request: UpdateGeofenceRequest) {
    if let value = request.name { name = value }
    if let value = request.latitude { latitude = value }
    if let value = request.longitude { longitude = value }
    if let value = request.radius { radius = value }
    request.eventTypeEntryId.apply(to: &eventTypeEntryId)
    request.eventTypeExitId.apply(to: &eventTypeExitId)
    if let value = request.isActive { isActive = value }
    if let value = request.notifyOnEntry { notifyOnEntry = value }
    if let value = request.notifyOnExit { notifyOnExit = value }
    request.color.apply(to: &colorHex)
    request.role.apply(to: &role)
  }
}

extension Geofence {
  /// The members that a store keeps by name: colour, role, and what this version does not know. There earlier versions,
  /// which know neither, keep them as well.
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
