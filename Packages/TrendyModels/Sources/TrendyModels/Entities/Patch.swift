/// What an update does to a field that may be cleared: leaves it, clears it, or sets it (RFC 7396).
///
/// On the wire an absent member, a `null` and a value are three different things, and stay so.
public enum Patch<Value> {
  case absent
  case null
  case value(Value)
}

extension Patch: Sendable where Value: Sendable {}
extension Patch: Equatable where Value: Equatable {}
extension Patch: Hashable where Value: Hashable {}

extension Patch {
  public var isAbsent: Bool { if case .absent = self { true } else { false } }

  /// The new value, if one is set.
  public var value: Value? { if case .value(let value) = self { value } else { nil } }

  /// Sets `nil` as null, anything else as a value: for a field that did change.
  public init(setting value: Value?) {
    self = value.map(Patch.value) ?? .null
  }

  /// Carries the change out on a field.
  public func apply(to field: inout Value?) {
    switch self {
    case .absent: break
    case .null: field = nil
    case .value(let value): field = value
    }
  }
}

extension Patch where Value: Equatable {
  /// What turns `old` into `new`: absent where they are equal.
  public init(from old: Value?, to new: Value?) {
    self = old == new ? .absent : Patch(setting: new)
  }
}
