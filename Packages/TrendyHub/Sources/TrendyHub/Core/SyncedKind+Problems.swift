import TrendyModels

extension SyncedKind {
  /// Validates members and converts them to fields, like `validatedFields(from:isCreate:isByField:)`.
  func fields(
    from members: [String: JSONValue], isCreate: Bool, isByField: Bool = false
  ) throws(Problem) -> [String: JSONValue] {
    do {
      // Do not check edits by field. Devices check the size when they record a value, and concurrent edits that
      // together exceed it are still applied.
      if !isByField { try Self.checkSize(of: members) }
      return try validatedFields(from: members, isCreate: isCreate, isByField: isByField)
    } catch {
      throw .invalid(error.description)
    }
  }
}
