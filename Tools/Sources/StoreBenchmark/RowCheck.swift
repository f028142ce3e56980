package import TrendyModels
package import TrendyPersistence

/// What every engine adds up over the rows it reads, so that none can leave a column out: the sum tells whether two read
/// the same.
package enum RowCheck {
  /// Wraps around. A text that is not there counts as none; so does a place.
  package static func value(_ event: borrowing Event) -> UInt64 {
    var sum = BenchmarkRows.millis(event.timestamp)
    if let notes = event.notes { sum &+= Int64(notes.utf8.count * 3) }
    sum &+= Int64(propertiesLength(event) * 5)
    if event.isAllDay { sum &+= 1 }
    if let end = event.endDate { sum &+= BenchmarkRows.millis(end) }
    sum &+= Int64(event.identifier.utf8Count + event.eventTypeId.utf8.count)
    sum &+= Int64(event.sourceType.rawValue.utf8.count + event.syncStatus.rawValue.utf8.count)
    if let latitude = event.locationLatitude { sum &+= Int64(latitude * 1000) }
    return UInt64(bitPattern: sum)
  }

  /// The same of a row that was not made an event: its texts are looked at where they lie.
  package static func value(_ row: EventRow) throws(StorageError) -> UInt64 {
    var sum = BenchmarkRows.millis(row.timestamp)
    if let notes = row.notes { sum &+= Int64(notes.utf8Count * 3) }
    var length = 1
    try row.forEachProperty { length += $0.utf8.count + 4 + textLength($1.value) }
    sum &+= Int64(max(length, 2) * 5)
    if row.isAllDay { sum &+= 1 }
    if let end = row.endDate { sum &+= BenchmarkRows.millis(end) }
    sum &+= Int64(row.identifier.utf8Count + row.eventTypeId.utf8.count)
    sum &+= Int64(row.sourceType.rawValue.utf8.count + row.syncStatus.rawValue.utf8.count)
    if let latitude = row.locationLatitude { sum &+= Int64(latitude * 1000) }
    return UInt64(bitPattern: sum)
  }

  /// Bytes of ``propertiesText(_:)``, from the values alone and without writing it.
  static func propertiesLength(_ event: borrowing Event) -> Int {
    var length = 2 + max(event.packedProperties.count - 1, 0)
    event.packedProperties.forEach { length += $0.utf8.count + 3 + textLength($1.value) }
    return length
  }

  private static func textLength(_ value: JSONValue) -> Int {
    switch value {
    case .int(let whole) where whole >= 0: digits(UInt64(whole))
    case .double(let number) where number >= 0 && number < 1e6 && (number * 10).rounded() / 10 == number:
      // One digit behind the point: whole numbers have a 0 there.
      digits(UInt64(number)) + 2
    case .string(let text): text.utf8.count + 2
    default: text(value).utf8.count
    }
  }

  private static func digits(_ number: UInt64) -> Int {
    var count = 1
    var rest = number
    while rest >= 10 {
      rest /= 10
      count += 1
    }
    return count
  }

  /// The properties as the text they were made from: in the order there, no space between.
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
    case .string(let text): "\"\(text)\""  // the rows' texts need no escape
    case .bool(let flag): "\(flag)"
    default: preconditionFailure("a benchmark's row has no property like \(value)")
    }
  }
}
