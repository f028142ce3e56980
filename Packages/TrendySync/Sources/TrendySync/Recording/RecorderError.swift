public import TrendyModels

/// Reason why an edit could not be recorded. Nothing has changed.
public enum RecorderError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The entity is not stored: it was never recorded, or was deleted.
  case notHeld(MutationEntityType, id: String)
  /// The hub has not answered the deletion of the entity yet.
  case deletionUnderWay(MutationEntityType, id: String)
  /// The event type of the entity is deleted.
  case parentDeleted(MutationEntityType, id: String, eventTypeId: String)
  /// No unresolved conflict has this id.
  case noSuchConflict(String)
  /// Both values of the conflict were written by other devices.
  case notOurs(String)
  /// The entity is not deleted.
  case notDeleted(MutationEntityType, id: String)
  /// The kind has its own Swift type, with which it must be recorded.
  case hasItsOwnType(MutationEntityType)
  /// The payload describes another entity than the mutation.
  case otherEntity(MutationEntityType, id: String, payloadId: String)
  /// A time is not a number or outside the years 0 to 9999, and could not be sent to other devices.
  case unwritableTime(MutationEntityType, id: String)
  /// A value exceeds a limit that every hub checks.
  case invalidValue(MutationEntityType, FieldError)

  /// Message for the user: the failure, and what to do.
  public var description: String {
    switch self {
    case .notHeld(let kind, let id):
      "No \(kind.words) \(id) is held here: it was never recorded on this device, or it was deleted. Nothing was changed."
    case .deletionUnderWay(let kind, let id):
      "The deletion of the \(kind.words) \(id) is on its way to the hub. Nothing was changed: sync, then restore it."
    case .parentDeleted(let kind, let id, let eventTypeId):
      "The \(kind.words) \(id) belongs to the event type \(eventTypeId), which is deleted. Nothing was changed: restore "
        + "that first, or take another type."
    case .noSuchConflict(let id):
      "Nothing named \(id) waits for a decision: it was decided here or on another device. Nothing was changed."
    case .notOurs(let id):
      "Both values of \(id) were written by other devices. Nothing was changed: retry takes the kept one, drop leaves the "
        + "one that is shown."
    case .notDeleted(let kind, let id):
      "The \(kind.words) \(id) is not deleted. Nothing was changed."
    case .hasItsOwnType(let kind):
      "A record cannot be of the kind \(kind.rawValue), which has a type of its own. Nothing was changed."
    case .otherEntity(let kind, let id, let payloadId):
      "The change is for the \(kind.words) \(id), but its data is of \(payloadId). Nothing was changed: give both one id."
    case .unwritableTime(let kind, let id):
      "A time of the \(kind.words) \(id) is not a number, or beyond the years 0 to 9999. Nothing was changed: give it one "
        + "that a calendar has."
    case .invalidValue(let kind, let error):
      "The \(kind.words) cannot be recorded: \(error). Nothing was changed: \(error.advice)."
    }
  }
}
