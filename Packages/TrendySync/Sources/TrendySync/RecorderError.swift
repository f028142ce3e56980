public import TrendyModels

/// Why something could not be recorded. Nothing was changed.
public enum RecorderError: Error, Hashable, Sendable, CustomStringConvertible {
  /// No such entity is held here: it was never recorded, or it was deleted.
  case notHeld(MutationEntityType, id: String)
  /// The kind has a Swift type of its own, and is recorded as that.
  case hasItsOwnType(MutationEntityType)
  /// A payload speaks of another entity than its mutation.
  case otherEntity(MutationEntityType, id: String, payloadId: String)

  public var description: String {
    switch self {
    case .notHeld(let kind, let id):
      "No \(kind.words) \(id) is held here: it was never recorded on this device, or it was deleted. Nothing was changed."
    case .hasItsOwnType(let kind):
      "A record cannot be of the kind \(kind.rawValue), which has a type of its own. Nothing was changed."
    case .otherEntity(let kind, let id, let payloadId):
      "The change is for the \(kind.words) \(id), but its data is of \(payloadId). Nothing was changed: give both one id."
    }
  }
}

extension MutationEntityType {
  /// As a person reads it.
  var words: String {
    switch self {
    case .event: "event"
    case .eventType: "event type"
    case .geofence: "place"
    case .propertyDefinition: "property"
    case .vehicle: "vehicle"
    case .tripRule: "trip rule"
    case .setting: "setting"
    case .skip: "skip"
    case .conflict: "conflict"
    }
  }
}
