public import TrendyFoundation
public import TrendyModels

/// Day of a traveller as recorded by a receiver, with the true trips.
///
/// ```swift
/// let day = SimulatedDay(seed: 7, world: .railway, recorder: .phone)
/// let found = TripDetector.trips(in: day.fixes)  // compare with day.trips
/// ```
/// The truth is known by construction: the traveller moves second by second, and the receiver samples some of these
/// seconds with its own errors. Equal arguments produce equal days on every machine whose `sin` and `cos` return the
/// same results.
public struct SimulatedDay: Hashable, Sendable {
  /// Surroundings and means of transport. Each world poses a different difficulty for a trip detector.
  public enum World: String, Hashable, Sendable, Codable, CaseIterable {
    /// Home, work, lunch and shops, by car, bicycle, bus or on foot.
    case town
    /// Trains with stops and changes, and walks to and from the stations.
    case railway
    /// Trains of 75 to 92 m/s over 90 to 220 km.
    case fastRail
    /// Roads with tunnels, underground railways, and underpasses.
    case tunnels
    /// Buses in slow traffic with frequent stops.
    case buses
    /// Streets between high buildings, which displace fixes by hundreds of metres for a few seconds.
    case canyon
    /// Eight hours in a building, with WiFi fixes that jump by 100 to 800 m. No trips.
    case indoors
    /// Eight hours in a parked car, with noise of 3 to 20 m. No trips.
    case parked
    /// Walks at 0.25 to 0.6 m/s: with a pram, with a walking stick, on a steep path.
    case slowWalks
    /// Short, winding trips near home by bicycle and on foot: shops, deliveries, walking a dog, laps around a square.
    case errands
  }

  /// Type of receiver: its sampling interval and its behaviour at rest.
  public enum Recorder: String, Hashable, Sendable, Codable, CaseIterable {
    /// A fix every 10 to 45 s. Sleeps at rest and wakes up after 100 to 250 m.
    case phone
    /// A fix every 1 to 5 s with reception. Half of these receivers have some reception in buildings, and half report
    /// no accuracy.
    case logger
    /// A fix every 15 to 60 s. Sleeps at rest and wakes up within 30 m.
    case tracker
  }

  /// Part of a trip with one transport mode.
  public struct Leg: Hashable, Sendable {
    /// Transport mode.
    public var mode: MotionState
    /// Departure.
    public var startTime: Date
    /// Arrival.
    public var endTime: Date
    /// Path length in metres.
    public var distanceMeters: Double
  }

  /// True trip.
  public struct Trip: Hashable, Sendable {
    /// Departure.
    public var startTime: Date
    /// Arrival.
    public var endTime: Date
    /// Path length in metres.
    public var distanceMeters: Double
    /// Legs in chronological order. There is at least one leg.
    public var legs: [Leg]
  }

  /// Fixes recorded by the receiver, in chronological order.
  public internal(set) var fixes: [Location]
  /// True trips in chronological order, at least twelve minutes apart.
  public let trips: [Trip]
  /// Arguments passed to the initialiser, kept for ``tellingSpeed()``.
  let seed: UInt64
  let world: World
  let recorder: Recorder

  /// Simulates a day. Equal arguments produce equal days.
  public init(seed: UInt64, world: World, recorder: Recorder) {
    (self.seed, self.world, self.recorder) = (seed, world, recorder)
    var user = SimulatedTraveller(seed: seed, world: world, recorder: recorder)
    user.live()
    trips = user.trips
    var receiver = SimulatedReceiver(seed: seed, world: world, recorder: recorder)
    fixes = receiver.fixes(of: user)
  }
}
