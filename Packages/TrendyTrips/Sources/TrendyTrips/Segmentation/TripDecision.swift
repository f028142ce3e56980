public import TrendyFoundation

/// One decision about a trip: when, by which rule, with which figures. ``words`` says it to a person.
public struct TripDecision: Hashable, Sendable, Codable {
  /// What decided.
  public enum Rule: String, Hashable, Sendable, Codable, CaseIterable {
    /// At rest: the fixes got away, and the motion sensor said that nobody moves.
    case heldByMotion = "held_by_motion"
    /// A fix that could be reached at no possible speed, and the next was back.
    case passedOver = "passed_over"
    /// A fix without accuracy that jumped to the mast of a radio cell, or back to an access point seen before.
    case cell
    /// Fixes between others that are much more precise, and that they are far from.
    case outweighed
    /// The place of rest was left, and the way went on.
    case departed
    /// Went round near the place of rest: from step to step much in one direction, as no receiver errs.
    case rounds
    /// The place of rest was left more slowly than at a stroll: from step to step much in one direction, as no receiver errs.
    case slowly
    /// Nothing was heard at the place of rest for a while, and then on the way.
    case woke
    /// Last seen at the place of rest, then far away, faster than by foot.
    case carried
    /// Seen at a place that no way led to; the trip begins there.
    case appeared
    /// Stood still for a while that does not end a trip: a light, a level crossing, a pump.
    case shortStop = "short_stop"
    /// A silence, and what lies at its ends shows that the way went on in it.
    case bridged
    /// A silence of a recorder that writes each few seconds, and so had no reception: the way went on.
    case unheard
    /// The receiver was displaced for a moment, at rest or on the way, and nobody went there.
    case displaced
    /// A trip although it looks like a receiver's noise: the receiver measured that it moved.
    case measured
    /// The fixes scatter, each on its own, so that the way was measured between means of them, less what their error adds.
    case scattered
    /// The fixes are far apart, and the bends between them were estimated and added to the way.
    case sparse
    /// A stop at a skip place, which does not end a trip.
    case paused
    /// Left the skip place.
    case resumed
    /// Stood still long enough.
    case stopped
    /// Nothing was heard for long, and what was heard next does not show that the way went on.
    case silence
    /// The way broke off at a place that no way leads from.
    case leapt
    /// The recording was over.
    case recordingEnded = "recording_ended"
    /// Not a trip: back where it began at once.
    case back
    /// Not a trip: the way is too short.
    case short
    /// Not a trip: never far enough from where it began.
    case near
    /// Not a trip: over too soon.
    case brief
    /// Not a trip: where it began for most of the time.
    case homebound
    /// Not a trip: to and fro within the receiver's noise.
    case zigzag
    /// Not a trip: large hops between a few places at which the receiver stood still, of one that is thrown about: it came back, or was displaced as well.
    case thrown
    /// Not a trip: it stood still, and a moment later it stood still elsewhere, sooner than anybody gets there.
    case atOnce = "at_once"
    /// Not a trip: as slow as a drifting receiver, and going nowhere.
    case aimless
  }

  /// The moment that the decision is about: the first fix of the stop, not the one that made it certain.
  public var time: Date
  public var rule: Rule
  /// How long what decided lasted.
  public var seconds: TimeInterval?
  /// How far it was.
  public var meters: Double?
  /// What seconds or metres were held against, in the unit of the rule.
  public var limit: Double?

  public init(
    _ rule: Rule, at time: Date, seconds: TimeInterval? = nil, meters: Double? = nil, limit: Double? = nil
  ) {
    self.time = time
    self.rule = rule
    self.seconds = seconds
    self.meters = meters
    self.limit = limit
  }

  /// Whether it says that what was begun is no trip.
  public var isRefusal: Bool {
    switch rule {
    case .back, .short, .near, .brief, .homebound, .zigzag, .thrown, .atOnce, .aimless: true
    default: false
    }
  }
}

extension TripDecision {
  /// Whether it says that fixes told of a place at which the receiver was not.
  var isOfDisplacement: Bool { rule == .passedOver || rule == .displaced }
}

extension TripDecision: CustomStringConvertible {
  public var description: String { words }

  /// The decision as a sentence without its time.
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
    // To two digits behind the point without a formatter, which would bring all of Foundation along.
    return "\((metres / 10).rounded() / 100) km"
  }

  private static func span(_ seconds: TimeInterval?) -> String {
    guard let seconds else { return "some time" }
    if seconds < 600 { return "\(Int(seconds.rounded())) s" }
    let minutes = Int((seconds / 60).rounded())
    return minutes < 120 ? "\(minutes) min" : "\(minutes / 60) h \(minutes % 60) min"
  }
}

/// The decisions about one trip, the oldest first; of very many the less telling ones are left out.
struct DecisionLog: Hashable, Sendable, Codable {
  private(set) var all: [TripDecision] = []

  mutating func add(_ decision: TripDecision) {
    if decision.rule == .outweighed, let last = all.last, last.rule == .outweighed {
      // Of many in a row the farthest tells enough.
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

  /// Forgets what is older than the date.
  mutating func forget(before date: Date) {
    if let first = all.first, first.time < date { all.removeAll { $0.time < date } }
  }

  private static let limit = 256
}
