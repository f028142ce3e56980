import TrendyModels

extension SyncedKind {
  /// Validates members and converts them to fields, as `validatedFields(from:isCreate:isByField:)`.
  ///
  /// - Throws: A problem of kind `invalid` that names the field and its limit.
  func fields(
    from members: [String: JSONValue], isCreate: Bool, isByField: Bool = false
  ) throws(Problem) -> [String: JSONValue] {
    do {
      // Devices check the size when they record; the sum of concurrent edits may exceed it and is still applied.
      if !isByField { try Self.checkSize(of: members) }
      return try validatedFields(from: members, isCreate: isCreate, isByField: isByField)
    } catch {
      throw .invalid(error.description)
    }
  }
}
