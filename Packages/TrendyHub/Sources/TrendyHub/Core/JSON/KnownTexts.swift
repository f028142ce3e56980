import TrendyModels

/// Which letters stand together in the texts of a person's events, by month, so that a search passes over the months that cannot have a
/// word: learned as they are searched, and kept up with what is written.
final class KnownTexts: Sendable {
  /// By person; ten years are a megabyte.
  private let known = KnownValues<String, MonthTexts>()

  /// Runs a search with what is known, and keeps what it learns.
  func search<Result>(
    of person: String, _ reading: any HubReading, _ body: (inout MonthTexts) throws -> Result
  ) throws -> Result {
    try known.ask(person, reading) { known, _ in
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

/// The letters in the events of one record, by month of UTC.
struct MonthTexts: Sendable {
  private(set) var months: [Int: TextSignature] = [:]

  /// Takes in what was written. What was there before stays: it can only make a month be read in vain.
  mutating func add(_ changes: [HubEntry]) {
    for entry in changes where entry.kind == SyncedKind.event.name && entry.isAlive {
      months[KnownDayCounts.month(of: entry.listMoment)]?.add(entry)
    }
  }

  /// Looks whether the events of the month before a moment can be passed over; a month that is not known yet is read.
  /// - Returns: the first moment of the month, where nothing in it may be found, and how many events were read for that.
  mutating func pass(
    _ end: Int64, _ prefilter: EventPrefilter, _ reading: any HubReading
  ) throws -> (start: Int64?, looked: Int) {
    let month = KnownDayCounts.month(of: end - 1)
    let start = KnownDayCounts.start(ofMonth: month)
    var looked = 0
    if months[month] == nil {
      var texts = TextSignature()
      looked = try reading.eachText(during: start..<KnownDayCounts.start(ofMonth: month + 1)) { texts.add($0) }
      months[month] = texts
    }
    return (months[month].map(prefilter.mayHold) == false ? start : nil, looked)
  }
}

/// Which runs of three ASCII letters or digits stand in some texts: a Bloom filter with one hash function.
struct TextSignature: Hashable, Sendable {
  /// 65,536 bits: the texts of a month have some thousand different runs.
  private var bits = [UInt64](repeating: 0, count: 1024)
  /// A letter in them may be another in lower case, or is written as an escape: any word may stand there.
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

  /// - Parameter part: letters and digits in lower case.
  /// - Returns: `false` where it stands in none of the texts, for certain.
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

  /// By Fibonacci hashing (Knuth, The Art of Computer Programming, 6.4).
  private static func place(_ code: UInt32) -> Int { Int((code &* 2_654_435_769) >> 16) }
}
