import TrendyFoundation
import TrendyModels

/// JSON values in a file that contains one document, or one document per line.
struct JSONDocuments {
  /// Values with their positions for messages. The position is empty for a single document, and a line number such as
  /// `line 3` otherwise.
  private(set) var values: [(prefix: String, value: JSONValue)] = []
  private(set) var problems: [ImportProblem] = []

  /// Parses the content of a file. Throws ``InterchangeError`` if the content is not a complete value.
  init(_ bytes: [UInt8]) throws(InterchangeError) {
    let content = bytes[...].withoutLeadingSpace
    guard Self.isLines(content) else {
      values = [("", try Self.whole(content))]
      return
    }
    let dropped = bytes[..<content.startIndex].count { $0 == 0xA }
    for line in content.textLines {
      let place = "line \(line.number + dropped)"
      do {
        values.append((place, try WireJSON.decode(JSONValue.self, from: Data(line.bytes))))
      } catch {
        let isCutOff = JSONOutline(line.bytes)?.isCutOff == true
        problems.append(
          ImportProblem(place: place, reason: isCutOff ? "incomplete JSON in this line" : "invalid JSON"))
      }
    }
    if values.isEmpty, let first = problems.first {
      throw .malformed(line: 1 + dropped, column: 1, reason: first.reason, pointsRead: 0)
    }
  }

  /// Whether each line is a separate object. The second line must start with a brace, and the first line must not end
  /// inside an object.
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
      throw .malformed(line: 1, column: 1, reason: "invalid JSON document: \(reason(error))", pointsRead: 0)
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

  var number: Double? {
    switch self {
    case .string(let text): FieldText.number(text)
    default: doubleValue
    }
  }

  /// Timestamp in RFC 3339 format, or in seconds or milliseconds since 1970, as a string or a number.
  var moment: Date? {
    switch self {
    case .string(let text): FieldText.moment(text)
    default: doubleValue.flatMap { FieldText.moment($0) }
    }
  }
}
