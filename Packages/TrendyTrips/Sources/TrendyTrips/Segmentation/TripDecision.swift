public import TrendyFoundation

/// Decision of the trip detector: its time, the rule that applied, and the figures behind it. ``words`` describes it
/// for the user.
public struct TripDecision: Hashable, Sendable, Codable {
  /// Rule that led to a decision.
  public enum Rule: String, Hashable, Sendable, Codable, CaseIterable {
    /// No departure: the fixes have left the stay point, but the motion sensor reports no movement.
    case heldByMotion = "held_by_motion"
    /// Outlier: a fix that is unreachable at any plausible speed, followed by a fix near the previous position.
    case passedOver = "passed_over"
    /// Outlier: a fix without accuracy at the position of a cell tower, or of an access point seen before.
    case cell
    /// Outliers: inaccurate fixes far from more accurate neighbours.
    case outweighed
    /// Departure: the fixes left the stay point, and the movement continued.
    case departed
    /// Departure with laps near the stay point, detected by their directional persistence.
    case rounds
    /// Departure below walking speed, detected by its directional persistence.
    case slowly
    /// Departure from the stay point during a gap.
    case woke
    /// Departure from the stay point to a distant fix, faster than walking.
    case carried
    /// Departure and arrival during a gap between two stationary positions.
    case unseen
    /// Start at a position that the user reached by an unknown route.
    case appeared
    /// Stop too short to end the trip, for example at a traffic light.
    case shortStop = "short_stop"
    /// Gap during which the trip continued, according to the fixes before and after the gap.
    case bridged
    /// Gap in the fixes of a receiver with a short sampling interval, due to a loss of reception. The trip continued.
    case unheard
    /// Short displacement of the receiver without movement of the user.
    case displaced
    /// A trip that resembles noise, except for its measured ground speeds.
    case measured
    /// The path length was corrected for position noise.
    case scattered
    /// The path length was corrected for bends between sparse fixes.
    case sparse
    /// Stop at a skip place. Pauses the trip.
    case paused
    /// Departure from a skip place.
    case resumed
    /// Arrival: the stop was long enough to end the trip.
    case stopped
    /// End: a long gap, with no evidence that the trip continued.
    case silence
    /// End: the user reached the position of the next fixes by an unknown route.
    case leapt
    /// End: the recording ended.
    case recordingEnded = "recording_ended"
    /// Not a trip: the user returned to the start immediately.
    case back
    /// Not a trip: the path is too short.
    case short
    /// Not a trip: the user was never far enough from the start.
    case near
    /// Not a trip: the duration is too short.
    case brief
    /// Not a trip: the user was at the start most of the time.
    case homebound
    /// Not a trip: the fixes move back and forth within the position noise.
    case zigzag
    /// Not a trip: the position of a stationary receiver jumped, and the receiver returned or was displaced.
    case thrown
    /// Not a trip: the whole distance between two stationary positions was covered implausibly fast.
    case atOnce = "at_once"
    /// Not a trip: the path is slow and has no direction, like noise.
    case aimless
  }

  /// Time to which the decision refers. For a stop, the time of its first fix, not of the fix that made the stop long
  /// enough.
  public var time: Date
  /// Rule that applied.
  public var rule: Rule
  /// Duration in seconds, if the rule has one.
  public var seconds: TimeInterval?
  /// Distance in metres, if the rule has one.
  public var meters: Double?
  /// Threshold that the rule applied, in seconds or metres depending on the rule.
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

  /// Whether the decision rejects a trip that had been started.
  public var isRefusal: Bool {
    switch rule {
    case .back, .short, .near, .brief, .homebound, .zigzag, .thrown, .atOnce, .aimless: true
    default: false
    }
  }
}

extension TripDecision {
  /// Whether the decision ignores displaced fixes.
  var isOfDisplacement: Bool { rule == .passedOver || rule == .displaced }
}

extension TripDecision: CustomStringConvertible {
  /// Same as ``words``.
  public var description: String { words }

  /// Description in English without the time and without a full stop.
  public var words: String {
    let metres = Self.length(meters)
    let time = Self.span(seconds)
    return switch rule {
    case .heldByMotion:
      "Not departed: \(metres) from the stay point, but the motion sensor reports no movement (overruled beyond "
        + "\(Self.length(limit)))"
    case .passedOver: "Ignored an outlier \(metres) away, not reachable in \(time)"
    case .cell:
      "Ignored an outlier \(metres) away (no accuracy given; probably a cell-tower position)"
    case .outweighed:
      "Ignored fixes up to \(metres) away, less accurate than their neighbours (\(Self.length(limit)))"
    case .departed: "Departed: \(metres) from the stay point after \(time) (threshold \(Self.length(limit)))"
    case .rounds: "Departed on laps: \(metres) in \(time), \(Self.length(limit)) from the stay point"
    case .slowly: "Departed slowly: \(metres) from the stay point after \(time) (threshold \(Self.length(limit)))"
    case .woke: "Departed: first fix after a gap of \(time), \(metres) from the stay point; start estimated"
    case .carried: "Departed: \(metres) away after \(time), too fast for walking; start estimated"
    case .unseen: "Travelled \(metres) during a gap of \(time): start and end times are bounds"
    case .appeared: "Started \(metres) from the last position, with no recorded path in between"
    case .shortStop: "Short stop of \(time) (\(Self.span(limit)) would end the trip)"
    case .bridged: "Gap of \(time): the trip continued \(metres) away"
    case .unheard: "Gap of \(time) without reception: the trip continued (usually a fix every \(Self.span(limit)))"
    case .displaced: "Ignored a displacement of \(metres) for \(time)"
    case .measured: "Accepted: the receiver measured 2 m/s or more over \(metres) of \(Self.length(limit))"
    case .scattered: "Length corrected for position noise of about \(metres) per fix"
    case .sparse: "Length corrected for bends: \(metres) added to \(Self.length(limit)), with a fix every \(time)"
    case .paused: "Paused at a skip place"
    case .resumed: "Resumed after \(time) at the skip place"
    case .stopped: "Arrived: within \(metres) for \(time) (a stop of \(Self.span(limit)) ends a trip)"
    case .silence: "Ended at the last fix: no fixes for \(time)"
    case .leapt: "Ended at the last fix: the next one is \(metres) away, not reachable in \(time)"
    case .recordingEnded: "Ended with the recording"
    case .back: "Not a trip: back at the start after \(time)"
    case .short: "Not a trip: only \(metres) long (minimum \(Self.length(limit)))"
    case .near: "Not a trip: never more than \(metres) from the start, like position noise"
    case .brief: "Not a trip: only \(time) long (minimum \(Self.span(limit)))"
    case .homebound: "Not a trip: away from the start for only \(time), less than half of its duration"
    case .zigzag: "Not a trip: \(metres) of position noise without net movement"
    case .thrown: "Not a trip: \(metres) of \(Self.length(limit)) are position jumps, probably from WiFi"
    case .atOnce: "Not a trip: all \(metres) within \(time), between two stationary positions"
    case .aimless: "Not a trip: as slow as position noise, never more than \(metres) from the start"
    }
  }

  private static func length(_ metres: Double?) -> String {
    guard let metres else { return "an unknown distance" }
    if metres < 1000 { return "\(Int(metres.rounded())) m" }
    // Two decimals without a formatter, which would require all of Foundation.
    return "\((metres / 10).rounded() / 100) km"
  }

  private static func span(_ seconds: TimeInterval?) -> String {
    guard let seconds else { return "an unknown time" }
    if seconds < 600 { return "\(Int(seconds.rounded())) s" }
    let minutes = Int((seconds / 60).rounded())
    return minutes < 120 ? "\(minutes) min" : "\(minutes / 60) h \(minutes % 60) min"
  }
}

/// Decisions about one trip, oldest first. If there are too many, less important decisions are removed.
struct DecisionLog: Hashable, Sendable, Codable {
  private(set) var all: [TripDecision] = []

  mutating func add(_ decision: TripDecision) {
    if decision.rule == .outweighed, let last = all.last, last.rule == .outweighed {
      // Keep only the farthest of consecutive outliers.
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

  mutating func forget(before date: Date) {
    if let first = all.first, first.time < date { all.removeAll { $0.time < date } }
  }

  private static let limit = 256
}
