import TrendyFoundation
import TrendyModels

/// Receiver that samples seconds of a traveller's day and adds its own errors.
struct SimulatedReceiver {
  private let world: SimulatedDay.World
  private let recorder: SimulatedDay.Recorder
  private var random: SeededGenerator
  /// Sampling interval in seconds.
  private let interval: Int
  /// Standard deviation in metres and correlation time in seconds of the slowly changing error.
  private let spread: Double
  private let memory: Double
  /// Standard deviation in metres of the independent error of each fix.
  private let white: Double
  private let hasAccuracy: Bool
  private let seesIndoors: Bool
  /// Seconds without movement before the receiver sleeps.
  private let sleepsAfter: Int
  /// Distance in metres that wakes up a sleeping receiver.
  private let wakesAfter: Double
  /// Sampling interval in seconds while asleep.
  private let pulse: Int

  private var drift = (north: 0.0, east: 0.0)
  private var jump = (north: 0.0, east: 0.0)
  private var jumpEnd = 0
  /// Offsets in metres of false WiFi positions, such as those of access points that have been moved.
  private var spots: [(north: Double, east: Double)] = []

  init(seed: UInt64, world: SimulatedDay.World, recorder: SimulatedDay.Recorder) {
    self.world = world
    self.recorder = recorder
    var random = SeededGenerator(seed: seed ^ 0x5EED_0F_4EC3_17E5)
    switch recorder {
    case .phone: interval = Int(random.number(in: 10...45))
    case .logger: interval = random.pick([1, 2, 3, 5])
    case .tracker: interval = random.pick([15, 20, 30, 60])
    }
    spread = world == .parked ? random.number(in: 3...20) : random.number(in: 2...8)
    memory = random.number(in: 20...120)
    white = random.number(in: 0.5...3)
    let tellsAccuracy = random.happens(0.5)
    hasAccuracy = recorder != .logger || tellsAccuracy
    let hearsIndoors = random.happens(0.5)
    seesIndoors = recorder == .phone || world == .indoors || hearsIndoors
    sleepsAfter = recorder == .phone ? Int(random.number(in: 120...280)) : 120
    wakesAfter = recorder == .phone ? random.number(in: 100...250) : 30
    pulse = random.pick([900, 1800, 3600, 100_000])
    for _ in 0..<4 {
      let far = random.number(in: 100...800)
      let part = random.number(in: -1...1)
      spots.append((far * part, far * (1 - part * part).squareRoot() * (random.happens(0.5) ? 1 : -1)))
    }
    self.random = random
  }

  mutating func fixes(of user: SimulatedTraveller) -> [Location] {
    var fixes: [Location] = []
    var next = 0
    var movedAt = 0
    var slept: Coordinate?
    for (second, moment) in user.moments.enumerated() {
      if moment.isMoving { movedAt = second }
      var isWaking = false
      if recorder != .logger, world != .indoors, world != .parked {
        if let place = slept {
          isWaking = moment.isMoving && Self.metres(place, moment.place) >= wakesAfter
          if isWaking { slept = nil }
        } else if second - movedAt >= sleepsAfter {
          slept = moment.place
          next = second + pulse
        }
      }
      guard isWaking || second >= next else { continue }
      guard moment.sky == .open || moment.sky == .roof && seesIndoors else {
        // Try again in the next second.
        next = second + 1
        continue
      }
      next = second + (slept == nil ? interval : pulse)
      fixes.append(fix(of: moment, second: second, isWaking: isWaking))
    }
    return fixes
  }

  private mutating func fix(of moment: SimulatedTraveller.Moment, second: Int, isWaking: Bool) -> Location {
    let usesWiFi = moment.sky == .roof && recorder == .phone
    let scale = moment.sky == .roof ? 2.0 : 1
    let keep = max(0, 1 - Double(interval) / memory)
    let fresh = (1 - keep * keep).squareRoot() * spread
    drift.north = keep * drift.north + fresh * random.normal()
    drift.east = keep * drift.east + fresh * random.normal()
    jumps(second, usesWiFi: usesWiFi)
    var north = scale * (drift.north + white * random.normal()) + jump.north
    var east = scale * (drift.east + white * random.normal()) + jump.east
    var accuracy = max(4, (scale * spread * random.number(in: 0.8...2)).rounded())
    if usesWiFi { accuracy = random.pick([30, 40, 65]) }
    // A phone that wakes up uses cell towers first.
    if isWaking, recorder == .phone, random.happens(0.5) {
      north += 40 * random.normal()
      east += 40 * random.normal()
      accuracy = 100
    }
    return Location(
      coordinate: SimulatedTraveller.moved(moment.place, north: north, east: east),
      horizontalAccuracy: hasAccuracy ? accuracy : -1,
      timestamp: SimulatedTraveller.start.addingTimeInterval(Double(second)))
  }

  private mutating func jumps(_ second: Int, usesWiFi: Bool) {
    if second >= jumpEnd { jump = (0, 0) }
    if world == .indoors, usesWiFi || recorder != .phone, second >= jumpEnd, random.happens(0.02) {
      jump = random.pick(spots)
      jumpEnd = second + Int(random.number(in: 30...500))
    } else if world == .canyon, !usesWiFi, second >= jumpEnd, random.happens(Double(interval) / 400) {
      let far = random.number(in: 200...800)
      let part = random.number(in: -1...1)
      jump = (far * part, far * (1 - part * part).squareRoot())
      jumpEnd = second + Int(random.number(in: 5...30))
    }
  }

  private static func metres(_ place: Coordinate, _ other: Coordinate) -> Double {
    let (north, east) = SimulatedTraveller.offset(from: place, to: other)
    return (north * north + east * east).squareRoot()
  }
}
