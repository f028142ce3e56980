import Foundation
import TrendyInterchange
import TrendyModels

/// `trendy-bench interchange --rrule FILE`: compares calendar recurrence rules with reference results from other
/// software.
struct RecurrenceCheck {
  static let usage = """
    usage: trendy-bench interchange --rrule FILE
      FILE  JSON with cases of dtstart, rrule, from, through and occurrences in local time; prints the number of cases
            and of those that differ or cannot be read; the first ten of these go to standard error
    """

  private let file: URL

  init(_ arguments: [String]) throws(InputError) {
    guard arguments.count == 2, arguments[0] == "--rrule" else { throw InputError(text: Self.usage) }
    file = URL(filePath: arguments[1])
  }

  /// Runs all cases.
  /// - Parameter report: called with a description of each wrong case.
  /// - Returns: a summary such as `{"cases":300,"wrong":0}`.
  /// - Throws: an error if the file cannot be read or has no cases. Wrong cases do not cause an error.
  func run(_ report: (String) -> Void) throws -> String {
    let document = try WireJSON.decode(JSONValue.self, from: Data(contentsOf: file))
    guard let cases = document.objectValue?["cases"]?.arrayValue ?? document.arrayValue else {
      throw InputError(text: "\(file.path) has no cases\n\(Self.usage)")
    }
    var wrong = 0
    for (index, each) in cases.enumerated() {
      guard let difference = Self.difference(each) else { continue }
      wrong += 1
      if wrong <= 10 { report("case \(index + 1): \(difference)") }
    }
    return "{\"cases\":\(cases.count),\"wrong\":\(wrong)}"
  }

  /// Returns a description of the first difference, or `nil` if all occurrences are correct.
  private static func difference(_ each: JSONValue) -> String? {
    func text(_ name: String) -> String? { each.objectValue?[name]?.stringValue }
    guard let ruleText = text("rrule") else { return "the case has no rrule" }
    let body = ruleText.hasPrefix("RRULE:") ? ruleText.dropFirst(6) : ruleText[...]
    guard let rule = RecurrenceRule(body) else { return "\(ruleText) cannot be parsed" }
    guard let start = text("dtstart").flatMap({ WallTime($0) }), let from = text("from").flatMap({ WallTime($0) }),
      let through = text("through").flatMap({ WallTime($0) }),
      let expected = each.objectValue?["occurrences"]?.arrayValue
    else { return "\(ruleText) has no dtstart, from, through or occurrences" }
    let found = rule.occurrences(from: start, in: from, through: through)
    guard found.count == expected.count else {
      return "\(ruleText) from \(text("dtstart") ?? ""): \(found.count) times instead of \(expected.count)"
    }
    for (time, expected) in zip(found, expected) where expected.stringValue.flatMap({ WallTime($0) }) != time {
      return "\(ruleText) from \(text("dtstart") ?? ""): \(time.day) at second \(time.secondOfDay) "
        + "instead of \(expected.stringValue ?? "a time")"
    }
    return nil
  }
}
