public import TrendyFoundation
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
    /// Whether a way straight through a place between two fixes, none of which lies in it, is coming and leaving: at the
    /// moments at which the straight way crosses the radius.
    public var countsPassing = false
    /// Metres a second; who passes faster is an error of the receiver.
    public var maximumPassingSpeed = 70.0
    /// Seconds between two fixes after which nobody knows by which way one went.
    public var maximumPassingGap: TimeInterval = 600

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

  /// The same without the places of which ``update(_:)`` makes anew all that counts: those the person is certainly not in, and of which
  /// no fix says otherwise. It behaves the same after an update with the places that it had, unless it counts passing.
  var withoutIdlePlaces: GeofenceMonitor {
    var monitor = self
    if !configuration.countsPassing { monitor.fences = fences.filter { !$0.isIdle } }
    return monitor
  }

  /// The ids of the places the person is in, sorted.
  public var inside: [String] { fences.filter { $0.side == .inside }.map(\.id) }

  public mutating func onLocation(_ location: Location) -> [Effect] {
    guard let fix = location.checked, fix.timestamp > lastFix ?? .distantPast else { return [] }
    lastFix = fix.timestamp
    guard fix.horizontalAccuracy <= configuration.maximumAccuracy else { return [] }
    let configuration = configuration
    return each { fence in
      // Before the fix may come in, which is later.
      let passing = configuration.countsPassing ? fence.pass(fix, configuration) : []
      return passing + (fence.take(fix, configuration).map { [$0] } ?? [])
    }
  }

  /// Tells that time has passed without a fix.
  public mutating func onTick(at date: Date) -> [Effect] {
    let configuration = configuration
    return each { $0.settle(at: date, configuration).map { [$0] } ?? [] }
  }

  /// The crossings in a recording, whatever order its fixes are in.
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

  /// What a fix says of each place it is about, before it is taken; in the order of their ids.
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
    /// The fixes that see the other side, while none denies it.
    var run: Run?
    /// The last fix that is certainly outside, while one is outside.
    var outer: Location?
    /// A way through, until the fixes after it show that it was gone and no outlier.
    var passing: Passing?

    /// A place that is larger sees more inside and less outside, never the other way about, and all that is kept of a run is
    /// such that the larger place comes in no later and leaves no sooner.
    struct Run: Hashable, Codable {
      let first: Location
      /// Metres from the middle of the place, the least of the run.
      var nearest: Double
      /// The best of the run.
      var accuracy: Double
      /// Fixes in a row that said nothing since.
      var silent = 0

      /// More in a row, and what comes then is another story.
      static let mostSilent = 5
    }

    struct Passing: Hashable, Codable {
      var entry: Location
      var exit: Location
      /// The fixes before and after the place.
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

    /// - Returns: the crossing that is certain now, with the fix that saw it first.
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
        // Not to be in a place is nothing that happened.
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
        // Far outside, or farther than it was.
        let goesOn =
          meters > radius + margin(configuration) + configuration.standingExitDistance
          || meters - run.nearest >= max(25, fix.horizontalAccuracy)
        guard goesOn else { return nil }
      }
      side = seen
      self.run = nil
      return (seen, run.first)
    }

    /// - Returns: coming in and leaving, once a way straight through is certain.
    mutating func pass(_ fix: Location, _ configuration: Configuration) -> [Crossing] {
      var certain: [Crossing] = []
      if let way = passing {
        if Geodesic.distanceMeters(from: way.from.coordinate, to: fix.coordinate)
          <= Geodesic.distanceMeters(from: way.to.coordinate, to: fix.coordinate)
        {
          // Back where it came from: it was an outlier, and nobody passed.
          passing = nil
          outer = nil
        } else if fix.timestamp.timeIntervalSince(way.to.timestamp) >= configuration.dwellSeconds {
          certain = [(.inside, way.entry), (.outside, way.exit)]
          passing = nil
        }
      }
      guard side == .outside, side(seenBy: fix, configuration) == .outside else {
        outer = nil
        return certain
      }
      if passing == nil, run == nil, let outer { passing = way(from: outer, to: fix, configuration) }
      outer = fix
      return certain
    }

    /// The straight way between two fixes outside, if it leads through the place.
    private func way(from: Location, to: Location, _ configuration: Configuration) -> Passing? {
      let seconds = to.timestamp.timeIntervalSince(from.timestamp)
      let length = Geodesic.distanceMeters(from: from.coordinate, to: to.coordinate)
      guard seconds <= configuration.maximumPassingGap, length <= configuration.maximumPassingSpeed * seconds,
        Geodesic.distanceMeters(from: center, to: from.coordinate) <= length + radius,
        max(from.horizontalAccuracy, to.horizontalAccuracy) < radius
      else { return nil }
      let line = GreatCircleSegment(from: from.coordinate, to: to.coordinate)
      func distance(_ part: Double) -> Double { Geodesic.distanceMeters(from: center, to: line.place(at: part)) }
      let nearest = Self.least(of: distance)
      guard distance(nearest) < radius else { return nil }
      func fix(at part: Double) -> Location {
        Location(
          coordinate: line.place(at: part),
          horizontalAccuracy: max(from.horizontalAccuracy, to.horizontalAccuracy),
          timestamp: from.timestamp.addingTimeInterval(seconds * part))
      }
      return Passing(
        entry: fix(at: Self.edge(from: nearest, to: 0) { distance($0) <= radius }),
        exit: fix(at: Self.edge(from: nearest, to: 1) { distance($0) <= radius }), from: from, to: to)
    }

    /// Where a function of one valley between 0 and 1 is least.
    private static func least(of value: (Double) -> Double) -> Double {
      var (low, high) = (0.0, 1.0)
      for _ in 0..<40 {
        let third = (high - low) / 3
        if value(low + third) <= value(high - third) { high -= third } else { low += third }
      }
      return (low + high) / 2
    }

    /// The last between two places at which something holds that holds at the first of them.
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
      // Leaving is never taken from one fix alone: outliers come from a phone that lies still, too.
      guard side != .inside, let run, run.accuracy < radius,
        date.timeIntervalSince(run.first.timestamp) >= configuration.silentEntrySeconds
      else { return nil }
      side = .inside
      self.run = nil
      return (.inside, run.first)
    }

    /// What a fix is certain of; `nil` for the margin, in which one is where one was, and where it is too uncertain.
    func side(seenBy fix: Location, _ configuration: Configuration) -> Side? {
      // Unknown is taken for certain: a device that gives no accuracy is believed.
      let accuracy = max(0, fix.horizontalAccuracy)
      let outer = radius + margin(configuration) + accuracy
      if Geodesic.isCertainlyBeyond(outer, from: center, to: fix.coordinate) { return .outside }
      let distance = Geodesic.distanceMeters(from: center, to: fix.coordinate)
      if distance > outer { return .outside }
      // A circle of uncertainty wider than the place must lie the more in its middle; one twice as wide is never in it.
      return accuracy < 2 * radius && distance <= radius - max(0, accuracy - radius) ? .inside : nil
    }
  }
}
