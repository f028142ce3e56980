import TrendyModels

/// Reads members of a JSON object.
///
/// The problems it throws contain the path of the invalid member, for example `mutations[3].seq`.
struct DocumentReader {
  let members: [String: JSONValue]
  private let path: String

  init(_ value: JSONValue, path: String = "") throws(Problem) {
    guard let members = value.objectValue else {
      throw .invalid("\(path.isEmpty ? "the document" : path): expected an object, found \(value.kindInWords)")
    }
    self.members = members
    self.path = path
  }

  func string(_ name: String) throws(Problem) -> String {
    guard let text = try optionalString(name) else { throw missing(name, "a string") }
    return text
  }

  func optionalString(_ name: String) throws(Problem) -> String? {
    guard let value = present(name) else { return nil }
    guard let text = value.stringValue else { throw mismatch(name, "a string", value) }
    return text
  }

  /// Returns a required id of 1 to 128 bytes without control characters.
  func identifier(_ name: String) throws(Problem) -> String {
    let text = try string(name)
    guard Identifier.isValid(text) else { throw .invalid("\(at(name)): expected \(Identifier.rule)") }
    return text
  }

  private func optionalInteger(_ name: String) throws(Problem) -> Int64? {
    guard let value = present(name) else { return nil }
    guard let number = value.intValue else { throw mismatch(name, "a whole number", value) }
    return number
  }

  func integer(_ name: String, in range: ClosedRange<Int64>) throws(Problem) -> Int64 {
    guard let number = try optionalInteger(name, in: range) else { throw missing(name, "a whole number") }
    return number
  }

  func optionalInteger(_ name: String, in range: ClosedRange<Int64>) throws(Problem) -> Int64? {
    guard let number = try optionalInteger(name) else { return nil }
    guard range.contains(number) else {
      throw .invalid(
        "\(at(name)): expected a whole number from \(range.lowerBound) to \(range.upperBound), found \(number)")
    }
    return number
  }

  func array(_ name: String, limit: Int) throws(Problem) -> [JSONValue] {
    guard let value = present(name) else { throw missing(name, "an array") }
    guard let array = value.arrayValue else { throw mismatch(name, "an array", value) }
    guard array.count <= limit else {
      throw .tooMany(at(name), limit: limit, found: array.count)
    }
    return array
  }

  func at(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

  /// Returns a member, or `nil` if it is absent or null.
  private func present(_ name: String) -> JSONValue? {
    guard let value = members[name], !value.isNull else { return nil }
    return value
  }

  private func missing(_ name: String, _ what: String) -> Problem {
    .invalid("\(at(name)): expected \(what), found nothing")
  }

  private func mismatch(_ name: String, _ what: String, _ value: JSONValue) -> Problem {
    .invalid("\(at(name)): expected \(what), found \(value.kindInWords)")
  }
}

extension Problem {
  static func tooMany(_ member: String, limit: Int, found: Int) -> Problem {
    Problem(
      "too_large", status: 413, title: "Content too large",
      detail: "\(member): expected at most \(limit) items, found \(found): send them in smaller batches")
  }
}

typealias Identifier = WireIdentifier
