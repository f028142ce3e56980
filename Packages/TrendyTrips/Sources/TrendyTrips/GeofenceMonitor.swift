#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import TrendyModels

/// Decides when a person came into a place and when they left it, fix by fix.
///
/// A crossing counts when it has stood for ``Configuration/dwellSeconds``: one fix saw it, and another one that much
/// later agrees, with none between that does not; where the fixes stand still just outside, it takes longer to believe
/// that the person left. Its time is that of the fix that saw it first. Coming in needs a fix
/// inside the radius; leaving needs one beyond radius, margin and the fix's own uncertainty, so that who stands on the
/// edge is not thrown to and fro. Fixes come in the order of their time; older and doubled ones are passed over.
public struct GeofenceMonitor: Hashable, Sendable, Codable {
  public struct Configuration: Hashable, Sendable, Codable {
    /// Seconds for which a crossing must stand.
    public var dwellSeconds: TimeInterval = 30
    /// Metres beyond the radius that leaving needs, at least.
    public var minimumExitMargin = 30.0
    /// The same as a part of the radius; the larger of the two counts.
    public var exitMarginFraction = 0.2
    /// Seconds for which leaving must stand where the fixes only stand still just outside, as a reflection does.
    public var standingExitSeconds: TimeInterval = 120
    /// Metres beyond radius and margin that count as just outside.
    public var standingExitDistance = 100.0
    /// Metres, inclusive: a fix less certain than this says nothing about any place.
    public var maximumAccuracy = 1000.0
    /// Seconds after which coming in is believed although no further fix came: a phone that lies still may give none.
    public var silentEntrySeconds: TimeInterval = 300

    public init() {}
  }

  /// A crossing, with the fix that saw it first; its time is the crossing's.
  public enum Effect: Hashable, Sendable {
    case entered(geofenceId: String, location: Location)
    case exited(geofenceId: String, location: Location)
  }

  public let configuration: Configuration
  /// In the order of their ids, which is the order of effects of one fix.
  private var fences: [Fence] = []
  private var lastFix: Date?

  /// Watches the active ones of these places.
  public init(geofences: [Geofence] = [], configuration: Configuration = Configuration()) {
    self.configuration = configuration
    update(geofences)
  }

  /// Takes the places as they are now.
  ///
  /// One that moved or changed its radius keeps whether the person is in it until a fix says otherwise. One that is gone
  /// or no longer active is forgotten without an exit: nobody left it.
  public mutating func update(_ geofences: [Geofence]) {
    let old = Dictionary(fences.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    fences = geofences.filter { $0.isActive && $0.coordinate.isValid && $0.radius > 0 }
      .sorted { $0.id < $1.id }
      .map { geofence in
        let known = old[geofence.id]
        if let known, known.center == geofence.coordinate, known.radius == geofence.radius { return known }
        return Fence(
          id: geofence.id, center: geofence.coordinate, radius: geofence.radius, side: known?.side ?? .unknown)
      }
  }

  /// The ids of the places the person is in, sorted.
  public var inside: [String] { fences.filter { $0.side == .inside }.map(\.id) }

  public mutating func onLocation(_ location: Location) -> [Effect] {
    guard let fix = location.checked, fix.timestamp > lastFix ?? .distantPast else { return [] }
    lastFix = fix.timestamp
    guard fix.horizontalAccuracy <= configuration.maximumAccuracy else { return [] }
    let configuration = configuration
    return each { $0.take(fix, configuration) }
  }

  /// Tells that time has passed without a fix.
  public mutating func onTick(at date: Date) -> [Effect] {
    let configuration = configuration
    return each { $0.settle(at: date, configuration) }
  }

  /// The crossings in a recording, whatever order its fixes are in.
  public static func crossings(
    in fixes: some Sequence<Location>, geofences: [Geofence], configuration: Configuration = Configuration()
  ) -> [Effect] {
    var monitor = GeofenceMonitor(geofences: geofences, configuration: configuration)
    return fixes.enumerated().sorted { ($0.element.timestamp, $0.offset) < ($1.element.timestamp, $1.offset) }
      .flatMap { monitor.onLocation($0.element) }
  }

  private mutating func each(_ step: (inout Fence) -> (side: Side, fix: Location)?) -> [Effect] {
    var effects: [Effect] = []
    for index in fences.indices {
      guard let crossing = step(&fences[index]) else { continue }
      let id = fences[index].id
      effects.append(
        crossing.side == .inside
          ? .entered(geofenceId: id, location: crossing.fix) : .exited(geofenceId: id, location: crossing.fix))
    }
    return effects
  }
}

extension GeofenceMonitor {
  private enum Side: String, Hashable, Codable {
    case unknown
    case inside
    case outside
  }

  private struct Fence: Hashable, Codable {
    let id: String
    let center: Coordinate
    let radius: Double
    var side: Side
    /// The first of the fixes that see the other side, while they all do.
    var candidate: Location?

    init(id: String, center: Coordinate, radius: Double, side: Side) {
      self.id = id
      self.center = center
      self.radius = radius
      self.side = side
    }

    /// - Returns: the crossing that is certain now, with the fix that saw it first.
    mutating func take(_ fix: Location, _ configuration: Configuration) -> (side: Side, fix: Location)? {
      guard let seen = side(seenBy: fix, configuration) else { return nil }
      guard seen != side else {
        candidate = nil
        return nil
      }
      if side == .unknown, seen == .outside {
        // Not to be in a place is nothing that happened.
        side = .outside
        candidate = nil
        return nil
      }
      guard let first = candidate else {
        candidate = fix
        return nil
      }
      let seconds = fix.timestamp.timeIntervalSince(first.timestamp)
      guard seconds >= configuration.dwellSeconds else { return nil }
      if seen == .outside, seconds < configuration.standingExitSeconds, !goesOn(fix, from: first, configuration) {
        return nil
      }
      side = seen
      candidate = nil
      return (seen, first)
    }

    /// Whether the fix is far outside, or farther than the first one was.
    private func goesOn(_ fix: Location, from first: Location, _ configuration: Configuration) -> Bool {
      let now = Geodesic.distanceMeters(from: center, to: fix.coordinate)
      let then = Geodesic.distanceMeters(from: center, to: first.coordinate)
      return now > radius + margin(configuration) + configuration.standingExitDistance
        || now - then >= max(25, fix.horizontalAccuracy)
    }

    private func margin(_ configuration: Configuration) -> Double {
      max(configuration.minimumExitMargin, configuration.exitMarginFraction * radius)
    }

    mutating func settle(at date: Date, _ configuration: Configuration) -> (side: Side, fix: Location)? {
      // Leaving is never taken from one fix alone: outliers come from a phone that lies still, too.
      guard side != .inside, let first = candidate, first.horizontalAccuracy < radius,
        date.timeIntervalSince(first.timestamp) >= configuration.silentEntrySeconds
      else { return nil }
      side = .inside
      candidate = nil
      return (.inside, first)
    }

    /// `nil` when the fix is too uncertain to say anything. In the margin one is where one was.
    private func side(seenBy fix: Location, _ configuration: Configuration) -> Side? {
      // Unknown is taken for certain: a device that gives no accuracy is believed.
      let accuracy = max(0, fix.horizontalAccuracy)
      guard accuracy < 2 * radius else { return nil }
      let distance = Geodesic.distanceMeters(from: center, to: fix.coordinate)
      if distance > radius + margin(configuration) + accuracy { return .outside }
      // A circle of uncertainty wider than the place must lie the more in its middle.
      if distance <= radius - max(0, accuracy - radius) { return .inside }
      return side
    }
  }
}
