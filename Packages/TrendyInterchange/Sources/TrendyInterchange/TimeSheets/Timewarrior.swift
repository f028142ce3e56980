import TrendyFoundation
import TrendyModels

/// Reads Timewarrior intervals from its data files (`inc …` lines) or the output of `timew export`.
///
/// The first tag is the event type. A running interval is skipped, so a later import can add it.
enum Timewarrior {
  static func isLines(_ head: ArraySlice<UInt8>) -> Bool {
    let line = head.withoutLeadingSpace.prefix { $0 != 0xA && $0 != 0xD }
    guard line.starts(with: Array("inc".utf8)) else { return false }
    let rest = line.dropFirst(3)
    // Require a timestamp, which distinguishes an interval from a table or other text.
    return rest.isEmpty && head.count > line.count || TimeSheetTime.date(Self.words(rest).first?.text ?? "") != nil
  }

  static func isExport(_ head: ArraySlice<UInt8>) -> Bool {
    let head = head.withoutLeadingSpace
    guard head.first == UInt8(ascii: "["), let members = JSONOutline(head)?.members else { return false }
    return members["start"].flatMap { TimeSheetTime.date($0) } != nil && members["uuid"] == nil
  }

  static func read(_ input: ByteInput, _ options: ImportOptions, _ body: InterchangeFormat.Handler) throws {
    if try isExport(input.peek(1 << 16)) { return try readExport(input, options, body) }
    var number = 0
    while let (bytes, isWhole) = try input.line(limit: 1 << 20) {
      number += 1
      let line = number == 1 ? bytes[...].withoutLeadingSpace : bytes[...]
      guard line.contains(where: { !$0.isSpace }) else { continue }
      let place = "line \(number)"
      guard isWhole, line.starts(with: Array("inc".utf8)) else {
        try body(.bad(reason: "an interval must begin with 'inc'"), place)
        continue
      }
      if let record = record(ofLine: words(line.dropFirst(3)), options) { try body(record, place) }
    }
  }

  private static func readExport(
    _ input: ByteInput, _ options: ImportOptions, _ body: InterchangeFormat.Handler
  ) throws {
    try withoutActuallyEscaping(body) { body in
      try JSONWalker.walk(input) { _ in
        .each
      } _: { _, value, place in
        let tags = (value["tags"]?.arrayValue ?? []).compactMap(\.stringValue)
        try body(
          record(
            value["start"]?.stringValue ?? "", value["end"]?.stringValue, tags, value["annotation"]?.stringValue,
            options), place)
      } onBroken: { reason, place in
        try body(.bad(reason: reason), place)
      }
    }
  }

  // MARK: Lines

  private struct Word {
    var text: String
    var isQuoted = false
  }

  private static func words(_ line: ArraySlice<UInt8>) -> [Word] {
    var words: [Word] = []
    var word: [UInt8] = []
    var isQuoted = false
    var isInside = false
    var rest = line[...]
    func finish() {
      if !word.isEmpty || isQuoted {
        words.append(Word(text: String(decoding: word, as: UTF8.self), isQuoted: isQuoted))
      }
      word = []
      isQuoted = false
    }
    while let byte = rest.popFirst() {
      if isInside {
        if byte == UInt8(ascii: "\\"), let next = rest.popFirst() {
          word.append(next)
        } else if byte == UInt8(ascii: "\"") {
          isInside = false
        } else {
          word.append(byte)
        }
      } else if byte == UInt8(ascii: "\""), word.isEmpty {
        isInside = true
        isQuoted = true
      } else if byte.isSpace {
        finish()
      } else {
        word.append(byte)
      }
    }
    finish()
    return words
  }

  /// Parses `START [- END] [# tag …] [# annotation]`. Returns `nil` for a line without an interval.
  private static func record(ofLine words: [Word], _ options: ImportOptions) -> InterchangeRecord? {
    guard let start = words.first else { return nil }
    var rest = words.dropFirst()
    var end: String?
    if rest.first?.text == "-", rest.first?.isQuoted == false {
      rest = rest.dropFirst()
      end = rest.popFirst()?.text
    }
    let parts = rest.split(omittingEmptySubsequences: false) { $0.text == "#" && !$0.isQuoted }
    guard parts.first?.isEmpty != false else { return .bad(reason: "expected '#' after the times") }
    let tags = parts.count > 1 ? parts[1].map(\.text) : []
    // Join unquoted words, because older versions do not quote annotations, which may contain a `#`.
    let note =
      parts.count > 2 ? parts[2...].map { $0.map(\.text).joined(separator: " ") }.joined(separator: " # ") : nil
    return record(start.text, end, tags, note, options)
  }

  private static func record(
    _ start: String, _ end: String?, _ tags: [String], _ note: String?, _ options: ImportOptions
  ) -> InterchangeRecord {
    guard let from = TimeSheetTime.date(start) else { return .bad(reason: "'\(start.prefix(40))' is not a time") }
    guard let end else { return .skip(what: "running interval") }
    guard let to = TimeSheetTime.date(end) else { return .bad(reason: "'\(end.prefix(40))' is not a time") }
    let tags = tags.filter { !$0.isEmpty }
    guard
      var event = ExternalEvent(
        span: from, to, type: tags.first ?? "Time entry",
        key: ["timewarrior", TimeSheetTime.key(from)] + tags.sorted(), options)
    else { return .bad(reason: "it ends before it begins") }
    event.hints = tags.dropFirst().map { $0.lowercased() }
    if tags.count > 1 { event.properties["tags"] = .text(tags.dropFirst().joined(separator: ", ")) }
    event.notes = note.flatMap { $0.isEmpty ? nil : $0 }
    return .event(event)
  }
}
