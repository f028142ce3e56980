public import TrendyFoundation
import TrendyModels

/// Evaluation of one fix against one place. Explains why a crossing was reported or not.
public struct GeofenceEvaluation: Hashable, Sendable {
  /// Position of the fix relative to the place.
  public enum Containment: String, Hashable, Sendable, CaseIterable {
    /// The fix is too inaccurate for the size of the place.
    case nothing
    case inside
    /// Outside the radius, but not far enough to confirm an exit.
    case margin
    case outside
  }

  /// Id of the place.
  public var geofenceId: String
  /// Distance from the centre of the place in metres.
  public var meters: Double
  /// Position of the fix relative to the place.
  public var containment: Containment
  /// Whether the user was in the place before this fix.
  public var isInside: Bool
  /// Time of the first fix that contradicts ``isInside``, or `nil` if no fix does or a crossing has been reported.
  public var pendingSince: Date?

  /// Creates an evaluation.
  public init(geofenceId: String, meters: Double, containment: Containment, isInside: Bool, pendingSince: Date?) {
    self.geofenceId = geofenceId
    self.meters = meters
    self.containment = containment
    self.isInside = isInside
    self.pendingSince = pendingSince
  }

  /// Description in English, without the distance.
  public var words: String {
    switch (containment, isInside) {
    case (.nothing, _): "too inaccurate for a place of this size"
    case (.inside, true): "inside"
    case (.inside, false):
      pendingSince == nil ? "inside: entry after the dwell time" : "inside: dwell time running"
    case (.margin, true): "outside within the margin: no exit yet"
    case (.margin, false): "outside within the margin"
    case (.outside, true):
      pendingSince == nil ? "outside: exit after the dwell time" : "outside: dwell time running"
    case (.outside, false): "outside"
    }
  }
}
