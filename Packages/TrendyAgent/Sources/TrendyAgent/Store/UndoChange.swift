import TrendyFoundation
import TrendyModels
import TrendyPersistence

/// Change that undoes or redoes the effect of a step on one entity, with data for detecting later changes.
struct UndoChange: Hashable, Sendable {
  enum Turn: Hashable, Sendable {
    /// Deletes an entity that the step created, if its state still has this hash.
    case remove(fingerprint: String)
    /// Restores an entity that the step deleted, with this state.
    case bringBack(JSONValue)
    /// Changes fields from their present value to the target value. `nil` means that the field is absent.
    case change([String: Fields])
  }

  struct Fields: Hashable, Sendable {
    var present: JSONValue?
    var target: JSONValue?
  }

  var kind: MutationEntityType
  var id: String
  var turn: Turn

  init(kind: MutationEntityType, id: String, turn: Turn) {
    self.kind = kind
    self.id = id
    self.turn = turn
  }

  /// Computes the change from one state of an entity to another. Returns `nil` if the states are equal.
  init?(kind: MutationEntityType, id: String, from present: JSONValue?, to target: JSONValue?) {
    self.kind = kind
    self.id = id
    switch (present, target) {
    case (nil, nil): return nil
    case (let present?, nil): turn = .remove(fingerprint: present.fingerprint)
    case (nil, let target?): turn = .bringBack(target)
    case (let present?, let target?):
      let (old, new) = (present.fields(of: kind), target.fields(of: kind))
      var fields: [String: Fields] = [:]
      for name in Set(old.keys).union(new.keys) where old[name] != new[name] {
        fields[name] = Fields(present: old[name], target: new[name])
      }
      if fields.isEmpty { return nil }
      turn = .change(fields)
    }
  }

  /// Computes the change that reverts the effect of a unit of work on an entity. Returns `nil` if there was no effect.
  init?(takingBack change: EntityChange) throws {
    let (before, after) = (change.before.map { AnyEntity($0) }, change.after.map { AnyEntity($0) })
    guard let entity = after ?? before else { return nil }
    self.init(kind: entity.kind, id: entity.id, from: try after?.value, to: try before?.value)
  }

  /// Whether this change restores a deleted entity.
  var isReturn: Bool { if case .bringBack = turn { true } else { false } }

  /// Replaces the old ids of entities that were recreated under new ids.
  mutating func rename(_ names: [String: String]) {
    if let new = names[id] { id = new }
    switch turn {
    case .remove: break
    case .bringBack(var value):
      value.rename(names)
      turn = .bringBack(value)
    case .change(let fields):
      turn = .change(
        fields.mapValues { pair in
          var pair = pair
          pair.present?.rename(names)
          pair.target?.rename(names)
          return pair
        })
    }
  }
}

extension UndoChange {
  static func renamed(_ value: JSONValue, _ names: [String: String]) -> JSONValue {
    var value = value
    if !names.isEmpty { value.rename(names) }
    return value
  }
}

// MARK: Stored form

extension UndoChange {
  var value: JSONValue {
    var members: [String: JSONValue] = ["kind": .string(kind.rawValue), "id": .string(id)]
    switch turn {
    case .remove(let fingerprint): members["remove"] = .string(fingerprint)
    case .bringBack(let value): members["bring_back"] = value
    case .change(let fields):
      members["change"] = .object(
        fields.mapValues { pair in .array([pair.present ?? .null, pair.target ?? .null]) })
    }
    return .object(members)
  }

  /// Decodes the form of ``value``. Returns `nil` for the form of a later version.
  init?(_ value: JSONValue) {
    guard let members = value.objectValue, let id = members["id"]?.stringValue,
      let kind = members["kind"]?.stringValue.flatMap(MutationEntityType.init(rawValue:))
    else { return nil }
    if let fingerprint = members["remove"]?.stringValue {
      self.init(kind: kind, id: id, turn: .remove(fingerprint: fingerprint))
    } else if let value = members["bring_back"] {
      self.init(kind: kind, id: id, turn: .bringBack(value))
    } else if let fields = members["change"]?.objectValue {
      let pairs = fields.compactMapValues { pair in
        pair.arrayValue.flatMap { $0.count == 2 ? Fields(present: $0[0].unlessNull, target: $0[1].unlessNull) : nil }
      }
      self.init(kind: kind, id: id, turn: .change(pairs))
    } else {
      return nil
    }
  }
}

// MARK: Entity states

extension JSONValue {
  /// Returns the fields of an entity, including the fields of its nested member under separate names. Null counts as
  /// absent.
  func fields(of kind: MutationEntityType) -> [String: JSONValue] {
    var fields: [String: JSONValue] = [:]
    let nested = SyncedKind.named(kind.rawValue)?.nestedMember
    for (name, value) in objectValue ?? [:] where !value.isNull {
      guard name == nested, let members = value.objectValue else {
        fields[name] = value
        continue
      }
      for (inner, value) in members where !value.isNull { fields["\(name).\(inner)"] = value }
    }
    return fields
  }

  init(fields: [String: JSONValue], of kind: MutationEntityType) {
    guard let nested = SyncedKind.named(kind.rawValue)?.nestedMember else {
      self = .object(fields)
      return
    }
    var members: [String: JSONValue] = [:]
    var inner: [String: JSONValue] = [:]
    for (name, value) in fields {
      if name.hasPrefix("\(nested).") {
        inner[String(name.dropFirst(nested.count + 1))] = value
      } else {
        members[name] = value
      }
    }
    if !inner.isEmpty { members[nested] = .object(inner) }
    self = .object(members)
  }

  /// Non-cryptographic hash as 16 hexadecimal digits, equal for equivalent states.
  var fingerprint: String {
    var text = ""
    appendCanonical(to: &text)
    let hash = text.utf8.withContiguousStorageIfAvailable { Checksum.xxh64(UnsafeRawBufferPointer($0)) } ?? 0
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Appends a canonical form: without null members and empty objects, and with whole numbers as integers.
  private func appendCanonical(to text: inout String) {
    switch self {
    case .null: text += "n"
    case .bool(let value): text += value ? "t" : "f"
    case .int, .double: text += intValue.map { "\($0)" } ?? "\(doubleValue ?? 0)"
    case .string(let value): text += "\(value.utf8.count):\(value)"
    case .array(let values):
      text += "["
      for value in values {
        value.appendCanonical(to: &text)
        text += ","
      }
      text += "]"
    case .object(let members):
      text += "{"
      for (name, value) in members.sorted(by: { $0.key < $1.key }) where !value.isNull && value != .object([:]) {
        text += "\(name.utf8.count):\(name)="
        value.appendCanonical(to: &text)
      }
      text += "}"
    }
  }

  // Use an explicit type, because a plain `nil` would be a JSON null.
  fileprivate var unlessNull: JSONValue? { isNull ? Optional.none : self }

  mutating func rename(_ names: [String: String]) {
    switch self {
    case .string(let text): if let new = names[text] { self = .string(new) }
    case .object(let members):
      self = .object(
        members.mapValues { value in value.stringValue.flatMap { names[$0] }.map { .string($0) } ?? value })
    default: break
    }
  }
}
