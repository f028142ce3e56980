import Foundation
import TrendyModels

extension SyncedKind {
  /// Members that are the hub's own: in a request they are read over.
  static let ownMembers: Set<String> = ["id", "user_id", "created_at", "updated_at", "event_type"]

  /// Turns a request's members into fields, each checked; the hub's own members are left out.
  ///
  /// - Parameter isCreate: the required fields must be there, and a `null` of a field that may not be cleared is the same
  ///   as absent.
  /// - Parameter isByField: a key of a member that is merged key by key may stand by itself, as `properties.dose`.
  /// - Throws: a problem of kind `invalid` that names the member.
  func fields(
    from members: [String: JSONValue], isCreate: Bool, isByField: Bool = false
  ) throws(Problem) -> [String: JSONValue] {
    var result: [String: JSONValue] = [:]
    // In order of names, so that of two faults always the same one is told.
    for name in members.keys.sorted() {
      guard let value = members[name], !Self.ownMembers.contains(name) else { continue }
      if name == nestedMember {
        for (key, value) in try nestedFields(value) { result[key] = value }
      } else if let field = field(name) {
        if value.isNull, !field.isClearable {
          guard isCreate else { throw .invalid("\(name): expected \(field.inWords), found null") }
          continue
        }
        result[name] = value.isNull && field.type != .any ? .null : try field.checked(value)
      } else {
        if isByField, let nested = nestedName(name) {
          try checkNested(nested.key, value)
          result[name] = value
          continue
        }
        // In marks the star stands for all fields that are not named.
        guard Identifier.isValid(name), nestedName(name) == nil, name != HubConflict.wholeEntity else {
          throw .invalid("\"\(name.prefix(60))\" is no name for a member")
        }
        result[name] = value
      }
    }
    if isCreate {
      for field in fields where field.isRequired && result[field.name] == nil {
        throw .invalid("\(field.name): expected \(field.inWords), found none")
      }
    }
    return result
  }

  private func checkNested(_ key: String, _ value: JSONValue) throws(Problem) {
    guard (1...1024).contains(key.utf8.count) else {
      throw .invalid("\(nestedMember ?? ""): expected keys of 1 to 1024 bytes")
    }
    guard value.isNull || (value.objectValue?["type"]?.stringValue != nil && value.objectValue?["value"] != nil)
    else {
      throw .invalid("\(nestedMember ?? "").\(key.prefix(60)): expected an object with \"type\" and \"value\"")
    }
  }

  private func nestedFields(_ value: JSONValue) throws(Problem) -> [(String, JSONValue)] {
    guard let member = nestedMember, !value.isNull else { return [] }
    guard let object = value.objectValue else {
      throw .invalid("\(nestedMember ?? ""): expected an object, found \(value.kindInWords)")
    }
    var result: [(String, JSONValue)] = []
    for key in object.keys.sorted() {
      guard let value = object[key] else { continue }
      try checkNested(key, value)
      result.append(("\(member).\(key)", value))
    }
    return result
  }
}

extension SyncedKind.Field {
  /// The value as it is kept: dates in the one spelling of the wire.
  /// - Parameter path: by which it is named where it lies in another.
  func checked(_ value: JSONValue, at path: String? = nil) throws(Problem) -> JSONValue {
    switch type {
    case .any: return value
    case .text(let maximum):
      if let text = value.stringValue, text.utf8.count <= maximum, !(isRequired && text.isEmpty) { return value }
    case .word(let words):
      if let text = value.stringValue, words.contains(text) { return value }
    case .object:
      if value.objectValue != nil { return value }
    case .identifier:
      if let text = value.stringValue, Identifier.isValid(text) { return value }
    case .date:
      if let date = value.stringValue.flatMap({ RFC3339.date(from: $0) }) {
        return .string(RFC3339.string(from: date))
      }
    case .boolean:
      if value.boolValue != nil { return value }
    case .number(let range):
      if let number = value.doubleValue, range.contains(number) { return value }
    case .integer(let range):
      if let number = value.intValue, range.contains(number) { return .int(number) }
    case .textList:
      if let list = value.arrayValue, list.allSatisfy({ $0.stringValue != nil }) { return value }
    case .members(let fields):
      if let members = value.objectValue { return .object(try checked(members, fields)) }
    }
    throw .invalid("\(path ?? name): expected \(inWords), found \(value.inWords)")
  }
}

extension SyncedKind.Field {
  /// The members of an object, each checked; others are kept as they are.
  private func checked(
    _ members: [String: JSONValue], _ fields: [SyncedKind.Field]
  ) throws(Problem) -> [String: JSONValue] {
    var result = members
    for field in fields {
      let path = "\(name).\(field.name)"
      guard let value = members[field.name] else {
        guard field.isRequired else { continue }
        throw .invalid("\(path): expected \(field.inWords), found none")
      }
      result[field.name] = try field.checked(value, at: path)
    }
    return result
  }
}

extension SyncedKind.Field {
  /// Which values the field takes, for an error. A required string has at least one byte.
  var inWords: String {
    if case .text(let maximum) = type, isRequired { "a string of 1 to \(maximum) bytes" } else { type.inWords }
  }
}

extension SyncedKind.FieldType {
  var inWords: String {
    switch self {
    case .text(let maximum): "a string of up to \(maximum) bytes"
    case .word(let words): words.map { "\"\($0)\"" }.joined(separator: " or ")
    case .object, .members: "an object"
    case .identifier: Identifier.rule
    case .date: "an RFC 3339 date such as 2024-01-01T00:00:00.000Z"
    case .boolean: "true or false"
    case .number(let range) where range.upperBound == .greatestFiniteMagnitude:
      range.lowerBound == 0 ? "a number from 0 up" : "a number"
    case .number(let range): "a number from \(range.lowerBound) to \(range.upperBound)"
    case .integer(let range):
      "a whole number"
        + (range == Int64.min...Int64.max ? "" : " from \(range.lowerBound) to \(range.upperBound)")
    case .textList: "an array of strings"
    case .any: "a value"
    }
  }
}

extension JSONValue {
  /// As ``kindInWords``, with the number itself.
  fileprivate var inWords: String {
    switch self {
    case .int(let value): "\(value)"
    case .double(let value): "\(value)"
    default: kindInWords
    }
  }
}
