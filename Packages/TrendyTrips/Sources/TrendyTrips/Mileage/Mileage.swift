public import TrendyFoundation
import TrendyModels

/// Number and length of trips by category.
public struct Mileage: Hashable, Sendable {
  /// Number of trips.
  public var trips = 0
  /// Total distance in metres.
  public var total = 0.0
  /// Business distance in metres, including the business part of mixed trips.
  public var business = 0.0
  /// Private distance in metres, including the private part of mixed trips.
  public var `private` = 0.0
  /// Distance in metres of trips without a category, and of mixed trips without a business part.
  public var unclassified = 0.0

  /// Creates a mileage of 0 m.
  public init() {}

  /// Creates the mileage of several trips.
  public init(of trips: some Sequence<TripEvent>) {
    for trip in trips { add(trip) }
  }

  /// Adds a trip.
  public mutating func add(_ trip: TripEvent) {
    trips += 1
    total += trip.distance
    guard let business = trip.businessDistance else {
      unclassified += trip.distance
      return
    }
    let counted = min(max(business, 0), trip.distance)
    self.business += counted
    self.private += trip.distance - counted
  }
}

/// Odometer reading of a vehicle.
public struct OdometerReading: Hashable, Sendable {
  /// Time of the reading.
  public var date: Date
  /// Odometer in metres.
  public var meters: Double

  /// Creates a reading.
  public init(date: Date, meters: Double) {
    self.date = date
    self.meters = meters
  }
}

/// Comparison of a vehicle's odometer with its recorded trips.
public struct OdometerCheck: Hashable, Sendable {
  /// Period between two consecutive readings.
  public struct Stretch: Hashable, Sendable {
    /// First reading.
    public var from: OdometerReading
    /// Second reading.
    public var to: OdometerReading
    /// Length in metres of the trips between the readings. A trip that spans a reading counts in proportion to its
    /// time.
    public var trips: Double

    /// Difference between the two readings in metres.
    public var driven: Double { to.meters - from.meters }
    /// Deviation of the trips from the odometer as a fraction of `driven`, positive if trips are missing. If the
    /// odometer did not change, −1 with trips and 0 without.
    public var deviation: Double { driven > 0 ? (driven - trips) / driven : trips > 0 ? -1 : 0 }
    /// Whether the deviation exceeds the tolerance.
    public var isWarning: Bool { abs(deviation) > OdometerCheck.tolerance }
  }

  /// Periods between consecutive readings.
  public private(set) var stretches: [Stretch] = []
  /// Readings that are lower than an earlier reading. They are ignored as presumed typing errors.
  public private(set) var ignored: [OdometerReading] = []

  /// Maximum absolute deviation that causes no warning.
  public static let tolerance = 0.02

  /// Compares odometer readings with the trips of the vehicle.
  public init(readings: [OdometerReading], trips: [TripEvent]) {
    let drives = trips.map(Drive.init)
    var last: OdometerReading?
    for reading in readings.sorted(by: { ($0.date, $0.meters) < ($1.date, $1.meters) }) {
      guard let before = last else {
        last = reading
        continue
      }
      guard reading.meters >= before.meters else {
        ignored.append(reading)
        continue
      }
      let driven = drives.reduce(0) { $0 + $1.distance(from: before.date, to: reading.date) }
      stretches.append(Stretch(from: before, to: reading, trips: driven))
      last = reading
    }
  }

  /// All periods combined, or `nil` if there are fewer than two valid readings.
  public var whole: Stretch? {
    guard let first = stretches.first, let last = stretches.last else { return nil }
    return Stretch(from: first.from, to: last.to, trips: stretches.reduce(0) { $0 + $1.trips })
  }

  /// Whether the deviation over all periods exceeds the tolerance.
  public var isWarning: Bool { whole?.isWarning ?? false }
}

/// Trip that counts only for the part within a period.
private struct Drive {
  let start: Date
  let end: Date
  let distance: Double

  init(_ trip: TripEvent) { (start, end, distance) = (trip.start, trip.end, trip.distance) }

  func distance(from: Date, to: Date) -> Double {
    let seconds = end.timeIntervalSince(start)
    guard seconds > 0 else { return start >= from && start < to ? distance : 0 }
    let common = min(end, to).timeIntervalSince(max(start, from))
    return distance * min(1, max(0, common / seconds))
  }
}
