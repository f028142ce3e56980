typealias FieldValue = WireValue & Equatable

/// Operation on the fields of an entity, called for each field in the order of wire names.
///
/// An entity lists its fields once (``VisitedFields/visit(_:_:)``), each as a pair of its value in a whole document and
/// its change in an update. Reading, writing, comparing and applying are implemented as visitors of this list.
protocol FieldVisitor: ~Copyable {
  associatedtype Failure: Error

  /// Visits the id of the entity, which an update does not contain.
  mutating func identifier(_ name: StaticString, _ value: inout String) throws(Failure)
  /// Visits a member that a hub assigns. Only stored documents have such members.
  mutating func assigned<Value: FieldValue>(_ name: StaticString, _ value: inout Value?) throws(Failure)
  mutating func required<Value: FieldValue>(
    _ name: StaticString, _ value: inout Value, _ change: inout Value?) throws(Failure)
  /// Visits a field that a create must contain and that has a default if a stored document lacks it.
  mutating func requiredToCreate<Value: FieldValue>(
    _ name: StaticString, _ value: inout Value, _ change: inout Value?) throws(Failure)
  /// Visits a field with a default, which applies if the document lacks the field.
  mutating func optional<Value: FieldValue>(
    _ name: StaticString, _ value: inout Value, _ change: inout Value?) throws(Failure)
  mutating func clearable<Value: FieldValue>(
    _ name: StaticString, _ value: inout Value?, _ change: inout Patch<Value>) throws(Failure)
  /// Visits a field whose keys are merged one by one. An inner `nil` removes a key.
  mutating func merged<Value: FieldValue>(
    _ name: StaticString, _ value: inout [String: Value]?, _ change: inout [String: Value?]?) throws(Failure)
}

// Comparing and applying concern only the fields that an update can change.
extension FieldVisitor where Self: ~Copyable {
  mutating func identifier(_: StaticString, _: inout String) {}
  mutating func assigned<Value: FieldValue>(_: StaticString, _: inout Value?) {}

  mutating func requiredToCreate<Value: FieldValue>(
    _ name: StaticString, _ value: inout Value, _ change: inout Value?
  ) throws(Failure) {
    try required(name, &value, &change)
  }

  mutating func optional<Value: FieldValue>(
    _ name: StaticString, _ value: inout Value, _ change: inout Value?
  ) throws(Failure) {
    try required(name, &value, &change)
  }
}

// MARK: - Reading and writing

/// Kind of document, which determines the members of an entity.
enum DocumentForm {
  case create, stored, update
}

extension WireReader: FieldVisitor {
  typealias Failure = any Error

  /// Does nothing: the id is read before the fields, so that an error reports the id first.
  mutating func identifier(_: StaticString, _: inout String) {}

  mutating func assigned<Value: FieldValue>(_ name: StaticString, _ value: inout Value?) throws {
    if form == .stored { value = try optional(name) }
  }

  mutating func required<Value: FieldValue>(
    _ name: StaticString, _ value: inout Value, _ change: inout Value?
  ) throws {
    if form == .update { change = try optional(name) } else { value = try required(name) }
  }

  mutating func requiredToCreate<Value: FieldValue>(
    _ name: StaticString, _ value: inout Value, _ change: inout Value?
  ) throws {
    if form == .create { value = try required(name) } else { try optional(name, &value, &change) }
  }

  mutating func optional<Value: FieldValue>(
    _ name: StaticString, _ value: inout Value, _ change: inout Value?
  ) throws {
    let read: Value? = try optional(name)
    if form == .update { change = read } else if let read { value = read }
  }

  mutating func clearable<Value: FieldValue>(
    _ name: StaticString, _ value: inout Value?, _ change: inout Patch<Value>
  ) throws {
    if form == .update { change = try patch(name) } else { value = try optional(name) }
  }

  mutating func merged<Value: FieldValue>(
    _ name: StaticString, _ value: inout [String: Value]?, _ change: inout [String: Value?]?
  ) throws {
    if form == .update { change = try optional(name) } else { value = try optional(name) }
  }
}

extension WireWriter: FieldVisitor {
  typealias Failure = any Error

  mutating func identifier(_ name: StaticString, _ value: inout String) throws {
    if !isUpdate { try write(name, value) }
  }

  mutating func assigned<Value: FieldValue>(_ name: StaticString, _ value: inout Value?) throws {
    if !isUpdate { try writeIfPresent(name, value) }
  }

  mutating func required<Value: FieldValue>(
    _ name: StaticString, _ value: inout Value, _ change: inout Value?
  ) throws {
    if isUpdate { try writeIfPresent(name, change) } else { try write(name, value) }
  }

  mutating func clearable<Value: FieldValue>(
    _ name: StaticString, _ value: inout Value?, _ change: inout Patch<Value>
  ) throws {
    if isUpdate { try write(name, change) } else { try writeIfPresent(name, value) }
  }

  mutating func merged<Value: FieldValue>(
    _ name: StaticString, _ value: inout [String: Value]?, _ change: inout [String: Value?]?
  ) throws {
    if isUpdate { try writeIfPresent(name, change) } else { try writeIfPresent(name, value) }
  }
}

// MARK: - Comparing and applying

/// Visitor that creates a change with the value of every field.
struct ChangeSetter: FieldVisitor {
  typealias Failure = Never

  mutating func required<Value: FieldValue>(_: StaticString, _ value: inout Value, _ change: inout Value?) {
    change = value
  }

  mutating func clearable<Value: FieldValue>(_: StaticString, _ value: inout Value?, _ change: inout Patch<Value>) {
    change = Patch(setting: value)
  }

  mutating func merged<Value: FieldValue>(
    _: StaticString, _ value: inout [String: Value]?, _ change: inout [String: Value?]?
  ) {
    change = value?.mapValues(Optional.some)
  }
}

/// Visitor that removes unchanged fields from a change, and adds the removal of each key that the new value lacks.
struct ChangeReducer: FieldVisitor {
  typealias Failure = Never

  mutating func required<Value: FieldValue>(_: StaticString, _ old: inout Value, _ change: inout Value?) {
    if change == old { change = nil }
  }

  mutating func clearable<Value: FieldValue>(_: StaticString, _ old: inout Value?, _ change: inout Patch<Value>) {
    if change.value == old { change = .absent }
  }

  mutating func merged<Value: FieldValue>(
    _: StaticString, _ old: inout [String: Value]?, _ change: inout [String: Value?]?
  ) {
    var changes = change ?? [:]
    for (key, value) in old ?? [:] {
      if let new = changes[key] {
        if new == value { changes[key] = nil }
      } else {
        changes[key] = .some(nil)
      }
    }
    change = changes.isEmpty ? nil : changes
  }
}

struct ChangeApplier: FieldVisitor {
  typealias Failure = Never

  mutating func required<Value: FieldValue>(_: StaticString, _ value: inout Value, _ change: inout Value?) {
    if let change { value = change }
  }

  mutating func clearable<Value: FieldValue>(_: StaticString, _ value: inout Value?, _ change: inout Patch<Value>) {
    change.apply(to: &value)
  }

  mutating func merged<Value: FieldValue>(
    _: StaticString, _ value: inout [String: Value]?, _ change: inout [String: Value?]?
  ) {
    guard let change else { return }
    var values = value ?? [:]
    for (key, new) in change { values[key] = new }
    value = values
  }
}
