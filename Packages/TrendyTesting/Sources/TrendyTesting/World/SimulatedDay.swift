public import TrendyFoundation
public import TrendyModels

/// A day of a person as a receiver recorded it, with the trips that were really made.
///
/// ```swift
/// let day = SimulatedDay(seed: 7, world: .railway, recorder: .phone)
/// let found = TripDetector.trips(in: day.fixes)  // to be held against day.trips
/// ```
/// The truth is known by construction: the person is moved second by second, and the receiver sees some of these seconds with
/// its own errors. Equal arguments give equal days, on every machine whose `sin` and `cos` agree.
public struct SimulatedDay: Hashable, Sendable {
  /// Where the person lives and how they go about; each is hard on a detector in a way of its own.
  public enum World: String, Hashable, Sendable, Codable, CaseIterable {
    /// Home, work, lunch and shops, by car, bicycle, bus or on foot.
    case town
    /// Trains with stops and changes, and the walks to and from them.
    case railway
    /// Trains of 75 to 92 m/s over 90 to 220 km.
    case fastRail
    /// Roads with tunnels, underground railways, and passages under a square.
    case tunnels
    /// Buses that crawl in traffic and stop often.
    case buses
    /// Streets in which the receiver is displaced by hundreds of metres for seconds.
    case canyon
    /// Eight hours in a building, with fixes from WiFi that jump 100 to 800 m. No trips.
    case indoors
    /// Eight hours in a parked car, with 3 to 20 m of noise. No trips.
    case parked
    /// Walks at 0.25 to 0.6 m/s: with a pram, with a stick, up a steep path.
    case slowWalks
    /// Short winding ways close to home, by bicycle and on foot: shops, a delivery round, a dog's walk, laps of a square.
    case errands
  }

  /// What records: how often, and what it does at rest.
  public enum Recorder: String, Hashable, Sendable, Codable, CaseIterable {
    /// A fix each 10 to 45 s; sleeps at rest, and wakes 100 to 250 m later.
    case phone
    /// A fix each 1 to 5 s as long as it has reception. Half of them have some in buildings, half of them tell no accuracy.
    case logger
    /// A fix each 15 to 60 s; sleeps at rest, and wakes within 30 m.
    case tracker
  }

  /// A part of a trip gone in one way.
  public struct Leg: Hashable, Sendable {
    public var mode: MotionState
    public var startTime: Date
    public var endTime: Date
    /// Metres along the way.
    public var distanceMeters: Double
  }

  /// A trip that was really made.
  public struct Trip: Hashable, Sendable {
    public var startTime: Date
    public var endTime: Date
    /// Metres along the way.
    public var distanceMeters: Double
    /// At least one.
    public var legs: [Leg]
  }

  /// What the receiver gave, in the order of time.
  public internal(set) var fixes: [Location]
  /// In the order of time, at least twelve minutes apart.
  public let trips: [Trip]
  /// What the day was made from, for ``tellingSpeed()``.
  let seed: UInt64
  let world: World
  let recorder: Recorder

  public init(seed: UInt64, world: World, recorder: Recorder) {
    (self.seed, self.world, self.recorder) = (seed, world, recorder)
    var person = SimulatedTraveller(seed: seed, world: world, recorder: recorder)
    person.live()
    trips = person.trips
    var receiver = SimulatedReceiver(seed: seed, world: world, recorder: recorder)
    fixes = receiver.fixes(of: person)
  }
}
