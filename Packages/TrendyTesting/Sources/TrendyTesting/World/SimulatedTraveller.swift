import TrendyFoundation
import TrendyModels

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// Position of a traveller at each second of a day, with the satellite reception there.
struct SimulatedTraveller {
  /// Satellite reception.
  enum Sky: UInt8 {
    case open
    case roof
    case none
  }

  struct Moment {
    var place: Coordinate
    var sky: Sky
    var isMoving: Bool
  }

  /// Time of the first position, 2024-01-01T06:00:00Z. There is one position per second.
  static let start = Date(timeIntervalSince1970: 1_704_088_800)

  private let world: SimulatedDay.World
  private let recorder: SimulatedDay.Recorder
  var random: SeededGenerator
  private(set) var moments: [Moment] = []
  private(set) var trips: [SimulatedDay.Trip] = []
  private(set) var place: Coordinate
  let home: Coordinate
  private var legs: [SimulatedDay.Leg] = []
  private var sky = Sky.open

  init(seed: UInt64, world: SimulatedDay.World, recorder: SimulatedDay.Recorder) {
    self.world = world
    self.recorder = recorder
    random = SeededGenerator(seed: seed)
    home = Coordinate(latitude: random.number(in: -45...60), longitude: random.number(in: -170...170))
    place = home
  }

  mutating func live() {
    switch world {
    case .indoors: stay(8 * 3600, under: .roof)
    case .parked: stay(8 * 3600, under: .open)
    case .town, .canyon: liveInTown()
    case .railway, .fastRail: commute { $0.goByTrain(to: $1) }
    case .tunnels: commute { $0.goBelow(to: $1) }
    case .buses: commute { $0.goByBus(to: $1) }
    case .slowWalks: liveSlowly()
    case .errands: runErrands()
    }
  }
}

// MARK: Days
extension SimulatedTraveller {
  private mutating func liveInTown() {
    let work = around(home, metres: 3000...14_000)
    let shop = around(home, metres: 600...3000)
    let lunch = around(work, metres: 300...900)
    let gait: Gait = random.pick([.car, .car, .bicycle])
    stay(random.number(in: 1800...7200), under: .roof)
    trip { $0.drive(gait, to: work) }
    stay(random.number(in: 7200...14_400), under: .roof)
    if random.happens(0.5) {
      trip { $0.go(.walk, to: lunch) }
      stay(random.number(in: 1500...2700), under: .roof)
      trip { $0.go(.walk, to: work) }
      stay(random.number(in: 7200...10_800), under: .roof)
    }
    trip { $0.drive(gait, to: shop) }
    stay(random.number(in: 720...2400), under: .roof)
    trip { $0.drive(gait, to: $0.home) }
    stay(random.number(in: 3600...7200), under: .roof)
    if random.happens(0.4) {
      let corner = around(home, metres: 600...1000)
      let other = around(corner, metres: 400...600)
      trip {
        for place in [corner, other, $0.home] { $0.go(.walk, to: place) }
      }
      stay(random.number(in: 1800...3600), under: .roof)
    }
  }

  /// Commutes to work and back, with a walk at noon.
  private mutating func commute(_ ride: (inout Self, Coordinate) -> Void) {
    let reach: ClosedRange<Double> =
      switch world {
      case .fastRail: 90_000...220_000
      case .railway: 15_000...60_000
      case .tunnels: 6000...20_000
      default: 4000...12_000
      }
    let work = around(home, metres: reach)
    let lunch = around(work, metres: 300...900)
    stay(random.number(in: 1800...7200), under: .roof)
    trip { ride(&$0, work) }
    stay(random.number(in: 7200...10_800), under: .roof)
    trip { $0.go(.walk, to: lunch) }
    stay(random.number(in: 1500...2700), under: .roof)
    trip { $0.go(.walk, to: work) }
    stay(random.number(in: 7200...10_800), under: .roof)
    let home = home
    trip { ride(&$0, home) }
    stay(random.number(in: 3600...7200), under: .roof)
  }

  /// Drives by car or bicycle, sometimes with a stop for fuel or to drop off a passenger.
  private mutating func drive(_ gait: Gait, to target: Coordinate) {
    if random.happens(0.3) {
      go(gait, to: between(target, random.number(in: 0.3...0.7)))
      stay(random.number(in: 90...220), under: .open)
    }
    go(gait, to: target)
  }

  private mutating func goByTrain(to target: Coordinate) {
    let train: Gait = world == .fastRail ? .fastTrain(random.number(in: 75...92)) : .train
    let first = around(place, metres: 300...900)
    let last = around(target, metres: 300...800)
    go(.walk, to: first)
    stay(random.number(in: 60...270), under: .open)
    if random.happens(0.5) {
      let change = between(last, random.number(in: 0.6...0.9))
      go(train, to: change)
      go(.walk, to: around(place, metres: 50...140))
      stay(random.number(in: 60...200), under: .open)
    }
    go(train, to: last)
    go(.walk, to: target)
  }

  private mutating func goBelow(to target: Coordinate) {
    switch random.number(in: 0...(recorder == .logger ? 3 : 2)) {
    case ..<1: go(.tunnelledCar, to: target)
    case ..<2:
      go(.walk, to: around(place, metres: 200...600))
      let last = around(target, metres: 200...600)
      sky = .none
      stay(random.number(in: 60...240), under: .none)
      go(.underground, to: last)
      sky = .open
      go(.walk, to: target)
    default:
      go(.walk, to: around(place, metres: 400...900))
      let entry = place
      sky = .none
      for _ in 0..<Int(random.number(in: 3...6)) { go(.walk, to: around(entry, metres: 50...90)) }
      go(.walk, to: around(entry, metres: 20...60))
      sky = .open
      go(.car, to: target)
    }
  }

  private mutating func goByBus(to target: Coordinate) {
    go(.walk, to: around(place, metres: 150...500))
    stay(random.number(in: 60...270), under: .open)
    let last = around(target, metres: 150...500)
    if random.happens(0.4) {
      go(.bus, to: between(last, random.number(in: 0.3...0.7)))
      go(.walk, to: around(place, metres: 30...120))
      stay(random.number(in: 60...200), under: .open)
    }
    go(.bus, to: last)
    go(.walk, to: target)
  }

  mutating func trip(_ way: (inout Self) -> Void) {
    legs = []
    way(&self)
    guard let first = legs.first, let last = legs.last else { return }
    trips.append(
      SimulatedDay.Trip(
        startTime: first.startTime, endTime: last.endTime,
        distanceMeters: legs.reduce(0) { $0 + $1.distanceMeters }, legs: joined(legs)))
  }

  /// Joins rides of the same mode with a short walk between them into one leg.
  private func joined(_ legs: [SimulatedDay.Leg]) -> [SimulatedDay.Leg] {
    var row: [SimulatedDay.Leg] = []
    for leg in legs {
      row.append(leg)
      if row.count >= 3, row[row.count - 3].mode == leg.mode, leg.mode == .automotive,
        leg.startTime.timeIntervalSince(row[row.count - 3].endTime) <= 420
      {
        join(&row, from: row.count - 3)
      } else if row.count >= 2, row[row.count - 2].mode == leg.mode {
        join(&row, from: row.count - 2)
      }
    }
    return row
  }

  private func join(_ row: inout [SimulatedDay.Leg], from first: Int) {
    row[first].endTime = row[row.count - 1].endTime
    row[first].distanceMeters = row[first...].reduce(0) { $0 + $1.distanceMeters }
    row.removeLast(row.count - first - 1)
  }
}

// MARK: Movement
extension SimulatedTraveller {
  /// Kind of movement. Lengths in metres, times in seconds, speeds in m/s.
  struct Gait {
    var mode: MotionState
    var speed: ClosedRange<Double>
    /// Speed in bends.
    var bendSpeed: Double
    /// Length of a straight section.
    var straight: ClosedRange<Double>
    /// Maximum deviation from the direct heading to either side, in radians.
    var bend: Double
    /// Probability of a stop at the end of a straight section, and its duration.
    var stops: Double
    var stop: ClosedRange<Double>
    /// Probabilities of a straight section without reception and of a straight section in slow traffic.
    var tunnels = 0.0
    var crawls = 0.0

    static let walk = Gait(
      mode: .walking, speed: 1.1...1.6, bendSpeed: 1.2, straight: 40...160, bend: 0.9, stops: 0.1, stop: 5...40)
    static let bicycle = Gait(
      mode: .cycling, speed: 3.8...5.8, bendSpeed: 3, straight: 80...400, bend: 0.8, stops: 0.12, stop: 5...40)
    static let car = Gait(
      mode: .automotive, speed: 9...16, bendSpeed: 5, straight: 100...600, bend: 0.8, stops: 0.2, stop: 5...75)
    static let tunnelledCar = Gait(
      mode: .automotive, speed: 12...26, bendSpeed: 10, straight: 300...2500, bend: 0.6, stops: 0.1, stop: 5...60,
      tunnels: 0.3)
    static let bus = Gait(
      mode: .automotive, speed: 6...13, bendSpeed: 4, straight: 120...500, bend: 0.7, stops: 0.6, stop: 8...55,
      crawls: 0.2)
    static let train = Gait(
      mode: .automotive, speed: 25...42, bendSpeed: 25, straight: 800...3000, bend: 0.35, stops: 0.25, stop: 30...110)
    static let underground = Gait(
      mode: .automotive, speed: 12...20, bendSpeed: 10, straight: 400...1200, bend: 0.4, stops: 0.7, stop: 20...45)
    static func fastTrain(_ speed: Double) -> Gait {
      Gait(
        mode: .automotive, speed: (speed - 3)...(speed + 1), bendSpeed: speed - 5, straight: 3000...9000, bend: 0.15,
        stops: 0.03, stop: 90...200)
    }
  }

  mutating func stay(_ seconds: Double, under sky: Sky) {
    for _ in 0..<Int(seconds) { moments.append(Moment(place: place, sky: sky, isMoving: false)) }
  }

  mutating func go(_ gait: Gait, to target: Coordinate) {
    let begin = now
    var metres = 0.0
    var speed = 0.0
    let usual = random.number(in: gait.speed)
    while true {
      let (north, east) = Self.offset(from: place, to: target)
      let left = (north * north + east * east).squareRoot()
      guard left > 0.5 else { break }
      var length = random.number(in: gait.straight)
      let isLast = length * 1.3 >= left
      let turn = isLast ? 0 : random.number(in: -gait.bend...gait.bend)
      if isLast { length = left }
      let stops = isLast || random.happens(gait.stops)
      let before = sky
      if random.happens(gait.tunnels) { sky = .none }
      let most = random.happens(gait.crawls) ? 2.2 : usual * random.number(in: 0.85...1.1)
      run(
        length, heading: atan2(east, north) + turn, most: most, last: stops ? 0 : min(gait.bendSpeed, usual),
        least: min(0.7, gait.speed.lowerBound), speed: &speed)
      metres += length
      sky = before
      if isLast { break }
      if stops { stay(random.number(in: gait.stop), under: sky) }
    }
    place = target
    legs.append(SimulatedDay.Leg(mode: gait.mode, startTime: begin, endTime: now, distanceMeters: metres))
  }

  /// Moves along a straight section, accelerating and braking at 1 m/s².
  private mutating func run(
    _ length: Double, heading: Double, most: Double, last: Double, least: Double, speed: inout Double
  ) {
    let from = place
    let (north, east) = (cos(heading), sin(heading))
    var gone = 0.0
    while gone < length {
      let brake = (last * last + 2 * (length - gone)).squareRoot()
      speed = max(least, min(speed + 1, most, brake))
      gone = min(length, gone + speed)
      place = Self.moved(from, north: north * gone, east: east * gone)
      moments.append(Moment(place: place, sky: sky, isMoving: true))
    }
  }

  private var now: Date { Self.start.addingTimeInterval(Double(moments.count)) }

  mutating func around(_ center: Coordinate, metres: ClosedRange<Double>) -> Coordinate {
    let heading = random.number(in: 0...(2 * .pi))
    let away = random.number(in: metres)
    return Self.moved(center, north: away * cos(heading), east: away * sin(heading))
  }

  private func between(_ target: Coordinate, _ part: Double) -> Coordinate {
    let (north, east) = Self.offset(from: place, to: target)
    return Self.moved(place, north: north * part, east: east * part)
  }

  /// Returns the metres per radian to the north and to the east, from the two radii of curvature of WGS 84.
  private static func radii(_ latitude: Double) -> (north: Double, east: Double) {
    let sine = sin(latitude * .pi / 180)
    let scale = 1 - 0.006_694_379_990_14 * sine * sine
    let across = 6_378_137 / scale.squareRoot()
    return (across * (1 - 0.006_694_379_990_14) / scale, across * (1 - sine * sine).squareRoot())
  }

  static func moved(_ place: Coordinate, north: Double, east: Double) -> Coordinate {
    let radians = Double.pi / 180
    var end = place
    end.latitude += north / radii(place.latitude).north / radians
    // Uses the mean latitude, so that the way back has the same length.
    end.longitude += east / radii((place.latitude + end.latitude) / 2).east / radians
    return end
  }

  static func offset(from place: Coordinate, to end: Coordinate) -> (north: Double, east: Double) {
    let radii = radii((place.latitude + end.latitude) / 2)
    let radians = Double.pi / 180
    return (
      (end.latitude - place.latitude) * radians * radii.north,
      (end.longitude - place.longitude) * radians * radii.east
    )
  }
}

extension SeededGenerator {
  mutating func number(in range: ClosedRange<Double>) -> Double {
    range.lowerBound + (range.upperBound - range.lowerBound) * Double(next() >> 11) / 9_007_199_254_740_992
  }

  mutating func happens(_ random: Double) -> Bool { number(in: 0...1) < random }

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int(next() % UInt64(elements.count))]
  }

  /// Returns an approximately normal number with standard deviation 1: the sum of twelve uniform numbers (Irwin–Hall).
  mutating func normal() -> Double {
    var sum = -6.0
    for _ in 0..<12 { sum += number(in: 0...1) }
    return sum
  }
}
