package import TrendyModels
import TrendyPersistence

/// Checksum over all columns of a row, which proves that every engine reads the same complete rows.
package struct RowCheck {
  init() {}

  /// Returns the checksum of an event. The sum wraps around. Missing strings and coordinates add 0.
  package static func value(_ event: borrowing Event) -> UInt64 {
    var check = RowCheck()
    return withUnsafePointer(to: event) { check.value(at: $0) }
  }

  /// Shape of the previous row's properties, and the length of its names as JSON.
  private var shape: PropertyShape?
  private var namesLength = 0

  /// Computes the checksum of an event in place, to avoid measuring a copy.
  mutating func value(at event: UnsafePointer<Event>) -> UInt64 {
    var sum = BenchmarkRows.millis(event.pointee.timestamp)
    if let notes = event.pointee.notes { sum &+= Int64(notes.utf8.count * 3) }
    sum &+= Int64(propertiesLength(event) * 5)
    if event.pointee.isAllDay { sum &+= 1 }
    if let end = event.pointee.endDate { sum &+= BenchmarkRows.millis(end) }
    sum &+= Int64(event.pointee.identifier.utf8Count + event.pointee.eventTypeId.utf8.count)
    sum &+= Int64(Self.nameLength(event.pointee.sourceType) + Self.nameLength(event.pointee.syncStatus))
    if let latitude = event.pointee.locationLatitude { sum &+= Int64(latitude * 1000) }
    return UInt64(bitPattern: sum)
  }

  /// Computes the checksum of a row without decoding it into an event or copying its strings.
  mutating func value(_ row: EventRow) throws(StorageError) -> UInt64 {
    var sum = BenchmarkRows.millis(row.timestamp)
    if let notes = row.notes { sum &+= Int64(notes.utf8Count * 3) }
    var length = 2
    try row.forEachPackedProperty { shape, index, value in
      if index == 0 { length += self.namesLength(shape) - 1 }
      length += Self.textLength(value)
    }
    sum &+= Int64(length * 5)
    if row.isAllDay { sum &+= 1 }
    if let end = row.endDate { sum &+= BenchmarkRows.millis(end) }
    sum &+= Int64(row.identifier.utf8Count + row.eventTypeId.utf8.count)
    sum &+= Int64(Self.nameLength(row.sourceType) + Self.nameLength(row.syncStatus))
    if let latitude = row.locationLatitude { sum &+= Int64(latitude * 1000) }
    return UInt64(bitPattern: sum)
  }

  /// Returns the length of ``propertiesText(_:)`` in bytes, computed without creating the text.
  private mutating func propertiesLength(_ event: UnsafePointer<Event>) -> Int {
    var length = 2
    event.pointee.forEachPackedProperty { shape, index, value in
      if index == 0 { length += self.namesLength(shape) - 1 }
      length += Self.textLength(value)
    }
    return length
  }

  private mutating func namesLength(_ shape: PropertyShape) -> Int {
    if shape !== self.shape {
      self.shape = shape
      namesLength = shape.names.reduce(0) { $0 + $1.utf8.count + 4 }
    }
    return namesLength
  }

  @inline(__always) private static func textLength(_ value: PackedValue) -> Int {
    switch value {
    case .int(let whole) where whole >= 0 && whole < 100_000: digits(Int(whole))
    // One decimal place. Whole numbers are written with ".0".
    case .double(let number) where number >= 0 && number < 10_000 && isTenths(number): digits(Int(number)) + 2
    case .string(let text): text.count + 2
    default: otherTextLength(value)
    }
  }

  @inline(never) private static func otherTextLength(_ value: PackedValue) -> Int { text(value.json).utf8.count }

  /// Whether a number has at most one decimal place.
  /// - Parameter number: 0 to 10,000.
  @inline(__always) private static func isTenths(_ number: Double) -> Bool {
    let tenths = number * 10
    return Double(Int(tenths + 0.5)) == tenths
  }

  /// Returns the number of decimal digits.
  /// - Parameter number: 0 to 99,999.
  @inline(__always) private static func digits(_ number: Int) -> Int {
    number < 100 ? (number < 10 ? 1 : 2) : number < 1000 ? 3 : number < 10_000 ? 4 : 5
  }

  private static func nameLength(_ source: EventSourceType) -> Int {
    switch source {
    case .manual: 6
    case .imported, .geofence: 8
    case .healthKit: 9
    case .trip: 4
    }
  }

  private static func nameLength(_ status: SyncStatus) -> Int {
    switch status {
    case .synced, .failed: 6
    case .pending: 7
    }
  }

  /// Returns the properties as JSON text without spaces, in the same order as in the other engines' rows.
  package static func propertiesText(_ event: Event) -> String {
    let members = ["mood", "weight_kg", "place", "energy", "steps"].compactMap { name in
      event.properties[name].map { "\"\(name)\":\(text($0.value))" }
    }
    return "{\(members.joined(separator: ","))}"
  }

  private static func text(_ value: JSONValue) -> String {
    switch value {
    case .int(let whole): "\(whole)"
    case .double(let number): "\(number)"
    case .string(let text): "\"\(text)\""  // generated text needs no escaping
    case .bool(let flag): "\(flag)"
    default: preconditionFailure("unexpected property \(value) in a generated row")
    }
  }
}
