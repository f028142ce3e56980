import TrendyModels

/// Index of the trigrams in each user's event text in each month. A search skips months that cannot contain a word.
///
/// A month is indexed when a search first reads it. Later writes update its index.
final class TrigramFilter: Sendable {
  /// Index of each user. Ten years of events take about a megabyte.
  private let known = DerivedValueCache<String, MonthTexts>()

  /// Runs a search with the index and keeps the months that the search adds to it.
  func search<Result>(
    of user: String, _ reading: any HubReadTransaction, _ body: (inout MonthTexts) throws -> Result
  ) throws -> Result {
    try known.ask(user, reading) { known, _ in
      var texts = MonthTexts()
      if let known, let changes = try reading.changes(since: known.position) {
        texts = known.value
        texts.add(changes)
      }
      let result = try body(&texts)
      return (texts, result)
    }
  }
}

/// Trigrams in the events of one record, by UTC month.
struct MonthTexts: Sendable {
  private(set) var months: [Int: TextSignature] = [:]

  /// Adds changed events. Trigrams of replaced text remain, but can only cause a needless read of a month.
  mutating func add(_ changes: [HubEntry]) {
    for entry in changes where entry.kind == SyncedKind.event.name && entry.isAlive {
      months[DayCountCache.month(of: entry.listMoment)]?.add(entry)
    }
  }

  /// Checks whether a backward search can skip the month before `end`. Indexes the month if necessary.
  ///
  /// - Returns: The start of the month if it contains no match, otherwise `nil`, and the number of events read to index
  ///   the month.
  mutating func pass(
    _ end: Int64, _ prefilter: EventPrefilter, _ reading: any HubReadTransaction
  ) throws -> (start: Int64?, looked: Int) {
    let month = DayCountCache.month(of: end - 1)
    let start = DayCountCache.start(ofMonth: month)
    var looked = 0
    if months[month] == nil {
      var texts = TextSignature()
      looked = try reading.eachText(during: start..<DayCountCache.start(ofMonth: month + 1)) { texts.add($0) }
      months[month] = texts
    }
    return (months[month].map(prefilter.mayHold) == false ? start : nil, looked)
  }
}

/// Bloom filter for trigrams of ASCII letters and digits, with one hash function.
struct TextSignature: Hashable, Sendable {
  /// 65,536 bits, enough for a month of events, which contain a few thousand distinct trigrams.
  private var bits = [UInt64](repeating: 0, count: 1024)
  /// Whether any of the strings contains a JSON escape or a character that lowercases to ASCII, so that any word may
  /// match.
  private(set) var mayHoldAny = false

  mutating func add(_ entry: HubEntry) {
    Array(JSONText.write(.object(entry.fields.mapValues(\.value)))).withUnsafeBytes { add($0) }
  }

  mutating func add(_ text: UnsafeRawBufferPointer) {
    var (run, code): (Int, UInt32) = (0, 0)
    for byte in text {
      let lower = byte | 0x20
      guard Self.isPlain(lower) else {
        run = 0
        continue
      }
      code = (code << 8 | UInt32(lower)) & 0xFF_FFFF
      run += 1
      if run >= 3 {
        let place = Self.place(code)
        bits[place >> 6] |= 1 << UInt64(place & 63)
      }
    }
    if !mayHoldAny { mayHoldAny = EventPrefilter.hasOtherLetters(text) }
  }

  /// Returns `false` if no string contains the given lowercase word part, or `true` if a string may contain it.
  func mayHold(_ part: [UInt8]) -> Bool {
    guard !mayHoldAny, part.count >= 3 else { return true }
    return (0...part.count - 3).allSatisfy { first in
      let code = part[first..<first + 3].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      let place = Self.place(code)
      return bits[place >> 6] & 1 << UInt64(place & 63) != 0
    }
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// Fibonacci hashing (Knuth, The Art of Computer Programming, vol. 3, 6.4).
  private static func place(_ code: UInt32) -> Int { Int((code &* 2_654_435_769) >> 16) }
}
