public import TrendyFoundation
public import TrendyModels

/// Detects entries to places and exits from them.
///
/// A crossing is reported after the dwell time, ``Configuration/dwellSeconds``: a second fix that much later confirms
/// the first, with no fix between that contradicts it. An exit takes longer if the fixes stay just outside. The time of
/// a crossing is that of its first fix. An entry requires a fix within the radius, an exit one beyond radius, margin
/// and accuracy, so that noise at the edge causes no crossings. A path of a trip that crosses the place between two
/// fixes is an entry and an exit. Fixes must be in chronological order; older and repeated ones are ignored.
public struct GeofenceMonitor: Hashable, Sendable, Codable {
  /// Thresholds for crossings.
  public struct Configuration: Hashable, Sendable, Codable {
    /// Dwell time in seconds.
    public var dwellSeconds: TimeInterval = 30
    /// Minimum distance in metres beyond the radius for an exit.
    public var minimumExitMargin = 30.0
    /// The same as a fraction of the radius; the larger value applies.
    public var exitMarginFraction = 0.2
    /// Dwell time in seconds for an exit if the fixes stay just outside, as with reflections.
    public var standingExitSeconds: TimeInterval = 120
    /// Distance in metres beyond radius and margin that counts as just outside.
    public var standingExitDistance = 100.0
    /// Maximum accuracy in metres, inclusive, of fixes to consider.
    public var maximumAccuracy = 1000.0
    /// Time in seconds after which an entry is reported without a further fix, because a stationary phone may record
    /// none.
    public var silentEntrySeconds: TimeInterval = 300
    /// Minimum time in seconds inside of the place for a path between two fixes to count.
    public var minimumPassingSeconds: TimeInterval = 3
    /// Maximum speed of such a path in m/s; faster ones are errors of the receiver.
    public var maximumPassingSpeed = 70.0
    /// Maximum time in seconds between the two fixes, for the straight segment to be plausible.
    public var maximumPassingGap: TimeInterval = 120
    /// Maximum time in seconds from the second fix to the confirmation of the trip.
    public var passingConfirmationSeconds: TimeInterval = 300

    /// Creates the default thresholds.
    public init() {}
  }

  /// Crossing with its first fix, whose time is the time of the crossing.
  public enum Effect: Hashable, Sendable {
    case entered(geofenceId: String, location: Location)
    case exited(geofenceId: String, location: Location)
  }

  /// Thresholds of this monitor.
  public let configuration: Configuration
  /// Places sorted by id, which is the order of the effects of a fix.
  private var fences: [Fence] = []
  private var lastFix: Date?
  /// Last fix that was accurate enough to consider.
  private var lastUsed: Location?

  /// Creates a monitor for the active places among these.
  public init(geofences: [Geofence] = [], configuration: Configuration = Configuration()) {
    self.configuration = configuration
    update(geofences)
  }

  /// Replaces the places.
  ///
  /// A place that moved or has a new radius keeps its state until a fix contradicts it. A place that was deleted or
  /// deactivated is removed without an exit.
  public mutating func update(_ geofences: [Geofence]) {
    let old = Dictionary(fences.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    fences = geofences.filter { $0.isActive && $0.coordinate.isValid && $0.radius > 0 }
      .sorted { $0.id < $1.id }
      .map { geofence in
        let existing = old[geofence.id]
        if let existing, existing.center == geofence.coordinate, existing.radius == geofence.radius { return existing }
        return Fence(
          id: geofence.id, center: geofence.coordinate, radius: geofence.radius, side: existing?.side ?? .unknown)
      }
  }

  /// Copy without the places whose state ``update(_:)`` recreates: those the user is certainly not in, without a
  /// contradicting fix. After an update with the same places it behaves identically.
  var withoutIdlePlaces: GeofenceMonitor {
    var monitor = self
    monitor.fences = fences.filter { !$0.isIdle }
    return monitor
  }

  /// Ids of the places that contain the user, sorted.
  public var inside: [String] { fences.filter { $0.side == .inside }.map(\.id) }

  /// Processes the next fix.
  /// - Parameters:
  ///   - location: the fix; ignored if it is not later than the previous one.
  ///   - tripStart: start of the current trip, or `nil`. Paths between two fixes count only during a trip.
  public mutating func onLocation(_ location: Location, onTripSince tripStart: Date? = nil) -> [Effect] {
    guard let fix = location.checked, fix.timestamp > lastFix ?? .distantPast else { return [] }
    lastFix = fix.timestamp
    guard fix.horizontalAccuracy <= configuration.maximumAccuracy else { return [] }
    let configuration = configuration
    let last = lastUsed
    lastUsed = fix
    let metres = last.map { Geodesic.distanceMeters(from: $0.coordinate, to: fix.coordinate) } ?? 0
    return each { fence in
      // A crossing between the last two fixes is earlier than an entry at this one.
      let start = fence.isThrownBack(by: fix) ? nil : last
      var crossings = fence.confirmPassing(fix, onTripSince: tripStart, configuration)
      if let start { fence.notePassing(from: start, to: fix, metres: metres, configuration) }
      if let crossing = fence.take(fix, configuration) { crossings.append(crossing) }
      return crossings
    }
  }

  /// Reports that time has passed without a fix.
  public mutating func onTick(at date: Date) -> [Effect] {
    let configuration = configuration
    return each { $0.settle(at: date, configuration).map { [$0] } ?? [] }
  }

  /// Detects the crossings in a recording, whose fixes may be in any order.
  public static func crossings(
    in fixes: some Sequence<Location>, geofences: [Geofence], configuration: Configuration = Configuration()
  ) -> [Effect] {
    var monitor = GeofenceMonitor(geofences: geofences, configuration: configuration)
    return fixes.enumerated().sorted { ($0.element.timestamp, $0.offset) < ($1.element.timestamp, $1.offset) }
      .flatMap { monitor.onLocation($0.element) }
  }

  private mutating func each(_ step: (inout Fence) -> [Crossing]) -> [Effect] {
    var effects: [Effect] = []
    for index in fences.indices {
      let id = fences[index].id
      for crossing in step(&fences[index]) {
        effects.append(
          crossing.side == .inside
            ? .entered(geofenceId: id, location: crossing.fix) : .exited(geofenceId: id, location: crossing.fix))
      }
    }
    return effects
  }

  /// Evaluates a fix against each place, sorted by id, without processing it.
  public func readings(of location: Location) -> [GeofenceEvaluation] {
    guard let fix = location.checked else { return [] }
    return fences.map { fence in
      let meters = Geodesic.distanceMeters(from: fence.center, to: fix.coordinate)
      let seen = fence.side(seenBy: fix, configuration)
      let isUncertain =
        fix.horizontalAccuracy > configuration.maximumAccuracy || seen == nil && fix.horizontalAccuracy >= fence.radius
      let containment: GeofenceEvaluation.Containment =
        if isUncertain { .nothing } else if seen == .inside { .inside } else if seen == .outside {
          .outside
        } else { .margin }
      return GeofenceEvaluation(
        geofenceId: fence.id, meters: meters, containment: containment, isInside: fence.side == .inside,
        pendingSince: fence.run?.first.timestamp)
    }
  }
}

extension GeofenceMonitor {
  private enum Side: String, Hashable, Codable {
    case unknown
    case inside
    case outside
  }

  private typealias Crossing = (side: Side, fix: Location)

  private struct Fence: Hashable, Codable {
    let id: String
    let center: Coordinate
    let radius: Double
    var side: Side
    /// Fixes that contradict `side`, if no fix since supports it.
    var run: Run?
    /// Path through the place, until later fixes show that it is not an outlier.
    var passing: Passing?

    /// Defined so that larger places are monotonic: a larger place has more fixes inside and fewer outside, and is
    /// entered no later and left no earlier.
    struct Run: Hashable, Codable {
      let first: Location
      /// Minimum distance from the centre in metres.
      var nearest: Double
      /// Best accuracy in metres.
      var accuracy: Double
      /// Number of consecutive inconclusive fixes.
      var silent = 0

      /// Maximum number of consecutive inconclusive fixes.
      static let mostSilent = 5
    }

    struct Passing: Hashable, Codable {
      var entry: Location
      var exit: Location
      /// Fixes before and after the place.
      var from: Location
      var to: Location
    }

    var isIdle: Bool { side != .inside && run == nil && passing == nil }

    init(id: String, center: Coordinate, radius: Double, side: Side) {
      self.id = id
      self.center = center
      self.radius = radius
      self.side = side
    }

    /// - Returns: the confirmed crossing with its first fix, if any.
    mutating func take(_ fix: Location, _ configuration: Configuration) -> Crossing? {
      guard let seen = side(seenBy: fix, configuration) else {
        run?.silent += 1
        if let silent = run?.silent, silent > Run.mostSilent { run = nil }
        return nil
      }
      guard seen != side else {
        run = nil
        return nil
      }
      if side == .unknown, seen == .outside {
        // Being outside a place initially is not an event.
        side = .outside
        run = nil
        return nil
      }
      let meters = Geodesic.distanceMeters(from: center, to: fix.coordinate)
      var run = run ?? Run(first: fix, nearest: meters, accuracy: fix.horizontalAccuracy)
      run.nearest = min(run.nearest, meters)
      run.accuracy = min(run.accuracy, fix.horizontalAccuracy)
      run.silent = 0
      self.run = run
      let seconds = fix.timestamp.timeIntervalSince(run.first.timestamp)
      guard seconds >= configuration.dwellSeconds else { return nil }
      if seen == .outside, seconds < configuration.standingExitSeconds {
        // Clearly outside, or moving away.
        let goesOn =
          meters > radius + margin(configuration) + configuration.standingExitDistance
          || meters - run.nearest >= max(25, fix.horizontalAccuracy)
        guard goesOn else { return nil }
      }
      side = seen
      self.run = nil
      return (seen, run.first)
    }

    /// Whether a fix returned to the start of the path, so that the end of the path was an outlier.
    func isThrownBack(by fix: Location) -> Bool {
      guard let way = passing else { return false }
      return Geodesic.distanceMeters(from: way.from.coordinate, to: fix.coordinate)
        <= Geodesic.distanceMeters(from: way.to.coordinate, to: fix.coordinate)
    }

    /// - Returns: entry and exit of a path through the place, once the trip and later fixes confirm it.
    mutating func confirmPassing(
      _ fix: Location, onTripSince tripStart: Date?, _ configuration: Configuration
    ) -> [Crossing] {
      guard let way = passing else { return [] }
      let seconds = fix.timestamp.timeIntervalSince(way.to.timestamp)
      guard !isThrownBack(by: fix), side != .inside, seconds <= configuration.passingConfirmationSeconds else {
        passing = nil
        return []
      }
      guard seconds >= configuration.dwellSeconds, let tripStart, tripStart <= way.from.timestamp else { return [] }
      passing = nil
      return [(.inside, way.entry), (.outside, way.exit)]
    }

    /// Notes the straight segment between two fixes outside, if it crosses the place.
    mutating func notePassing(from: Location, to: Location, metres: Double, _ configuration: Configuration) {
      guard side != .inside, run == nil, passing == nil,
        !Geodesic.isCertainlyBeyond(metres + radius, from: center, to: from.coordinate)
      else { return }
      let seconds = to.timestamp.timeIntervalSince(from.timestamp)
      guard seconds <= configuration.maximumPassingGap, metres <= configuration.maximumPassingSpeed * seconds,
        max(from.horizontalAccuracy, to.horizontalAccuracy) < radius,
        side(seenBy: from, configuration) == .outside, side(seenBy: to, configuration) == .outside
      else { return }
      let line = GreatCircleSegment(from: from.coordinate, to: to.coordinate)
      func distance(_ part: Double) -> Double { Geodesic.distanceMeters(from: center, to: line.place(at: part)) }
      let nearest = Self.least(of: distance)
      guard distance(nearest) < radius else { return }
      let entry = Self.edge(from: nearest, to: 0) { distance($0) <= radius }
      let exit = Self.edge(from: nearest, to: 1) { distance($0) <= radius }
      guard (exit - entry) * seconds >= configuration.minimumPassingSeconds else { return }
      func fix(at part: Double) -> Location {
        // Timestamps have a resolution of one millisecond.
        let time = from.timestamp.timeIntervalSinceReferenceDate + seconds * part
        return Location(
          coordinate: line.place(at: part),
          horizontalAccuracy: max(from.horizontalAccuracy, to.horizontalAccuracy),
          timestamp: Date(timeIntervalSinceReferenceDate: (time * 1000).rounded() / 1000))
      }
      passing = Passing(entry: fix(at: entry), exit: fix(at: exit), from: from, to: to)
    }

    /// Minimum of a unimodal function on 0...1, by ternary search.
    private static func least(of value: (Double) -> Double) -> Double {
      var (low, high) = (0.0, 1.0)
      for _ in 0..<40 {
        let third = (high - low) / 3
        if value(low + third) <= value(high - third) { high -= third } else { low += third }
      }
      return (low + high) / 2
    }

    /// Last argument between `from` and `to` for which the condition holds, given that it holds at `from`.
    private static func edge(from: Double, to: Double, _ holds: (Double) -> Bool) -> Double {
      var (inner, outer) = (from, to)
      for _ in 0..<40 {
        let middle = (inner + outer) / 2
        if holds(middle) { inner = middle } else { outer = middle }
      }
      return inner
    }

    private func margin(_ configuration: Configuration) -> Double {
      max(configuration.minimumExitMargin, configuration.exitMarginFraction * radius)
    }

    mutating func settle(at date: Date, _ configuration: Configuration) -> Crossing? {
      // An exit always needs two fixes, because stationary phones record outliers, too.
      guard side != .inside, let run, run.accuracy < radius,
        date.timeIntervalSince(run.first.timestamp) >= configuration.silentEntrySeconds
      else { return nil }
      side = .inside
      self.run = nil
      return (.inside, run.first)
    }

    /// Side that a fix proves; `nil` within the margin and for inaccurate fixes.
    func side(seenBy fix: Location, _ configuration: Configuration) -> Side? {
      // Unknown accuracy counts as exact, for devices that report none.
      let accuracy = max(0, fix.horizontalAccuracy)
      let outer = radius + margin(configuration) + accuracy
      if Geodesic.isCertainlyBeyond(outer, from: center, to: fix.coordinate) { return .outside }
      let distance = Geodesic.distanceMeters(from: center, to: fix.coordinate)
      if distance > outer { return .outside }
      // The less accurate a fix, the closer to the centre it must be. One with twice the radius proves nothing.
      return accuracy < 2 * radius && distance <= radius - max(0, accuracy - radius) ? .inside : nil
    }
  }
}
