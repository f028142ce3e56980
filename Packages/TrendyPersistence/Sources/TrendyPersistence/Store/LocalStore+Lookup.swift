public import TrendyModels

extension LocalStore {
  /// Returns up to `limit` events whose ids begin with `text`, ignoring case, in chronological order.
  public func events(idBeginning text: String, limit: Int) throws -> [Event] {
    let wanted = text.lowercased()
    let keys = RowKey.range(ofCanonicalUUIDsBeginning: wanted)
    try refresh()
    let found = try records(RowKind.event, keys: keys)
    defer { withExtendedLifetime(found.pin) {} }
    var events: [Event] = []
    for record in found.pointers.sorted(by: ScanOrder.isBelow) where events.count < limit {
      let key = RowLayout.key(record)
      guard key.isHash || keys?.contains(key) == true else { continue }
      // A row with a hash as its key contains the identifier as text.
      if key.isHash, try !Self.fields(record).identifier.text.lowercased().hasPrefix(wanted) { continue }
      events.append(try decode(Event.self, record))
    }
    return events
  }

  /// Returns the number of events without reading them.
  public func eventCount() throws -> Int {
    try refresh()
    return try count(RowKind.event)
  }
}

extension RowKey {
  /// Returns the key range of canonical UUIDs that begin with a lower-case string, or `nil` if there can be none.
  fileprivate static func range(ofCanonicalUUIDsBeginning text: String) -> ClosedRange<RowKey>? {
    let form = "00000000-0000-0000-0000-000000000000"
    guard text.utf8.count <= form.utf8.count else { return nil }
    var words: [UInt64] = [0, 0]
    var digits = 0
    for (byte, place) in zip(text.utf8, form.utf8) {
      if place == UInt8(ascii: "-") || byte == UInt8(ascii: "-") {
        guard place == byte else { return nil }
        continue
      }
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
      words[digits / 16] |= UInt64(digit) << UInt64(60 - 4 * (digits % 16))
      digits += 1
    }
    // Missing digits are all 0 at the lower end and all f at the upper end.
    func filled(_ word: Int) -> UInt64 {
      let said = max(0, min(16, digits - 16 * word))
      return said == 16 ? words[word] : words[word] | (.max >> UInt64(4 * said))
    }
    return RowKey(high: words[0], low: words[1])...RowKey(high: filled(0), low: filled(1))
  }
}
