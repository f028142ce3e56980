import TrendyModels

extension SyncedKind {
  /// Validates members and converts them to fields, like `validatedFields(from:isCreate:isByField:)`.
  func fields(
    from members: [String: JSONValue], isCreate: Bool, isByField: Bool = false
  ) throws(Problem) -> [String: JSONValue] {
    do {
      // Devices check the size when they record a value. Concurrent edits may together exceed it and are still applied.
      if !isByField { try Self.checkSize(of: members) }
      return try validatedFields(from: members, isCreate: isCreate, isByField: isByField)
    } catch {
      throw .invalid(error.description)
    }
  }
}
