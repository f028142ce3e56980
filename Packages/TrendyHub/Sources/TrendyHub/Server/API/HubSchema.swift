import TrendyModels

/// Schema of an API document, in JSON Schema 2020-12, the dialect of OpenAPI 3.1.
indirect enum HubSchema: Hashable, Sendable {
  case string
  /// Id accepted by `Identifier.isValid`.
  case identifier
  /// Timestamp in RFC 3339 format.
  case date
  /// Calendar date without a time.
  case day
  case words([String])
  case boolean
  case integer(ClosedRange<Int64>)
  case number(ClosedRange<Double>)
  case any
  case list(HubSchema)
  /// Object with arbitrary member names.
  case map(HubSchema)
  case object([Member])
  /// Value of the given schema, or null.
  case nullable(HubSchema)
  /// Reference to a component of the OpenAPI document.
  case named(String)

  struct Member: Hashable, Sendable {
    let name: String
    let schema: HubSchema
    let isRequired: Bool

    static func required(_ name: String, _ schema: HubSchema) -> Member {
      Member(name: name, schema: schema, isRequired: true)
    }

    static func optional(_ name: String, _ schema: HubSchema) -> Member {
      Member(name: name, schema: schema, isRequired: false)
    }
  }

  static let counter = HubSchema.integer(SyncRange.counter)
  static let stamp = HubSchema.integer(SyncRange.stamp)
}

extension HubSchema {
  var document: JSONValue {
    switch self {
    case .string: ["type": "string"]
    case .identifier: ["type": "string", "minLength": 1, "maxLength": 128]
    case .day: ["type": "string", "format": "date"]
    case .date: ["type": "string", "format": "date-time"]
    case .words(let words): ["type": "string", "enum": .array(words.map { .string($0) })]
    case .boolean: ["type": "boolean"]
    case .integer(let range):
      ["type": "integer", "minimum": .int(range.lowerBound), "maximum": .int(range.upperBound)]
    case .number(let range):
      range.upperBound == .greatestFiniteMagnitude
        ? ["type": "number"]
        : ["type": "number", "minimum": .double(range.lowerBound), "maximum": .double(range.upperBound)]
    case .any: true
    case .list(let items): ["type": "array", "items": items.document]
    case .map(let values): ["type": "object", "additionalProperties": values.document]
    case .object(let members): Self.document(of: members)
    case .nullable(let schema): ["anyOf": [schema.document, ["type": "null"]]]
    case .named(let name): ["$ref": .string("#/components/schemas/\(name)")]
    }
  }

  private static func document(of members: [Member]) -> JSONValue {
    var document: [String: JSONValue] = [
      "type": "object",
      "properties": .object(
        Dictionary(members.map { ($0.name, $0.schema.document) }, uniquingKeysWith: { first, _ in first })),
    ]
    let required = members.filter(\.isRequired).map(\.name)
    if !required.isEmpty { document["required"] = .array(required.map { .string($0) }) }
    return .object(document)
  }
}

extension SyncedKind {
  /// Name of the schema, for example `EventType` for `event_type`.
  var schemaName: String { name.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined() }

  /// Schema of the entity in lists, single responses and feed entries.
  var entitySchema: HubSchema {
    .object(
      [.required("id", .identifier), .required("user_id", .string)]
        + fields.map { $0.member(isRequired: $0.isRequired) }
        + nested
        + [.required("created_at", .date), .required("updated_at", .date), .optional("incarnation", .counter)])
  }

  /// Returns the schema of a create request. The body may omit the field `known`, which the path determines.
  func createSchema(known: String? = nil) -> HubSchema {
    .object(
      [.required("id", .identifier)] + fields.map { $0.member(isRequired: $0.isRequired && $0.name != known) } + nested)
  }

  /// Schema of a merge patch. Missing members leave their fields unchanged.
  var patchSchema: HubSchema { .object(fields.map { $0.member(isRequired: false) } + nested) }

  private var nested: [HubSchema.Member] { nestedMember.map { [.optional($0, .map(.any))] } ?? [] }
}

extension SyncedKind.Field {
  fileprivate func member(isRequired: Bool) -> HubSchema.Member {
    HubSchema.Member(name: name, schema: isClearable ? .nullable(schema) : schema, isRequired: isRequired)
  }

  private var schema: HubSchema {
    switch type {
    case .text: .string
    case .identifier: .identifier
    case .word(let words): .words(words)
    case .date: .date
    case .day: .day
    case .boolean: .boolean
    case .number(let range): .number(range)
    case .integer(let range): .integer(range)
    case .textList: .list(.string)
    case .object: .map(.any)
    case .members(let fields): .object(fields.map { $0.member(isRequired: $0.isRequired) })
    case .any: .any
    }
  }
}
