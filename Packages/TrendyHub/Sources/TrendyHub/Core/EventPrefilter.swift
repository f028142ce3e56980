import TrendyModels

/// Cheap test that excludes events from a search without decoding them.
///
/// An event that fails the test cannot match. An event that passes the test may or may not match.
public struct EventPrefilter: Sendable {
  let typeId: String?
  /// For each search word, the part to look for in the event's text, and the types whose name contains the word.
  private let words: [(part: [UInt8], types: Set<String>)]

  /// Creates a prefilter.
  ///
  /// - Parameters:
  ///   - typeId: Id of the event type to search, or `nil` for all types.
  ///   - words: Lowercase words. A matching event contains each of them in its own text or in the name of its type.
  ///   - names: Lowercase names of the event types, by id.
  ///   - identifiers: Ids that must occur literally in the JSON text of a matching event.
  package init(typeId: String?, words: [String], names: [String: String], identifiers: [String] = []) {
    self.typeId = typeId
    self.words =
      words.map { word in (Self.plainPart(of: word), Set(names.filter { $0.value.contains(word) }.keys)) }
      + identifiers.map { (Self.plainPart(of: $0.lowercased()), []) }
  }

  /// Returns whether an event may match. Calls `document` for the stored JSON only if the type alone does not decide.
  func mayHold(_ event: HubEventMoment, document: () -> SerializedObject?) -> Bool {
    guard typeId == nil || typeId == event.eventTypeId else { return false }
    let open = words.filter { !$0.part.isEmpty && !$0.types.contains(event.eventTypeId) }
    guard !open.isEmpty, let text = document()?.text else { return true }
    return open.allSatisfy { Self.mayStand($0.part, in: text) }
  }

  /// Whether the search can skip whole months.
  ///
  /// This requires a word that has a trigram to look up and does not occur in any type name.
  var isOfText: Bool { words.contains { $0.part.count >= 3 && $0.types.isEmpty } }

  func mayHold(_ texts: TextSignature) -> Bool {
    words.allSatisfy { !$0.types.isEmpty || texts.mayHold($0.part) }
  }

  /// Returns the longest run of ASCII letters and digits in a word.
  ///
  /// Any text that contains the word also contains this run. The character before a non-ASCII one is excluded, because
  /// the two may be stored as one composed character.
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

  /// Returns whether `text` may contain `part`, ignoring case.
  ///
  /// Always true if ``hasOtherLetters(_:)`` returns `true`.
  private static func mayStand(_ part: [UInt8], in text: UnsafeRawBufferPointer) -> Bool {
    guard let first = part.first else { return true }
    // This bit distinguishes lowercase from uppercase ASCII letters and is always set in digits.
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

  /// Returns whether `text` contains a JSON escape, the Kelvin sign or the dotted capital I.
  ///
  /// Lowercasing turns the last two into ASCII letters, so a byte comparison would miss them.
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

/// Events that passed an ``EventPrefilter``, latest first, and the time at which the search continues.
public struct PrefilteredEvents: Sendable {
  /// Events that may match.
  public var entries: [HubEntry]
  /// Number of events examined, including the rejected ones.
  public var looked: Int
  /// Timestamp of the last examined event, in milliseconds since 1970, or `nil` if none was examined.
  public var last: Int64?

  /// Creates a result.
  public init(entries: [HubEntry], looked: Int, last: Int64?) {
    (self.entries, self.looked, self.last) = (entries, looked, last)
  }
}

extension HubReadTransaction {
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
