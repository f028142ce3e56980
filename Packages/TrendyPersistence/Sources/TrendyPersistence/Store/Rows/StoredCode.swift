import TrendyModels

/// Numeric codes for enumerations in rows. They are part of the file format, so their meaning never changes.
enum StoredCode {
  private static let propertyTypes: [PropertyType] = [
    .text, .number, .boolean, .date, .select, .duration, .url, .email,
  ]
  private static let entities = MutationEntityType.allCases.sorted { $0.storageCode < $1.storageCode }
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

  static func code(_ value: MutationEntityType) -> UInt64 { UInt64(value.storageCode) }

  static func code(_ value: MutationOperation) -> UInt64 {
    switch value {
    case .create: 0
    case .update: 1
    case .delete: 2
    case .restore: 3
    }
  }

  // Called for each event read. A switch avoids the retain and release of an array.
  @inline(__always) static func source(_ code: UInt64) -> EventSourceType? {
    switch code {
    case 0: .manual
    case 1: .imported
    case 2: .geofence
    case 3: .healthKit
    case 4: .trip
    default: nil
    }
  }

  @inline(__always) static func status(_ code: UInt64) -> SyncStatus? {
    switch code {
    case 0: .pending
    case 1: .synced
    case 2: .failed
    default: nil
    }
  }

  static func propertyType(_ code: UInt8) -> PropertyType? { element(UInt64(code), of: propertyTypes) }
  static func entity(_ code: UInt64) -> MutationEntityType? { element(code, of: entities) }
  static func operation(_ code: UInt64) -> MutationOperation? { element(code, of: operations) }

  private static func element<Value>(_ code: UInt64, of values: [Value]) -> Value? {
    code < UInt64(values.count) ? values[Int(code)] : nil
  }
}
