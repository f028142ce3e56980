public import TrendyFoundation
import TrendyModels

/// Evaluation of one fix against one place, which explains why a crossing was reported or not.
public struct GeofenceEvaluation: Hashable, Sendable {
  /// Position of the fix relative to the place.
  public enum Containment: String, Hashable, Sendable, CaseIterable {
    /// Unknown: the fix is too inaccurate for the size of the place.
    case nothing
    case inside
    /// Outside of the radius, but not far enough for an exit.
    case margin
    case outside
  }

  /// Id of the place.
  public var geofenceId: String
  /// Distance from the centre of the place in metres.
  public var meters: Double
  /// Position of the fix.
  public var containment: Containment
  /// Whether the user was in the place before the fix.
  public var isInside: Bool
  /// Time since which the fixes contradict `isInside`, while the dwell time has not passed.
  public var pendingSince: Date?

  /// Creates an evaluation.
  public init(geofenceId: String, meters: Double, containment: Containment, isInside: Bool, pendingSince: Date?) {
    self.geofenceId = geofenceId
    self.meters = meters
    self.containment = containment
    self.isInside = isInside
    self.pendingSince = pendingSince
  }

  /// Description without the distance.
  public var words: String {
    switch (says, isInside) {
    case (.nothing, _): "too uncertain for a place of this size: says nothing"
    case (.inside, true): "inside, as before"
    case (.inside, false):
      pendingSince == nil ? "inside: has to stand for a while" : "inside still: is believed once it has stood"
    case (.margin, true): "beyond the radius, within the margin: not left yet"
    case (.margin, false): "in the margin: not come in"
    case (.outside, true):
      pendingSince == nil ? "outside: has to stand for a while" : "outside still: is believed once it has stood"
    case (.outside, false): "outside, as before"
    }
  }
}
