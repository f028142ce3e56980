import TrendyFoundation
import TrendyModels

/// Reads journals of jrnl: entries that begin with a time in brackets and a title.
enum Jrnl {
  static func isBeginning(of head: ArraySlice<UInt8>) -> Bool {
    let line = head.withoutLeadingSpace.prefix { $0 != 0xA && $0 != 0xD }
    return heading(String(decoding: line.prefix(400), as: UTF8.self)) != nil
  }

  static func read(_ input: ByteInput, _ options: ImportOptions, _ body: InterchangeFormat.Handler) throws {
    var entry: (time: DateStyle.Reading, lines: [String], place: String)?
    func give() throws {
      guard let entry else { return }
      let text = FieldText.trim(entry.lines.joined(separator: "\n"))
      var event = ExternalEvent(typeName: "Journal", key: [], timestamp: entry.time.moment(in: options.zone))
      event.key = ["jrnl", RFC3339.string(from: event.timestamp), text]
      event.timeZone = options.zone.name
      event.isAllDay = entry.time.secondOfDay == nil
      event.notes = text.isEmpty ? nil : text
      let tags = Set(
        text.split { $0.isWhitespace || ",.;:!?()".contains($0) }.filter { $0.hasPrefix("@") && $0.count > 1 })
      if !tags.isEmpty { event.properties["tags"] = .text(tags.sorted().joined(separator: ", ")) }
      try body(.event(event), entry.place)
    }
    var number = 0
    while let (bytes, isWhole) = try input.line(limit: 1 << 20) {
      number += 1
      if !isWhole { try body(.bad(reason: "the line is longer than 1 MiB"), "line \(number)") }
      let line = String(decoding: number == 1 ? bytes[...].withoutLeadingSpace : bytes[...], as: UTF8.self)
      if let (time, title) = heading(line) {
        try give()
        entry = (time, [title], "line \(number)")
      } else if entry == nil {
        try body(.bad(reason: "expected a time such as [2026-03-01 08:05]"), "line \(number)")
      } else {
        // An entry whose time is damaged becomes part of the entry before it.
        if line.hasPrefix("[") {
          try body(.bad(reason: "'\(line.prefix(30))' is not a time: read as text"), "line \(number)")
        }
        entry?.lines.append(line)
      }
    }
    try give()
  }

  /// Parses the first line of an entry.
  private static func heading(_ line: String) -> (DateStyle.Reading, title: String)? {
    // In chats, a comma separates the date from the time of day.
    guard line.hasPrefix("["), let end = line.firstIndex(of: "]"), !line[..<end].contains(","),
      let time = DateStyle.yearFirst.read(String(line[line.index(after: line.startIndex)..<end]))
    else { return nil }
    return (time, FieldText.trim(line[line.index(after: end)...]))
  }
}

/// Reads the clock lines of Emacs Org mode. Each becomes an event with the headline as its type.
enum OrgClocks {
  /// Words for the state of a task, before its title. A file can define others.
  private static let states: Set<String> = [
    "TODO", "DONE", "NEXT", "WAITING", "HOLD", "STARTED", "SOMEDAY", "CANCELLED", "CANCELED",
  ]

  static func isBeginning(of head: ArraySlice<UInt8>) -> Bool {
    let lines = String(decoding: head.withoutLeadingSpace, as: UTF8.self).split(
      maxSplits: 2000, whereSeparator: \.isNewline)
    return lines.contains { headline($0, []) != nil } && lines.contains { clock($0) != nil }
  }

  static func read(_ input: ByteInput, _ options: ImportOptions, _ body: InterchangeFormat.Handler) throws {
    var number = 0
    var (title, tags) = ("", [String]())
    var states = Self.states
    var others = 0
    while let (bytes, _) = try input.line(limit: 1 << 20) {
      number += 1
      let line = String(decoding: number == 1 ? bytes[...].withoutLeadingSpace : bytes[...], as: UTF8.self)
      if let found = headline(line, states) {
        (title, tags) = found
      } else if let range = clock(line) {
        try body(event(range, title, tags, options), "line \(number)")
      } else if !FieldText.trim(line).isEmpty {
        let words = line.split { $0.isWhitespace || $0 == "|" }
        if ["#+todo:", "#+seq_todo:", "#+typ_todo:"].contains(words.first?.lowercased()) {
          // A state can have a key, as in `DONE(d)`.
          states.formUnion(words.dropFirst().map { $0.prefix { $0 != "(" }.description })
        }
        others += 1
      }
    }
    if others > 0 { try body(.skip(what: "line that is not a clock", count: others), "the file") }
  }

  private static func event(
    _ range: Substring, _ title: String, _ tags: [String], _ options: ImportOptions
  ) -> InterchangeRecord {
    let times = range.split(separator: "]").map { FieldText.trim($0.drop { $0 == "-" || $0 == "[" || $0 == " " }) }
    guard let first = times.first, let start = time(first) else {
      return .bad(reason: "invalid clock '\(range.prefix(60))'")
    }
    guard range.contains("--") else { return .skip(what: "running clock") }
    guard times.count > 1, let end = time(times[1]) else { return .bad(reason: "invalid clock '\(range.prefix(60))'") }
    let (from, to) = (start.moment(in: options.zone), end.moment(in: options.zone))
    let name = title.isEmpty ? "Time entry" : title
    guard
      var event = ExternalEvent(span: from, to, type: name, key: ["org", name, RFC3339.string(from: from)], options)
    else { return .bad(reason: "it ends before it begins") }
    event.hints = tags.map { $0.lowercased() }
    if !tags.isEmpty { event.properties["tags"] = .text(tags.joined(separator: ", ")) }
    return .event(event)
  }

  /// Parses `2026-03-01 Sun 08:00`, in which the weekday may be in any language.
  private static func time(_ text: String) -> DateStyle.Reading? {
    let words = text.split(separator: " ")
    guard let day = words.first, let clock = words.last, words.count > 1 else { return nil }
    return DateStyle.yearFirst.read("\(day) \(clock.count == 4 ? "0" : "")\(clock)").flatMap {
      $0.secondOfDay == nil ? nil : $0
    }
  }

  /// Returns the text after `CLOCK:`, or `nil` for another line.
  private static func clock(_ line: some StringProtocol) -> Substring? {
    let text = Substring(line).drop { $0 == " " || $0 == "\t" }
    guard text.hasPrefix("CLOCK:") else { return nil }
    return text.dropFirst(6).prefix(200)
  }

  /// Returns the title and the tags of a headline, without the keyword and the priority.
  private static func headline(
    _ line: some StringProtocol, _ states: Set<String>
  ) -> (title: String, tags: [String])? {
    let rest = Substring(line).drop { $0 == "*" }
    guard line.hasPrefix("*"), rest.first == " " else { return nil }
    var words = rest.split { $0 == " " || $0 == "\t" || $0 == "\r" || $0 == "\r\n" }.map(String.init)
    var tags: [String] = []
    if let last = words.last, last.count > 2, last.hasPrefix(":"), last.hasSuffix(":") {
      tags = last.split(separator: ":").map(String.init)
      words.removeLast()
    }
    if let first = words.first, words.count > 1, states.contains(first) { words.removeFirst() }
    if let first = words.first, first.hasPrefix("[#") { words.removeFirst() }
    return (String(words.joined(separator: " ").prefix(128)), tags)
  }
}
