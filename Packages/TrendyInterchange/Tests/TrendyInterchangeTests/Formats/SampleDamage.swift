import Foundation
import TrendyInterchange
import TrendyModels

/// Generates damaged copies of a sample file, independently of its format.
struct SampleDamage {
  /// Text that occurs in no sample.
  static let token = "§damage§"

  enum Kind: CaseIterable {
    /// Replaces a value by ``token``.
    case token
    /// Replaces a value by one of ``nonsense``.
    case nonsense
    /// Renames a member of a JSON object, an XML tag or an attribute.
    case name
    /// Replaces a line by ``token``.
    case line
    /// Truncates a line in the middle.
    case cut
  }

  private static let nonsense = [
    "", "-1", "0", "NaN", "1e999", "99999999999999999999", "2026-02-31T25:61:00Z", "31.12.9999", "null", "[]", "{}",
    "\"", "\\", "\u{0}", "<x/>", "true",
  ]

  let bytes: [UInt8]
  private var random: SeededGenerator

  init(_ bytes: [UInt8], seed: UInt64) {
    self.bytes = bytes
    random = SeededGenerator(seed: seed)
  }

  struct Copy {
    var place: String
    var bytes: [UInt8]
    /// Text that replaces the original.
    var text = SampleDamage.token
    /// Whether the damage is in the first line, which is the header of a table.
    var isFirstLine = false
  }

  /// Returns a damaged copy for each place at which this kind of damage is possible.
  mutating func copies(_ kind: Kind) -> [Copy] {
    if isFIT { return fields(kind) }
    let ranges: [Range<Int>] =
      switch kind {
      case .token, .nonsense: values
      case .name: names
      // Text between the tags of XML is not a record.
      case .line, .cut: isXML ? [] : lines
      }
    return ranges.map { range in
      let old = bytes[range]
      var new =
        switch kind {
        case .token, .name, .line: Array(Self.token.utf8)
        case .nonsense: Array(Self.nonsense[random.below(Self.nonsense.count)].utf8)
        case .cut: Array(old.prefix(old.count / 2))
        }
      // A JSON value that was not a string becomes one.
      if kind == .token, isJSON, old.first != UInt8(ascii: "\"") { new = Array("\"\(Self.token)\"".utf8) }
      if isJSON, kind != .line, kind != .cut, old.first == UInt8(ascii: "\"") {
        new = [UInt8(ascii: "\"")] + new + [UInt8(ascii: "\"")]
      }
      let line = bytes[..<range.lowerBound].count { $0 == 0xA } + 1
      let words = [old.prefix(80), new.prefix(80)].map { String(decoding: $0, as: UTF8.self) }
      return Copy(
        place: "line \(line): '\(words[0])' > '\(words[1])'",
        bytes: Array(bytes[..<range.lowerBound]) + new + Array(bytes[range.upperBound...]),
        text: words[1].count > 5 ? words[1].filter { $0 != "\"" } : Self.token,
        isFirstLine: line == 1 && !isJSON && !isXML)
    }
  }

  private var first: UInt8? { bytes.first { !" \n\u{FEFF}".utf8.contains($0) } }
  private var isXML: Bool { first == UInt8(ascii: "<") }
  private var isJSON: Bool { first == UInt8(ascii: "{") || first == UInt8(ascii: "[") }

  private var isFIT: Bool { bytes.dropFirst(8).prefix(4).elementsEqual(".FIT".utf8) }

  /// Returns a copy with a valid checksum for each field of a FIT file. The file has no developer fields.
  private mutating func fields(_ kind: Kind) -> [Copy] {
    guard kind == .nonsense || kind == .cut else { return [] }
    var copies: [Copy] = []
    var sizes: [UInt8: [Int]] = [:]
    var index = Int(bytes[0])
    while index < bytes.count - 2 {
      let local = bytes[index] & 0xF
      index += 1
      if bytes[index - 1] & 0x40 != 0 {
        sizes[local] = (0..<Int(bytes[index + 4])).map { [bytes, index] in Int(bytes[index + 6 + $0 * 3]) }
        index += 5 + (sizes[local]?.count ?? 0) * 3
        continue
      }
      for (number, size) in (sizes[local] ?? []).enumerated() {
        var copy = Array(bytes.dropLast(2))
        // All bits set mean that there is no value.
        for place in index..<(index + size) { copy[place] = kind == .cut ? 0xFF : UInt8(random.below(256)) }
        copies.append(
          Copy(place: "message of type \(local), field \(number)", bytes: copy + FITFixture.checksum(copy)))
        index += size
      }
    }
    return copies
  }

  private var lines: [Range<Int>] {
    var ranges: [Range<Int>] = []
    var start = 0
    for index in bytes.indices where bytes[index] == 0xA {
      if index > start { ranges.append(start..<index) }
      start = index + 1
    }
    if start < bytes.count { ranges.append(start..<bytes.count) }
    return ranges
  }

  /// Ranges of the cells of a table, the scalars of JSON, the texts and attributes of XML, or the words of other text.
  private var values: [Range<Int>] {
    if isXML { return markup.values }
    if isJSON { return scalars.values }
    let text = String(decoding: bytes.prefix(4000), as: UTF8.self)
    if text.hasPrefix("BEGIN:") {
      return lines.compactMap { line in
        bytes[line].firstIndex(of: UInt8(ascii: ":")).flatMap {
          $0 + 1 < line.upperBound ? $0 + 1..<line.upperBound : nil
        }
      }
    }
    let separator = [",", ";", "\t", " "].max { left, right in
      text.count { "\($0)" == left } < text.count { "\($0)" == right }
    }
    return cells(separator?.utf8.first ?? 0x20)
  }

  private var names: [Range<Int>] { isXML ? markup.names : isJSON ? scalars.names : [] }

  private func cells(_ separator: UInt8) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var start = 0
    var isQuoted = false
    for index in 0...bytes.count {
      let byte = index < bytes.count ? bytes[index] : 0xA
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      guard index == bytes.count || !isQuoted && (byte == separator || byte == 0xA) else { continue }
      if index > start { ranges.append(start..<index) }
      start = index + 1
    }
    return ranges
  }

  private var scalars: (values: [Range<Int>], names: [Range<Int>]) {
    var (values, names): ([Range<Int>], [Range<Int>]) = ([], [])
    var index = 0
    while index < bytes.count {
      let start = index
      index += 1
      if bytes[start] == UInt8(ascii: "\"") {
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
          index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        index = min(index + 1, bytes.count)
        let next = bytes[index...].first { $0 != 0x20 && $0 != 0xA }
        if next == UInt8(ascii: ":") { names.append(start..<index) } else { values.append(start..<index) }
      } else if !"{}[],: \n\t".utf8.contains(bytes[start]) {
        while index < bytes.count, !"{}[],: \n\t".utf8.contains(bytes[index]) { index += 1 }
        values.append(start..<index)
      }
    }
    return (values, names)
  }

  private var markup: (values: [Range<Int>], names: [Range<Int>]) {
    var (values, names): ([Range<Int>], [Range<Int>]) = ([], [])
    var index = 0
    var isTag = false
    while index < bytes.count {
      let start = index
      index += 1
      switch bytes[start] {
      case UInt8(ascii: "<"):
        isTag = index < bytes.count && bytes[index] != UInt8(ascii: "?") && bytes[index] != UInt8(ascii: "!")
        guard isTag, bytes[index] != UInt8(ascii: "/") else { continue }
        let end = bytes[index...].firstIndex { " />\n".utf8.contains($0) } ?? bytes.count
        names.append(index..<end)
        index = end
      case UInt8(ascii: ">"):
        isTag = false
        let end = bytes[index...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
        if bytes[index..<end].contains(where: { $0 != 0x20 && $0 != 0xA }) { values.append(index..<end) }
        index = end
      case UInt8(ascii: "\"") where isTag:
        let end = bytes[index...].firstIndex(of: UInt8(ascii: "\"")) ?? bytes.count
        if index < end { values.append(index..<end) }
        index = min(end + 1, bytes.count)
      default: break
      }
    }
    return (values, names)
  }
}

/// Sample of a format: a single file, or the files of an archive.
struct Sample: Sendable {
  var files: [String: [UInt8]]
  /// Name of a single file, if its format depends on the name.
  var name: String?
  var isArchive = false

  static func file(_ text: String, named name: String? = nil) -> Sample {
    Sample(files: ["": Array(text.utf8)], name: name)
  }
  static func file(_ bytes: [UInt8]) -> Sample { Sample(files: ["": bytes], name: nil) }
  static func archive(_ files: [String: String]) -> Sample {
    Sample(files: files.mapValues { Array($0.utf8) }, isArchive: true)
  }

  /// Records and reports that an import of a sample yields.
  struct Outcome {
    var records: [InterchangeRecord] = []
    /// Number of records and of fixes in them.
    var count = 0
    /// Number of skipped items and problems.
    var reports = 0
    var problems = 0
    var isRefused = false

    fileprivate mutating func take(_ record: InterchangeRecord) {
      switch record {
      case .bad:
        problems += 1
        reports += 1
        return
      case .skip(_, let number):
        reports += number
        return
      case .track(let file):
        take(file)
        return
      case .event(let event): count += 1 + event.track.count
      case .path(let fixes, _): count += fixes.count
      default: count += 1
      }
      records.append(record)
    }

    fileprivate mutating func take(_ file: TrackFile) {
      count += file.pointCount
      reports += file.problemCount + file.skippedPoints + file.leftOut.reduce(0) { $0 + $1.count }
      reports += file.remarks.count + (file.timeRemark == nil ? 0 : 1)
      problems += file.problemCount
      // The counts are compared separately.
      var content = TrackFile(format: file.format)
      content.tracks = file.tracks
      content.waypoints = file.waypoints
      records.append(.track(content))
    }
  }

  private struct NoSuchFile: Error {}

  var outcome: Outcome {
    var outcome = Outcome()
    var options = FormatTableTests.options
    options.fileName = name
    do {
      if isArchive {
        let folder = ExportFiles(files.keys) { [files] path in
          guard let bytes = files[path] else { throw NoSuchFile() }
          var rest = bytes[...]
          return { buffer in
            let part = rest.prefix(buffer.count)
            buffer.copyBytes(from: part)
            rest = rest.dropFirst(part.count)
            return part.count
          }
        }
        let format = try InterchangeFormat.detect(in: folder)
        try format?.read(folder, FormatTableTests.options) { record, _ in outcome.take(record) }
        outcome.isRefused = format == nil
      } else {
        let bytes = files[""] ?? []
        let format = try InterchangeFormat.detect(ByteInput(bytes))
        if let format, format.isReadAsRecords {
          try format.read(ByteInput(bytes), options) { record, _ in outcome.take(record) }
        } else {
          outcome.take(try TrackFile(reading: bytes))
        }
      }
    } catch {
      outcome.isRefused = true
    }
    return outcome
  }
}
