import TrendyModels

/// The numbers that stand for names in a row. They are part of the format: none is ever given another meaning.
enum StoredCode {
  private static let propertyTypes: [PropertyType] = [
    .text, .number, .boolean, .date, .select, .duration, .url, .email,
  ]
  private static let sources: [EventSourceType] = [.manual, .imported, .geofence, .healthKit, .trip]
  private static let statuses: [SyncStatus] = [.pending, .synced, .failed]
  private static let entities: [MutationEntityType] = [
    .event, .eventType, .geofence, .propertyDefinition, .vehicle, .tripRule, .setting, .skip, .conflict,
  ]
  private static let operations: [MutationOperation] = [.create, .update, .delete, .restore]

  static func code(_ value: PropertyType) -> UInt8 {
    switch value {
    case .text: 0
    case .number: 1
    case .boolean: 2
    case .date: 3
    case .select: 4
    case .duration: 5
    case .url: 6
    case .email: 7
    }
  }

  static func code(_ value: EventSourceType) -> UInt64 {
    switch value {
    case .manual: 0
    case .imported: 1
    case .geofence: 2
    case .healthKit: 3
    case .trip: 4
    }
  }

  static func code(_ value: SyncStatus) -> UInt64 {
    switch value {
    case .pending: 0
    case .synced: 1
    case .failed: 2
    }
  }

  static func code(_ value: MutationEntityType) -> UInt64 {
    switch value {
    case .event: 0
    case .eventType: 1
    case .geofence: 2
    case .propertyDefinition: 3
    case .vehicle: 4
    case .tripRule: 5
    case .setting: 6
    case .skip: 7
    case .conflict: 8
    }
  }

  static func code(_ value: MutationOperation) -> UInt64 {
    switch value {
    case .create: 0
    case .update: 1
    case .delete: 2
    case .restore: 3
    }
  }

  static func propertyType(_ code: UInt8) -> PropertyType? { element(UInt64(code), of: propertyTypes) }
  static func source(_ code: UInt64) -> EventSourceType? { element(code, of: sources) }
  static func status(_ code: UInt64) -> SyncStatus? { element(code, of: statuses) }
  static func entity(_ code: UInt64) -> MutationEntityType? { element(code, of: entities) }
  static func operation(_ code: UInt64) -> MutationOperation? { element(code, of: operations) }

  private static func element<Value>(_ code: UInt64, of values: [Value]) -> Value? {
    code < UInt64(values.count) ? values[Int(code)] : nil
  }
}
