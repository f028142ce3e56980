import TrendyFoundation
import TrendyModels

/// The JSON values of a file: one document, or one on each line.
struct JSONDocuments {
  /// Each value with what stands before its members' names in a report: empty, or `line 3: `.
  private(set) var values: [(prefix: String, value: JSONValue)] = []
  private(set) var problems: [ImportProblem] = []

  /// - Throws: ``InterchangeError`` if there is no whole value in it.
  init(_ bytes: [UInt8]) throws(InterchangeError) {
    let content = bytes[...].withoutLeadingSpace
    guard Self.isLines(content) else {
      values = [("", try Self.whole(content))]
      return
    }
    // Numbered in the file as it is, with what was dropped before the first line.
    let dropped = bytes[..<content.startIndex].count { $0 == 0xA }
    for line in content.textLines {
      let place = "line \(line.number + dropped)"
      do {
        values.append((place, try WireJSON.decode(JSONValue.self, from: Data(line.bytes))))
      } catch {
        let isCutOff = JSONOutline(line.bytes)?.isCutOff == true
        problems.append(
          ImportProblem(place: place, reason: isCutOff ? "the JSON of this line is not whole" : "this is no JSON"))
      }
    }
    if values.isEmpty, let first = problems.first {
      throw .malformed(line: 1 + dropped, column: 1, reason: first.reason, pointsRead: 0)
    }
  }

  /// Whether each line is an object of its own: the second begins as the first one does, which is not left open.
  static func isLines(_ content: ArraySlice<UInt8>) -> Bool {
    guard content.first == UInt8(ascii: "{"), let end = content.firstIndex(of: 0xA),
      let last = content[..<end].last(where: { !$0.isSpace }), !"{[,:".utf8.contains(last)
    else { return false }
    return content[end...].first { !$0.isSpace } == UInt8(ascii: "{")
  }

  private static func whole(_ content: ArraySlice<UInt8>) throws(InterchangeError) -> JSONValue {
    do {
      return try WireJSON.decode(JSONValue.self, from: Data(content))
    } catch {
      let line = content.count { $0 == 0xA } + 1
      let column = content.count - (content.lastIndex(of: 0xA).map { $0 + 1 - content.startIndex } ?? 0) + 1
      if JSONOutline(content)?.isCutOff == true {
        throw .truncated(line: line, column: column, reason: "the JSON document is not closed", pointsRead: 0)
      }
      throw .malformed(line: 1, column: 1, reason: "this is no JSON document: \(reason(error))", pointsRead: 0)
    }
  }

  private static func reason(_ error: any Error) -> String {
    if case APIError.decodingError(let text) = error { return text }
    return "\(error)"
  }
}

extension JSONValue {
  subscript(_ name: String) -> JSONValue? {
    if case .object(let members) = self { members[name] } else { nil }
  }

  /// A number, also one that was written as a string.
  var number: Double? {
    switch self {
    case .string(let text): FieldText.number(text)
    default: doubleValue
    }
  }

  /// A date, or seconds or milliseconds since 1970, as a string or a number.
  var moment: Date? {
    switch self {
    case .string(let text): FieldText.moment(text)
    default: doubleValue.flatMap { FieldText.moment($0) }
    }
  }
}
