public import TrendyModels

/// Why something could not be recorded. Nothing was changed.
public enum RecorderError: Error, Hashable, Sendable, CustomStringConvertible {
  /// No such entity is held here: it was never recorded, or it was deleted.
  case notHeld(MutationEntityType, id: String)
  /// It was deleted here, and the hub has not said yet what became of that.
  case deletionUnderWay(MutationEntityType, id: String)
  /// What it hangs on is deleted.
  case parentDeleted(MutationEntityType, id: String, eventTypeId: String)
  /// Nothing of this id waits for a decision.
  case noSuchConflict(String)
  /// Both values of the conflict were written by other devices.
  case notOurs(String)
  /// It lives.
  case notDeleted(MutationEntityType, id: String)
  /// The kind has a Swift type of its own, and is recorded as that.
  case hasItsOwnType(MutationEntityType)
  /// A payload speaks of another entity than its mutation.
  case otherEntity(MutationEntityType, id: String, payloadId: String)
  /// A time that is not a number, or beyond the years 0 to 9999, which no other device could be told of.
  case unwritableTime(MutationEntityType, id: String)
  /// A value is beyond a limit that every hub applies.
  case invalidValue(MutationEntityType, FieldError)

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
