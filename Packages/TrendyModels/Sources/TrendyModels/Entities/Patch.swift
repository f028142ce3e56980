/// Change to a field that can be cleared: unchanged, cleared, or set (JSON Merge Patch, RFC 7396).
///
/// On the wire, these changes are an absent member, `null` and a value.
public enum Patch<Value> {
  case absent
  case null
  case value(Value)
}

extension Patch: Sendable where Value: Sendable {}
extension Patch: Equatable where Value: Equatable {}
extension Patch: Hashable where Value: Hashable {}

extension Patch {
  /// Whether the field remains unchanged.
  public var isAbsent: Bool { if case .absent = self { true } else { false } }

  /// New value, or `nil` if the field is unchanged or cleared.
  public var value: Value? { if case .value(let value) = self { value } else { nil } }

  /// Creates a change that sets the field to a value, or clears it if the value is `nil`.
  public init(setting value: Value?) {
    self = value.map(Patch.value) ?? .null
  }

  /// Applies the change to a field.
  public func apply(to field: inout Value?) {
    switch self {
    case .absent: break
    case .null: field = nil
    case .value(let value): field = value
    }
  }
}

extension Patch where Value: Equatable {
  /// Creates the change from `old` to `new`, which is absent if the two values are equal.
  public init(from old: Value?, to new: Value?) {
    self = old == new ? .absent : Patch(setting: new)
  }
}
