public import TrendyFoundation
public import TrendyModels

/// Detects entries to places and exits from them.
///
/// A crossing is reported after the dwell time, ``Configuration/dwellSeconds``: a second fix at least that much later
/// must confirm the first one, and no fix between the two may contradict the crossing. An exit takes longer if the
/// fixes stay just outside the place. A crossing has the timestamp of its first fix. An entry requires a fix within the
/// radius; an exit requires a fix beyond the sum of radius, margin and accuracy, so that noise at the edge causes no
/// crossings. If the route of a trip crosses the place between two fixes, the monitor reports an entry and an exit.
/// Fixes must be in chronological order. Older and repeated fixes are ignored.
public struct GeofenceMonitor: Hashable, Sendable, Codable {
  /// Thresholds for crossings.
  public struct Configuration: Hashable, Sendable, Codable {
    /// Dwell time in seconds.
    public var dwellSeconds: TimeInterval = 30
    /// Minimum distance in metres beyond the radius for an exit.
    public var minimumExitMargin = 30.0
    /// Minimum distance beyond the radius as a fraction of the radius. The larger of the two distances applies.
    public var exitMarginFraction = 0.2
    /// Dwell time in seconds for an exit if the fixes stay just outside, which may be due to reflections.
    public var standingExitSeconds: TimeInterval = 120
    /// Maximum distance in metres beyond radius and margin that counts as just outside.
    public var standingExitDistance = 100.0
    /// Accuracy in metres above which a fix is ignored.
    public var maximumAccuracy = 1000.0
    /// Time in seconds after which an entry is reported without a second fix, because a stationary phone may not record
    /// one.
    public var silentEntrySeconds: TimeInterval = 300
    /// Minimum time in seconds that a route between two fixes must spend in the place to count as a visit.
    public var minimumPassingSeconds: TimeInterval = 3
    /// Maximum speed in m/s of a route that counts as a visit. Anything faster is a receiver error.
    public var maximumPassingSpeed = 70.0
    /// Maximum time in seconds between two fixes for the route between them to count as a visit.
    public var maximumPassingGap: TimeInterval = 120
    /// Maximum time in seconds from the second of these fixes to the fix that confirms the visit.
    public var passingConfirmationSeconds: TimeInterval = 300

    /// Creates the default thresholds.
    public init() {}
  }

  /// Crossing with its first fix. The timestamp of this fix is the time of the crossing.
  public enum Effect: Hashable, Sendable {
    case entered(geofenceId: String, location: Location)
    case exited(geofenceId: String, location: Location)
  }

  /// Thresholds of this monitor.
  public let configuration: Configuration
  /// Places sorted by id. The effects of a fix are in the same order.
  private var fences: [Fence] = []
  private var lastFix: Date?
  /// Last fix that was accurate enough to be used.
  private var lastUsed: Location?

  /// Creates a monitor for the active places in `geofences`.
  public init(geofences: [Geofence] = [], configuration: Configuration = Configuration()) {
    self.configuration = configuration
    update(geofences)
  }

  /// Replaces the places.
  ///
  /// A place whose position or radius changed keeps its state until a fix contradicts it. A place that was deleted or
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

  /// Copy without the places that ``update(_:)`` would recreate in the same state, because the user is not in them and
  /// no crossing is in progress. After an update with the same places, the copy behaves like the original.
  var withoutIdlePlaces: GeofenceMonitor {
    var monitor = self
    monitor.fences = fences.filter { !$0.isIdle }
    return monitor
  }

  /// Ids of the places that contain the user, sorted.
  public var inside: [String] { fences.filter { $0.side == .inside }.map(\.id) }

  /// Processes the next fix. Ignores a fix that is not later than the previous one.
  ///
  /// `tripStart` is the start of the current trip. Without a trip, routes between two fixes do not count as visits.
  public mutating func onLocation(_ location: Location, onTripSince tripStart: Date? = nil) -> [Effect] {
    guard let fix = location.checked, fix.timestamp > lastFix ?? .distantPast else { return [] }
    lastFix = fix.timestamp
    guard fix.horizontalAccuracy <= configuration.maximumAccuracy else { return [] }
    let configuration = configuration
    let last = lastUsed
    lastUsed = fix
    let metres = last.map { Geodesic.distanceMeters(from: $0.coordinate, to: fix.coordinate) } ?? 0
    return each { fence in
      // Report a visit between the last two fixes before an entry at this fix.
      let start = fence.isThrownBack(by: fix) ? nil : last
      var crossings = fence.confirmPassing(fix, onTripSince: tripStart, configuration)
      if let start { fence.notePassing(from: start, to: fix, metres: metres, configuration) }
      if let crossing = fence.take(fix, configuration) { crossings.append(crossing) }
      return crossings
    }
  }

  /// Processes the passage of time without a fix.
  public mutating func onTick(at date: Date) -> [Effect] {
    let configuration = configuration
    return each { $0.settle(at: date, configuration).map { [$0] } ?? [] }
  }

  /// Detects the crossings in a recording. The fixes may be in any order.
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

  /// Evaluates a fix against each place, sorted by id, without changing the state.
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
    /// Fixes that contradict `side` since the last fix that supports it.
    var run: Run?
    /// Unconfirmed route through the place. Later fixes show whether it is due to an outlier.
    var passing: Passing?

    /// Consecutive fixes that contradict the current side.
    ///
    /// The rules are monotonic in the radius: a larger place has more fixes inside and fewer outside, so it is entered
    /// no later and left no earlier than a smaller place with the same centre.
    struct Run: Hashable, Codable {
      let first: Location
      /// Minimum distance from the centre in metres.
      var nearest: Double
      /// Best accuracy in metres.
      var accuracy: Double
      /// Number of consecutive fixes that support neither side.
      var silent = 0

      /// Maximum of `silent`, after which the run is discarded.
      static let maxSilent = 5
    }

    struct Passing: Hashable, Codable {
      var entry: Location
      var exit: Location
      /// Last fix before the place and first fix after it.
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

    /// Processes a fix that is accurate enough to be used.
    /// - Returns: the crossing that the fix confirms, with the first fix of the crossing, or `nil`.
    mutating func take(_ fix: Location, _ configuration: Configuration) -> Crossing? {
      guard let seen = side(seenBy: fix, configuration) else {
        run?.silent += 1
        if let silent = run?.silent, silent > Run.maxSilent { run = nil }
        return nil
      }
      guard seen != side else {
        run = nil
        return nil
      }
      if side == .unknown, seen == .outside {
        // Being outside a place at the beginning is not an exit.
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
        // The user must be clearly outside, or moving away.
        let goesOn =
          meters > radius + margin(configuration) + configuration.standingExitDistance
          || meters - run.nearest >= max(25, fix.horizontalAccuracy)
        guard goesOn else { return nil }
      }
      side = seen
      self.run = nil
      return (seen, run.first)
    }

    /// Whether a fix is back near the start of the route through the place. If so, the end of the route was an outlier.
    func isThrownBack(by fix: Location) -> Bool {
      guard let way = passing else { return false }
      return Geodesic.distanceMeters(from: way.from.coordinate, to: fix.coordinate)
        <= Geodesic.distanceMeters(from: way.to.coordinate, to: fix.coordinate)
    }

    /// Returns the entry and the exit of a possible visit if a trip and the fixes after the visit confirm it, or an
    /// empty array.
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

    /// Records the straight segment between two fixes outside the place as a possible visit, if it crosses the place.
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

    /// Returns the position of the minimum of a unimodal function on 0...1, by ternary search.
    private static func least(of value: (Double) -> Double) -> Double {
      var (low, high) = (0.0, 1.0)
      for _ in 0..<40 {
        let third = (high - low) / 3
        if value(low + third) <= value(high - third) { high -= third } else { low += third }
      }
      return (low + high) / 2
    }

    /// Returns the last argument between `from` and `to` for which a condition holds, by bisection. The condition must
    /// hold at `from`.
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
      // An exit always requires two fixes, because stationary phones record outliers too.
      guard side != .inside, let run, run.accuracy < radius,
        date.timeIntervalSince(run.first.timestamp) >= configuration.silentEntrySeconds
      else { return nil }
      side = .inside
      self.run = nil
      return (.inside, run.first)
    }

    /// Returns the side on which a fix certainly is, or `nil` if the fix is within the margin or too inaccurate.
    func side(seenBy fix: Location, _ configuration: Configuration) -> Side? {
      // Treat an unknown accuracy as 0 m, because some devices report none.
      let accuracy = max(0, fix.horizontalAccuracy)
      let outer = radius + margin(configuration) + accuracy
      if Geodesic.isCertainlyBeyond(outer, from: center, to: fix.coordinate) { return .outside }
      let distance = Geodesic.distanceMeters(from: center, to: fix.coordinate)
      if distance > outer { return .outside }
      // The less accurate a fix, the closer to the centre it must be. An accuracy of twice the radius proves nothing.
      return accuracy < 2 * radius && distance <= radius - max(0, accuracy - radius) ? .inside : nil
    }
  }
}
