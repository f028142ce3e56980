public import TrendyModels

/// Reason why an edit could not be recorded. The store is unchanged.
public enum RecorderError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The entity is not stored: it was never recorded, or it has been deleted.
  case notHeld(MutationEntityType, id: String)
  /// The hub has not answered the deletion of the entity yet.
  case deletionUnderWay(MutationEntityType, id: String)
  /// The event type of the entity has been deleted.
  case parentDeleted(MutationEntityType, id: String, eventTypeId: String)
  /// No unresolved conflict has this id.
  case noSuchConflict(String)
  /// Both values of the conflict were written by other devices.
  case notOurs(String)
  /// The entity is not deleted.
  case notDeleted(MutationEntityType, id: String)
  /// The kind has its own Swift type, which must be used to record it.
  case hasItsOwnType(MutationEntityType)
  /// The payload contains a different id than the mutation.
  case otherEntity(MutationEntityType, id: String, payloadId: String)
  /// A time is not a number or is outside the years 0 to 9999 and could not be sent to other devices.
  case unwritableTime(MutationEntityType, id: String)
  /// A value exceeds a limit that every hub checks.
  case invalidValue(MutationEntityType, FieldError)

  /// Message for the user: the failure, and what to do.
  public var description: String {
    switch self {
    case .notHeld(let kind, let id):
      "The \(kind.words) \(id) is not on this device: it was deleted or never recorded. Nothing was changed."
    case .deletionUnderWay(let kind, let id):
      "The deletion of the \(kind.words) \(id) is still pending. Nothing was changed: sync first, then restore it."
    case .parentDeleted(let kind, let id, let eventTypeId):
      "The \(kind.words) \(id) belongs to the deleted event type \(eventTypeId). Nothing was changed: restore that type "
        + "first, or choose another."
    case .noSuchConflict(let id):
      "Conflict \(id) not found: it was resolved on this or another device. Nothing was changed."
    case .notOurs(let id):
      "Both values of conflict \(id) were written by other devices. Nothing was changed: 'retry' writes the other value, "
        + "'drop' keeps the current one."
    case .notDeleted(let kind, let id):
      "The \(kind.words) \(id) is not deleted. Nothing was changed."
    case .hasItsOwnType(let kind):
      "The kind \(kind.rawValue) has its own Swift type. Nothing was changed: record it with that type."
    case .otherEntity(let kind, let id, let payloadId):
      "The change to the \(kind.words) \(id) contains the id \(payloadId). Nothing was changed: use the same id in both."
    case .unwritableTime(let kind, let id):
      "A time of the \(kind.words) \(id) is not a number, or is outside the years 0 to 9999. Nothing was changed: correct "
        + "the time."
    case .invalidValue(let kind, let error):
      "Cannot save the \(kind.words): \(error). Nothing was changed: \(error.advice)."
    }
  }
}
