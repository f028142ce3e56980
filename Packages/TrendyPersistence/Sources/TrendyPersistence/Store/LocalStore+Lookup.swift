public import TrendyModels

extension LocalStore {
  public func events(idBeginning text: String, limit: Int) throws -> [Event] {
    let wanted = text.lowercased()
    let keys = RecordKey.range(ofCanonicalUUIDsBeginning: wanted)
    try refresh()
    let found = try records(RowKind.event, keys: keys)
    defer { withExtendedLifetime(found.pin) {} }
    var events: [Event] = []
    for record in found.pointers.sorted(by: RecordOrder.isBelow) where events.count < limit {
      let key = RecordLayout.key(record)
      guard key.isHash || keys?.contains(key) == true else { continue }
      // Where the key is a hash, the row has the text.
      if key.isHash, try !Self.fields(record).identifier.text.lowercased().hasPrefix(wanted) { continue }
      events.append(try decode(Event.self, record))
    }
    return events
  }

  /// How many events there are, without reading one.
  public func eventCount() throws -> Int {
    try refresh()
    return try count(RowKind.event)
  }

  public func lastRecordedEvents(_ count: Int, from sources: Set<EventSourceType>) throws -> [Event] {
    guard count > 0 else { return [] }
    try refresh()
    let isChoosy = sources.count < EventSourceType.allCases.count
    // The newest first: most of what began long ago was also recorded long ago, and is passed over at one look.
    let found = try isChoosy ? scan(RowKind.event, descending: true) : latest(RowKind.event, count: count)
    defer { withExtendedLifetime(found.pin) {} }
    // The last first.
    var last: [(moment: RecordedMoment, record: UnsafeRawPointer)] = []
    for record in found.pointers {
      let moment = RecordedMoment(record)
      if last.count == count, moment < last[count - 1].moment { continue }
      if isChoosy, try !sources.contains(Self.fields(record).sourceType) { continue }
      if last.count == count { last.removeLast() }
      let place = last.lastIndex { moment < $0.moment }.map { $0 + 1 } ?? 0
      last.insert((moment, record), at: place)
    }
    return try last.map { try decode(Event.self, $0.record) }
  }
}

/// When an event was recorded, as its record tells it.
private struct RecordedMoment: Comparable {
  private let milliseconds: Int64
  private let key: RecordKey

  init(_ record: UnsafeRawPointer) {
    key = RecordLayout.key(record)
    // Its sort value: microseconds since 2001.
    milliseconds = key.timeOfVersion7 ?? RecordLayout.sort(record) / 1000 + 978_307_200_000
  }

  static func < (left: RecordedMoment, right: RecordedMoment) -> Bool {
    left.milliseconds != right.milliseconds ? left.milliseconds < right.milliseconds : left.key < right.key
  }
}

extension RecordKey {
  /// Milliseconds since 1970 in the bits of a UUID of version 7; `nil` for any other.
  fileprivate var timeOfVersion7: Int64? {
    isVersionSeven ? Int64(high >> 16) : nil
  }

  /// The keys of canonical UUIDs that begin with a text in small letters; `nil` where none can.
  fileprivate static func range(ofCanonicalUUIDsBeginning text: String) -> ClosedRange<RecordKey>? {
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
    // The digits that are not said are all 0 at the one end, all f at the other.
    func filled(_ word: Int) -> UInt64 {
      let said = max(0, min(16, digits - 16 * word))
      return said == 16 ? words[word] : words[word] | (.max >> UInt64(4 * said))
    }
    return RecordKey(high: words[0], low: words[1])...RecordKey(high: filled(0), low: filled(1))
  }
}
