import TrendyModels

/// What an event must have to be found by a search, as far as it can be seen without reading the event: a storage leaves out what is
/// certain not to be found.
public struct EventPrefilter: Sendable {
  /// The only type of event; `nil` for any.
  let typeId: String?
  /// A part of each word that must stand in the event's text, and the types whose name has the word in it.
  private let words: [(part: [UInt8], types: Set<String>)]

  /// - Parameters:
  ///   - typeId: the only type of event; `nil` for any.
  ///   - words: in lower case, each of which stands somewhere in a found event or in its type's name.
  ///   - names: of the types, in lower case, by id.
  ///   - identifiers: that stand in a found event as they are.
  package init(typeId: String?, words: [String], names: [String: String], identifiers: [String] = []) {
    self.typeId = typeId
    self.words =
      words.map { word in (Self.plainPart(of: word), Set(names.filter { $0.value.contains(word) }.keys)) }
      + identifiers.map { (Self.plainPart(of: $0.lowercased()), []) }
  }

  /// Whether an event may be found.
  /// - Parameters:
  ///   - event: its type.
  ///   - document: of the event, as the hub wrote it; asked for only where the type does not tell.
  func mayHold(_ event: HubEventMoment, document: () -> WrittenObject?) -> Bool {
    guard typeId == nil || typeId == event.eventTypeId else { return false }
    let open = words.filter { !$0.part.isEmpty && !$0.types.contains(event.eventTypeId) }
    guard !open.isEmpty, let text = document()?.text else { return true }
    return open.allSatisfy { Self.mayStand($0.part, in: text) }
  }

  /// Whether it can leave out months: a word is looked for that no type has in its name.
  var isOfText: Bool { words.contains { $0.part.count >= 3 && $0.types.isEmpty } }

  /// Whether an event with some of these letters in it may be found.
  func mayHold(_ texts: TextSignature) -> Bool {
    words.allSatisfy { !$0.types.isEmpty || texts.mayHold($0.part) }
  }

  /// The longest run of ASCII letters and digits, which stands in a text wherever the word does. A sign before one beyond ASCII is left
  /// out, as the two may be written as one.
  private static func plainPart(of word: String) -> [UInt8] {
    var best: [UInt8] = []
    var run: [UInt8] = []
    for scalar in word.unicodeScalars {
      if scalar.isASCII, scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) {
        run.append(UInt8(scalar.value))
        continue
      }
      if !scalar.isASCII, !run.isEmpty { run.removeLast() }
      if run.count > best.count { best = run }
      run = []
    }
    return run.count > best.count ? run : best
  }

  /// Whether a part stands in a text in any case of letters, or may stand in a sign that is another in lower case.
  private static func mayStand(_ part: [UInt8], in text: UnsafeRawBufferPointer) -> Bool {
    guard let first = part.first else { return true }
    // A letter's bit of case; digits have it set.
    let caseBit: UInt8 = 0x20
    var place = 0
    while place + part.count <= text.count {
      if text[place] | caseBit == first {
        var length = 1
        while length < part.count, text[place + length] | caseBit == part[length] { length += 1 }
        if length == part.count { return true }
      }
      place += 1
    }
    return hasOtherLetters(text)
  }

  /// Whether a letter in it becomes an ASCII letter in lower case, or may be written as an escape: the signs of kelvin and of the dotted
  /// capital i.
  static func hasOtherLetters(_ text: UnsafeRawBufferPointer) -> Bool {
    for place in text.indices.dropLast() {
      switch (text[place], text[place + 1]) {
      case (0xC4, 0xB0), (UInt8(ascii: "\\"), UInt8(ascii: "u")): return true
      case (0xE2, 0x84): if place + 2 < text.count, text[place + 2] == 0xAA { return true }
      default: break
      }
    }
    return false
  }
}

/// Some of a record's events, the latest first, of which a search reads on.
public struct PrefilteredEvents: Sendable {
  /// Those that may be found.
  public var entries: [HubEntry]
  /// Of how many events they are left.
  public var looked: Int
  /// The moment of the last of those, in milliseconds since 1970.
  public var last: Int64?

  /// - Parameters:
  ///   - entries: that may be found.
  ///   - looked: of how many events they are left.
  ///   - last: the moment of the last of those, in milliseconds since 1970.
  public init(entries: [HubEntry], looked: Int, last: Int64?) {
    (self.entries, self.looked, self.last) = (entries, looked, last)
  }
}

extension HubReading {
  public func events(during moments: Range<Int64>, limit: Int, prefilter: EventPrefilter) throws -> PrefilteredEvents {
    let entries = try living(kind: SyncedKind.event.name, during: moments, limit: limit)
    return PrefilteredEvents(entries: entries, looked: entries.count, last: entries.last?.listMoment)
  }

  public func eachText(during moments: Range<Int64>, _ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Int {
    var count = 0
    try eachLiving(kind: SyncedKind.event.name, during: moments) { entry in
      count += 1
      try Array(JSONText.write(.object(entry.fields.mapValues(\.value)))).withUnsafeBytes(body)
    }
    return count
  }
}
