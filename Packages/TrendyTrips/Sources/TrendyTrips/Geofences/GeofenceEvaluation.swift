public import TrendyFoundation
import TrendyModels

/// What one fix says of one place, and what is known of it: why a crossing was told, or was not.
public struct GeofenceEvaluation: Hashable, Sendable {
  public enum Containment: String, Hashable, Sendable, CaseIterable {
    /// The fix is too uncertain for a place of this size.
    case nothing
    case inside
    /// Beyond the radius, and not so far that one has certainly left.
    case margin
    case outside
  }

  public var geofenceId: String
  /// Metres from the middle of the place.
  public var meters: Double
  public var containment: Containment
  /// Whether one is known to be in it, before the fix.
  public var isInside: Bool
  /// Since when the fixes have said otherwise, and it is waited whether it stands.
  public var pendingSince: Date?

  public init(geofenceId: String, meters: Double, containment: Containment, isInside: Bool, pendingSince: Date?) {
    self.geofenceId = geofenceId
    self.meters = meters
    self.containment = containment
    self.isInside = isInside
    self.pendingSince = pendingSince
  }

  /// What it means, without the distance.
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
