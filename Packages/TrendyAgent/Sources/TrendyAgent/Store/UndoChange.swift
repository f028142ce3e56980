import TrendyFoundation
import TrendyModels
import TrendyPersistence

/// What turns one entity back to what it was, or again to what it became; and how to tell that it was changed since.
struct UndoChange: Hashable, Sendable {
  enum Turn: Hashable, Sendable {
    /// It is there only because of what was done: removed, if it still is what this is the hash of.
    case remove(fingerprint: String)
    /// It was removed, and was this.
    case bringBack(JSONValue)
    /// Fields that have one value and are to have the other, `nil` for none.
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

  /// How to get from one value of an entity to the other; `nil` where they are the same.
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

  /// How to get from what one unit of work leaves of an entity back to what was before.
  init?(takingBack change: EntityChange) throws {
    let (before, after) = (change.before.map { Undoable($0) }, change.after.map { Undoable($0) })
    guard let entity = after ?? before else { return nil }
    self.init(kind: entity.kind, id: entity.id, from: try after?.value, to: try before?.value)
  }

  /// Whether the entity is gone, and comes back.
  var isReturn: Bool { if case .bringBack = turn { true } else { false } }

  /// Gives entities their new ids.
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
  /// A value of an entity whose references go to new ids.
  static func renamed(_ value: JSONValue, _ names: [String: String]) -> JSONValue {
    var value = value
    if !names.isEmpty { value.rename(names) }
    return value
  }
}

// MARK: As the store keeps it

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

  /// Reads back what ``value`` wrote; `nil` for what a later version wrote.
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

// MARK: Values of entities

extension JSONValue {
  /// The members of an entity, those of its nested member each by itself; null is none.
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

  /// The reverse of ``fields(of:)``.
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

  /// The same for values that mean the same: 16 hexadecimal digits of a hash that is not meant to withstand anybody.
  var fingerprint: String {
    var text = ""
    appendCanonical(to: &text)
    let hash = text.utf8.withContiguousStorageIfAvailable { Checksum.xxh64(UnsafeRawBufferPointer($0)) } ?? 0
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Null members and empty objects say nothing; a whole number is written as one.
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

  // A bare `nil` would be the null of JSON.
  fileprivate var unlessNull: JSONValue? { isNull ? Optional.none : self }

  /// Of an entity that refers to what has another id now.
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
