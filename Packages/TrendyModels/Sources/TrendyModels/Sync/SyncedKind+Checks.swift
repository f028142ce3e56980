import TrendyFoundation

/// Error for a value that violates a limit, with the field, the limit, the value found and a correction.
public struct FieldError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Path of the value: `notes`, `properties.dose`, `goal.amount`.
  public var field: String
  /// Expected and found values: `expected a string of up to 64 bytes, found one of 70`.
  public var reason: String
  /// Suggested correction: an imperative clause without a period.
  public var advice: String

  public init(field: String, reason: String, advice: String = "correct this value") {
    self.field = field
    self.reason = reason
    self.advice = advice
  }

  public var description: String { "\(field): \(reason)" }
}

extension SyncedKind {
  /// Members that the hub assigns. The hub ignores their values in requests.
  public static let ownMembers: Set<String> = [
    "id", "user_id", "created_at", "updated_at", "incarnation", "event_type",
  ]

  /// Maximum size of an entity's members as JSON, in bytes. A hub's limit for a request body is four times as high.
  public static let maximumEntityBytes = 1_048_576

  /// Maximum nesting depth of arrays and objects in one value. A hub's parser accepts 32 levels in a request.
  public static let maximumNesting = 16

  // A conflict can contain a whole entity, which adds levels to the nesting of its values.
  private var maximumNesting: Int { name == "conflict" ? Self.maximumNesting + 4 : Self.maximumNesting }

  /// Checks each member of an entity, and their total size. If `isCreate`, required fields must be present.
  /// - Throws: the first violation in order of field names.
  public func check(_ members: [String: JSONValue], isCreate: Bool) throws(FieldError) {
    _ = try validatedFields(from: members, isCreate: isCreate)
    try Self.checkSize(of: members)
  }

  /// Checks the total size of an entity's members.
  public static func checkSize(of members: [String: JSONValue]) throws(FieldError) {
    try checkSize(bytes: members.reduce(2) { $0 + $1.key.utf8.count + 4 + $1.value.minBytes })
  }

  static func checkSize(bytes: Int) throws(FieldError) {
    guard bytes > maximumEntityBytes else { return }
    throw FieldError(
      field: "the entry", reason: "expected at most \(maximumEntityBytes) bytes as JSON, found \(bytes)",
      advice: "shorten it, or split it into several entries")
  }

  /// Converts the members of a request to fields and checks each value. Members that a hub assigns are omitted.
  ///
  /// - Parameters:
  ///   - members: members of the request by name.
  ///   - isCreate: whether the members create an entity. Required fields must then be present, and `null` counts as
  ///     absent for fields that cannot be cleared.
  ///   - isByField: whether a key of the nested member can be a member itself, such as `properties.dose`.
  public func validatedFields(
    from members: [String: JSONValue], isCreate: Bool, isByField: Bool = false
  ) throws(FieldError) -> [String: JSONValue] {
    var result: [String: JSONValue] = [:]
    // Sort the names, so that the reported error does not depend on the order of a dictionary.
    for name in members.keys.sorted() {
      guard let value = members[name], !Self.ownMembers.contains(name) else { continue }
      if name == nestedMember {
        for (key, value) in try nestedFields(value) { result[key] = value }
      } else if let field = field(name) {
        if value.isNull, !field.isClearable {
          guard isCreate else { throw FieldError(field: name, reason: "expected \(field.inWords), found null") }
          continue
        }
        result[name] = value.isNull && field.type != .any ? .null : try field.checked(value)
        try value.checkContent(at: name, maximumNesting: maximumNesting)
      } else {
        if isByField, let nested = nestedName(name) {
          try checkNested(nested.key, value)
          result[name] = value
          continue
        }
        // "*" is reserved: it denotes all unlisted fields in field versions, and the whole entity in a conflict.
        guard WireIdentifier.isValid(name), nestedName(name) == nil, name != FieldVersion.others else {
          throw FieldError(field: "\"\(name.prefix(60))\"", reason: "invalid field name")
        }
        try value.checkContent(at: name, maximumNesting: maximumNesting)
        result[name] = value
      }
    }
    if isCreate {
      for field in fields where field.isRequired && result[field.name] == nil {
        throw FieldError(field: field.name, reason: "expected \(field.inWords), found nothing")
      }
    }
    return result
  }

  private func checkNested(_ key: String, _ value: JSONValue) throws(FieldError) {
    guard (1...Self.maximumNameBytes).contains(key.utf8.count) else {
      throw FieldError(
        field: nestedMember ?? "",
        reason: "expected keys of 1 to \(Self.maximumNameBytes) bytes, found \(key.utf8.count) bytes",
        advice: "rename the property")
    }
    let path = "\(nestedMember ?? "").\(key.prefix(60))"
    if value.isNull { return }
    guard let members = value.objectValue, members["type"]?.stringValue != nil, members["value"] != nil else {
      throw FieldError(field: path, reason: "expected an object with \"type\" and \"value\"")
    }
    for member in members.values { try member.checkContent(at: path, maximumNesting: maximumNesting) }
  }

  private func nestedFields(_ value: JSONValue) throws(FieldError) -> [(String, JSONValue)] {
    guard let member = nestedMember, !value.isNull else { return [] }
    guard let object = value.objectValue else {
      throw FieldError(field: member, reason: "expected an object, found \(value.kindInWords)")
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
  /// Validates a value and returns it as it is stored, with dates in wire format. If the value is nested in another
  /// field, `path` is its path in an error message.
  func checked(_ value: JSONValue, at path: String? = nil) throws(FieldError) -> JSONValue {
    switch type {
    case .any: return value
    case .text(let maximum):
      if let text = value.stringValue, text.utf8.count <= maximum, !(isRequired && text.isEmpty) { return value }
    case .word(let words):
      if let text = value.stringValue, words.contains(text) { return value }
    case .object:
      if value.objectValue != nil { return value }
    case .identifier:
      if let text = value.stringValue, WireIdentifier.isValid(text) { return value }
    case .date:
      if let date = value.stringValue.flatMap({ RFC3339.date(from: $0) }) {
        return .string(RFC3339.string(from: date))
      }
    case .day:
      if value.stringValue.flatMap({ CivilDate($0) }) != nil { return value }
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
    throw FieldError(field: path ?? name, reason: "expected \(inWords), found \(found(value))", advice: advice(value))
  }

  private func found(_ value: JSONValue) -> String {
    switch (type, value) {
    case (.text, .string(let text)) where !text.isEmpty: "\(text.utf8.count) bytes"
    case (.word, .string(let text)): "\"\(text.prefix(40))\""
    default: value.inWords
    }
  }

  private func advice(_ value: JSONValue) -> String {
    switch (type, value) {
    case (.text, .string(let text)): text.isEmpty ? "enter at least one character" : "shorten it"
    default: "correct this value"
    }
  }
}

extension SyncedKind.Field {
  private func checked(
    _ members: [String: JSONValue], _ fields: [SyncedKind.Field]
  ) throws(FieldError) -> [String: JSONValue] {
    var result = members
    for field in fields {
      let path = "\(name).\(field.name)"
      guard let value = members[field.name] else {
        guard field.isRequired else { continue }
        throw FieldError(field: path, reason: "expected \(field.inWords), found nothing")
      }
      result[field.name] = try field.checked(value, at: path)
    }
    return result
  }
}

extension SyncedKind.Field {
  /// Accepted values of the field, for an error message.
  public var inWords: String {
    if case .text(let maximum) = type, isRequired { "a string of 1 to \(maximum) bytes" } else { type.inWords }
  }
}

extension SyncedKind.FieldType {
  var inWords: String {
    switch self {
    case .text(let maximum): "a string of up to \(maximum) bytes"
    case .word(let words): words.map { "\"\($0)\"" }.joined(separator: " or ")
    case .object, .members: "an object"
    case .identifier: WireIdentifier.rule
    case .date: "an RFC 3339 date such as 2024-01-01T00:00:00.000Z"
    case .day: "a date such as 2024-01-01"
    case .boolean: "true or false"
    case .number(let range) where range.upperBound == .greatestFiniteMagnitude:
      range.lowerBound == 0 ? "a number of at least 0" : "a number"
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
  /// Kind of the value, for an error message.
  public var kindInWords: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .int, .double: "a number"
    case .string(let text): "\"\(text.prefix(40))\""
    case .array: "an array"
    case .object: "an object"
    }
  }

  /// The value in an error message: numbers are written out, and other values are described by ``kindInWords``.
  fileprivate var inWords: String {
    switch self {
    case .int(let value): "\(value)"
    case .double(let value): "\(value)"
    default: kindInWords
    }
  }

  /// Checks the limits that apply to every value: nesting, and the length of each string.
  fileprivate func checkContent(at path: String, maximumNesting: Int) throws(FieldError) {
    try checkContent(at: path, maximumNesting: maximumNesting, left: maximumNesting)
  }

  private func checkContent(at path: String, maximumNesting: Int, left: Int) throws(FieldError) {
    switch self {
    case .null, .bool, .int, .double: return
    case .string(let text):
      guard text.utf8.count > SyncedKind.maximumTextBytes else { return }
      throw FieldError(
        field: path,
        reason: "expected a string of up to \(SyncedKind.maximumTextBytes) bytes, found \(text.utf8.count) bytes",
        advice: "shorten it")
    case .array(let values):
      try checkLeft(left, at: path, maximumNesting)
      for value in values { try value.checkContent(at: path, maximumNesting: maximumNesting, left: left - 1) }
    case .object(let members):
      try checkLeft(left, at: path, maximumNesting)
      for value in members.values { try value.checkContent(at: path, maximumNesting: maximumNesting, left: left - 1) }
    }
  }

  private func checkLeft(_ left: Int, at path: String, _ maximumNesting: Int) throws(FieldError) {
    guard left <= 0 else { return }
    throw FieldError(
      field: path, reason: "expected at most \(maximumNesting) levels of nesting, found more",
      advice: "reduce the nesting")
  }

  /// Lower bound of the size as JSON in bytes, without string escapes.
  fileprivate var minBytes: Int {
    switch self {
    case .null, .bool: 4
    case .int, .double: 1
    case .string(let text): text.utf8.count + 2
    case .array(let values): values.reduce(2) { $0 + $1.minBytes + 1 }
    case .object(let members): members.reduce(2) { $0 + $1.key.utf8.count + 4 + $1.value.minBytes }
    }
  }
}

// MARK: Entities

extension SyncedEntity {
  /// Checks a new entity against the hub's limits.
  ///
  /// Called before every create is recorded, so that no device queues a value that every hub rejects.
  public func checkLimits() throws(FieldError) {
    if let event = self as? Event, event.isClearlyWithinLimits { return }
    guard WireIdentifier.isValid(id) else { throw FieldError(field: "id", reason: "expected \(WireIdentifier.rule)") }
    try Self.checkLimits(of: createRequest, isCreate: true)
  }

  /// Checks the fields that an edit changes. Unchanged fields may exceed the limits of this version. `changed` is the
  /// entity after the edit, or `nil` if it is not known.
  public static func checkLimits(of change: UpdateRequest, in changed: Self?) throws(FieldError) {
    let bytes = try Self.checkLimits(of: change, isCreate: false)
    // Most edits are small, so the whole entity is encoded only for large edits.
    guard bytes > 4096, let changed else { return }
    do {
      try SyncedKind.checkSize(bytes: WireJSON.encode(changed.createRequest).count)
    } catch let error as FieldError {
      throw error
    } catch {
      throw FieldError(field: "the entry", reason: "\(error)")
    }
  }

  /// Checks the members of a request.
  ///
  /// - Returns: the size of the request as JSON in bytes.
  @discardableResult
  private static func checkLimits(of request: some Encodable, isCreate: Bool) throws(FieldError) -> Int {
    let payload: Data
    let members: [String: JSONValue]
    do {
      payload = try WireJSON.encode(request)
      members = try WireJSON.decode([String: JSONValue].self, from: payload, limits: JSONLimits(depth: .max))
    } catch {
      throw FieldError(field: "the entry", reason: "\(error)")
    }
    _ = try SyncedKind.named(entityType.rawValue)?.validatedFields(from: members, isCreate: isCreate)
    try SyncedKind.checkSize(bytes: payload.count)
    return payload.count
  }
}

extension Event {
  /// Whether all values are so short that no limit can be exceeded. Most events can be checked this way without
  /// encoding them.
  fileprivate var isClearlyWithinLimits: Bool {
    let limit = SyncedKind.shortestTextLimit
    func fits(_ text: String?) -> Bool { (text?.utf8.count ?? 0) <= limit }
    if hasSeldomFields {
      guard unknownFields.isEmpty, fits(externalId), fits(originalTitle),
        geofenceId.map(WireIdentifier.isValid) ?? true, fits(healthKitSampleId), fits(healthKitCategory)
      else { return false }
    }
    guard identifier.bits != nil || WireIdentifier.isValid(id), WireIdentifier.isValid(eventTypeId),
      (notes?.utf8.count ?? 0) <= 4096, fits(locationName), fits(timeZone),
      locationLatitude.map({ (-90...90).contains($0) }) ?? true,
      locationLongitude.map({ (-180...180).contains($0) }) ?? true,
      RFC3339.writableDates.contains(timestamp), endDate.map({ RFC3339.writableDates.contains($0) }) ?? true
    else { return false }
    return packedProperties.areClearlyWithinLimits
  }
}

extension PackedProperties {
  /// Whether the properties are small and contain no arrays or objects.
  fileprivate var areClearlyWithinLimits: Bool {
    guard let shape else { return true }
    guard shape.bytes.count <= 1024, shape.names.first != "", byteCount <= 4096 else { return false }
    var isPlain = true
    forEachPacked { _, _, value in
      switch value {
      case .int, .string: break
      case .double(let number): isPlain = isPlain && number.isFinite
      case .other:
        let json = value.json
        isPlain = isPlain && (json.isNull || json.boolValue != nil)
      }
    }
    return isPlain
  }
}
