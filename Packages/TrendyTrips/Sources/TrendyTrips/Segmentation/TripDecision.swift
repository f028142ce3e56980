public import TrendyFoundation

/// Decision of the trip detector with its time, rule and figures. ``words`` describes it for the user.
public struct TripDecision: Hashable, Sendable, Codable {
  /// Rule behind a decision.
  public enum Rule: String, Hashable, Sendable, Codable, CaseIterable {
    /// No departure: the fixes left the stay point, but the motion sensor reports no movement.
    case heldByMotion = "held_by_motion"
    /// Outlier: a fix not reachable at any plausible speed, after which the next fix was back.
    case passedOver = "passed_over"
    /// Outlier: a fix without accuracy that jumped to a cell tower, or to an access point seen before.
    case cell
    /// Outliers: inaccurate fixes far from more accurate neighbours.
    case outweighed
    /// Departure: the stay point was left, and the movement continued.
    case departed
    /// Departure with laps near the stay point, recognised by the directional persistence.
    case rounds
    /// Departure below walking speed, recognised by the directional persistence.
    case slowly
    /// Departure during a gap at the stay point.
    case woke
    /// Departure: from the stay point to a distant fix, faster than walking.
    case carried
    /// Start at a position without a path to it.
    case appeared
    /// Stop too short to end a trip, such as a traffic light.
    case shortStop = "short_stop"
    /// Gap during which the trip continued, according to the fixes at both ends.
    case bridged
    /// Gap of a recorder with a short sampling interval, which therefore had no reception: the trip continued.
    case unheard
    /// Short displacement of the receiver without movement of the user.
    case displaced
    /// A trip that resembles noise but has measured ground speeds.
    case measured
    /// The path length is corrected for position noise.
    case scattered
    /// The path length is corrected for bends between sparse fixes.
    case sparse
    /// Stop at a skip place, which does not end the trip.
    case paused
    /// Departure from the skip place.
    case resumed
    /// Arrival: the stop was long enough.
    case stopped
    /// End: a long gap, after which nothing shows that the trip continued.
    case silence
    /// End: the next fixes are at a position without a path to it.
    case leapt
    /// End of the recording.
    case recordingEnded = "recording_ended"
    /// Not a trip: back at the start immediately.
    case back
    /// Not a trip: too short.
    case short
    /// Not a trip: never far enough from the start.
    case near
    /// Not a trip: too brief.
    case brief
    /// Not a trip: at the start for most of the time.
    case homebound
    /// Not a trip: back and forth within the position noise.
    case zigzag
    /// Not a trip: position jumps between a few stationary positions of a receiver that returned or was displaced.
    case thrown
    /// Not a trip: between two stationary positions, faster than any movement.
    case atOnce = "at_once"
    /// Not a trip: slow and without a direction, like noise.
    case aimless
  }

  /// Time that the decision refers to: of a stop, the first fix, not the one that completed it.
  public var time: Date
  /// Rule that applied.
  public var rule: Rule
  /// Duration in seconds.
  public var seconds: TimeInterval?
  /// Distance in metres.
  public var meters: Double?
  /// Threshold for the duration or the distance, in the unit of the rule.
  public var limit: Double?

  /// Creates a decision.
  public init(
    _ rule: Rule, at time: Date, seconds: TimeInterval? = nil, meters: Double? = nil, limit: Double? = nil
  ) {
    self.time = time
    self.rule = rule
    self.seconds = seconds
    self.meters = meters
    self.limit = limit
  }

  /// Whether the decision rejects a started trip.
  public var isRefusal: Bool {
    switch rule {
    case .back, .short, .near, .brief, .homebound, .zigzag, .thrown, .atOnce, .aimless: true
    default: false
    }
  }
}

extension TripDecision {
  /// Whether the decision ignores fixes at a wrong position.
  var isOfDisplacement: Bool { rule == .passedOver || rule == .displaced }
}

extension TripDecision: CustomStringConvertible {
  /// Same as ``words``.
  public var description: String { words }

  /// The decision as a sentence without time and full stop.
  public var words: String {
    let metres = Self.length(meters)
    let time = Self.span(seconds)
    return switch rule {
    case .heldByMotion:
      "\(metres) from the place of rest, but the motion sensor says that nobody moves; it is believed up to "
        + "\(Self.length(limit)) unless the fixes measured speed"
    case .passedOver: "a fix \(metres) off is passed over: nobody gets there in \(time)"
    case .cell:
      "a fix \(metres) off is passed over: it does not say how accurate it is, and jumps there and away as a phone that asks radio cells"
    case .outweighed:
      "fixes up to \(metres) off are passed over: they are of WiFi or radio cells, between fixes that know the place to \(Self.length(limit))"
    case .departed: "left the place of rest: \(metres) away \(time) later, where \(Self.length(limit)) are a departure"
    case .rounds:
      "on the way in rounds: \(metres) in \(time), and then \(Self.length(limit)) from the place of rest; a receiver's errors "
        + "would turn back from step to step"
    case .slowly:
      "left the place of rest slowly: \(metres) away \(time) later, where \(Self.length(limit)) are a departure; a receiver's errors "
        + "would turn back from step to step"
    case .woke:
      "nothing was heard for \(time), then \(metres) from the place of rest; it did not leave before, and the start is "
        + "reckoned back from the pace it went on with"
    case .carried: "last seen at rest, and \(time) later \(metres) away, which is no pace of somebody on foot"
    case .appeared: "appeared \(metres) away from where it was last seen; the way between is nobody's"
    case .shortStop: "stood for \(time), less than the \(Self.span(limit)) that end a trip"
    case .bridged: "nothing was heard for \(time), and it went on \(metres) away: on the way all along"
    case .unheard:
      "nothing was heard for \(time); a recorder that writes a fix each \(Self.span(limit)) does not sleep at rest but had no "
        + "reception, so the trip went on"
    case .displaced:
      "the receiver was displaced by \(metres) within \(time), which neither begins nor ends a trip and is no part of the way"
    case .measured:
      "a trip, though its way looks like a receiver's noise: the receiver itself measured 2 m/s and more over \(metres) of \(Self.length(limit))"
    case .scattered:
      "its length is estimated: each fix is wrong by about \(metres) on its own, which makes a way too long; it was measured between "
        + "means of fixes, less what their error adds"
    case .sparse:
      "its length is estimated: a fix each \(time) cuts off bends; \(metres) were added to \(Self.length(limit)), as much as the bends at "
        + "the fixes and its speed make likely"
    case .paused: "stopped at a skip place, which pauses a trip and does not end it"
    case .resumed: "went on from the skip place after \(time)"
    case .stopped: "came to rest: within \(metres) for \(time), where \(Self.span(limit)) end a trip"
    case .silence: "ended where it was last seen: nothing was heard for \(time)"
    case .leapt: "ended where it was last seen: the next fixes are \(metres) away, which nobody gets to in \(time)"
    case .recordingEnded: "ended with the recording"
    case .back: "no trip: \(time) after it began it is back where it began"
    case .short: "no trip: \(metres) of way, less than \(Self.length(limit))"
    case .near: "no trip: never more than \(metres) from where it began, which a drifting receiver does too"
    case .brief: "no trip: over after \(time), less than \(Self.span(limit))"
    case .homebound: "no trip: only for \(time) away from where it began, less than half of its time"
    case .zigzag: "no trip: \(metres) of way lead nowhere, as a receiver's noise does"
    case .thrown:
      "no trip: \(metres) of \(Self.length(limit)) are hops between places at which it stood still, as WiFi throws a "
        + "receiver about"
    case .atOnce:
      "no trip: all \(metres) of way lie within \(time), and it stood still before and after; a receiver jumps like that, and a person "
        + "takes longer"
    case .aimless: "no trip: as slow as a drifting receiver and never more than \(metres) from where it began"
    }
  }

  private static func length(_ metres: Double?) -> String {
    guard let metres else { return "some way" }
    if metres < 1000 { return "\(Int(metres.rounded())) m" }
    // Two decimals without a formatter, which would require all of Foundation.
    return "\((metres / 10).rounded() / 100) km"
  }

  private static func span(_ seconds: TimeInterval?) -> String {
    guard let seconds else { return "some time" }
    if seconds < 600 { return "\(Int(seconds.rounded())) s" }
    let minutes = Int((seconds / 60).rounded())
    return minutes < 120 ? "\(minutes) min" : "\(minutes / 60) h \(minutes % 60) min"
  }
}

/// Decisions about one trip, oldest first. Of very many, the less important ones are removed.
struct DecisionLog: Hashable, Sendable, Codable {
  private(set) var all: [TripDecision] = []

  mutating func add(_ decision: TripDecision) {
    if decision.rule == .outweighed, let last = all.last, last.rule == .outweighed {
      // Only the farthest of several consecutive outliers is kept.
      if decision.meters ?? 0 > last.meters ?? 0 {
        (all[all.count - 1].meters, all[all.count - 1].limit) = (decision.meters, decision.limit)
      }
      return
    }
    all.append(decision)
    guard all.count > Self.limit else { return }
    all.remove(
      at: all.firstIndex { [.shortStop, .passedOver, .cell, .outweighed, .displaced].contains($0.rule) } ?? Self.limit
        / 2)
  }

  mutating func add(_ decisions: [TripDecision]) { for decision in decisions { add(decision) } }

  /// Removes decisions older than `date`.
  mutating func forget(before date: Date) {
    if let first = all.first, first.time < date { all.removeAll { $0.time < date } }
  }

  private static let limit = 256
}
