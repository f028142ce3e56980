import TrendyFoundation
import TrendyModels

extension EventType: StoredRow {
  static var kind: UInt8 { RowKind.eventType }
  static var lastField: Int { 6 }
  var rowIdentifier: String { id }

  func write(to writer: RowWriter) {
    writer.text(2, name)
    writer.text(3, colorHex)
    writer.text(4, iconName)
    if syncStatus != .pending { writer.integer(5, StoredCode.code(syncStatus)) }
    writer.members(6, storedMembers)
  }

  init?(identifier: @autoclosure () -> String, fields: inout RowReader) {
    var type = EventType(id: identifier(), name: "", colorHex: "", iconName: "")
    var members: [String: JSONValue] = [:]
    while let field = fields.next() {
      switch field.number {
      case 2: type.name = field.text
      case 3: type.colorHex = field.text
      case 4: type.iconName = field.text
      case 5:
        guard let status = StoredCode.status(field.integer) else { return nil }
        type.syncStatus = status
      case 6:
        guard let (name, value) = field.member else { return nil }
        members[name] = value
      default: break
      }
    }
    if fields.isBroken { return nil }
    if !members.isEmpty { type.storedMembers = members }
    self = type
  }
}

extension Geofence: StoredRow {
  static var kind: UInt8 { RowKind.geofence }
  static var lastField: Int { 12 }
  var rowIdentifier: String { id }

  func write(to writer: RowWriter) {
    writer.text(2, name)
    writer.double(3, latitude)
    writer.double(4, longitude)
    writer.double(5, radius)
    writer.identifier(6, eventTypeEntryId)
    writer.identifier(7, eventTypeExitId)
    writer.flag(8, isActive)
    writer.flag(9, notifyOnEntry)
    writer.flag(10, notifyOnExit)
    if syncStatus != .pending { writer.integer(11, StoredCode.code(syncStatus)) }
    writer.members(12, storedMembers)
  }

  init?(identifier: @autoclosure () -> String, fields: inout RowReader) {
    var fence = Geofence(id: identifier(), name: "", latitude: 0, longitude: 0, radius: 0, isActive: false)
    var members: [String: JSONValue] = [:]
    while let field = fields.next() {
      switch field.number {
      case 2: fence.name = field.text
      case 3: fence.latitude = field.double
      case 4: fence.longitude = field.double
      case 5: fence.radius = field.double
      case 6: fence.eventTypeEntryId = field.identifier
      case 7: fence.eventTypeExitId = field.identifier
      case 8: fence.isActive = field.flag
      case 9: fence.notifyOnEntry = field.flag
      case 10: fence.notifyOnExit = field.flag
      case 11:
        guard let status = StoredCode.status(field.integer) else { return nil }
        fence.syncStatus = status
      case 12:
        guard let (name, value) = field.member else { return nil }
        members[name] = value
      default: break
      }
    }
    if fields.isBroken { return nil }
    if !members.isEmpty { fence.storedMembers = members }
    self = fence
  }
}

extension PropertyDefinition: StoredRow {
  static var kind: UInt8 { RowKind.propertyDefinition }
  static var lastField: Int { 10 }
  var rowIdentifier: String { id }
  var rowSort: Int64 { min(Int64(displayOrder), .max - 1) }
  var rowGroup: UInt64 { RowOrder.group(eventTypeId) }

  func write(to writer: RowWriter) {
    writer.identifier(2, eventTypeId)
    writer.text(3, key)
    writer.text(4, label)
    writer.integer(5, UInt64(StoredCode.code(propertyType)))
    for option in options { writer.text(6, option) }
    if let defaultValue { writer.json(7, defaultValue) }
    writer.signed(8, Int64(displayOrder))
    if syncStatus != .pending { writer.integer(9, StoredCode.code(syncStatus)) }
    writer.members(10, unknownFields)
  }

  init?(identifier: @autoclosure () -> String, fields: inout RowReader) {
    var eventTypeId: String?
    var key = ""
    var label = ""
    var propertyType: PropertyType?
    var options: [String] = []
    var defaultValue: JSONValue?
    var displayOrder = 0
    var syncStatus = SyncStatus.pending
    var unknownFields: [String: JSONValue] = [:]
    while let field = fields.next() {
      switch field.number {
      case 2: eventTypeId = field.identifier
      case 3: key = field.text
      case 4: label = field.text
      case 5: propertyType = UInt8(exactly: field.integer).flatMap(StoredCode.propertyType)
      case 6: options.append(field.text)
      case 7:
        guard let value = field.json else { return nil }
        defaultValue = value
      case 8: displayOrder = Int(field.signed)
      case 9:
        guard let status = StoredCode.status(field.integer) else { return nil }
        syncStatus = status
      case 10:
        guard let (name, value) = field.member else { return nil }
        unknownFields[name] = value
      default: break
      }
    }
    guard !fields.isBroken, let eventTypeId, let propertyType else { return nil }
    self.init(
      id: identifier(), eventTypeId: eventTypeId, key: key, label: label, propertyType: propertyType,
      options: options, defaultValue: defaultValue, displayOrder: displayOrder, syncStatus: syncStatus,
      unknownFields: unknownFields)
  }
}
