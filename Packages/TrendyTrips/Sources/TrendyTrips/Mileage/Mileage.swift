public import TrendyFoundation
import TrendyModels

/// How far was driven, and what for.
public struct Mileage: Hashable, Sendable {
  public var trips = 0
  /// Metres.
  public var total = 0.0
  /// Metres, with the business part of mixed trips.
  public var business = 0.0
  /// Metres, with the rest of mixed trips.
  public var `private` = 0.0
  /// Metres of trips of which nobody said, and of mixed ones without a share.
  public var unclassified = 0.0

  public init() {}

  public init(of trips: some Sequence<TripEvent>) {
    for trip in trips { add(trip) }
  }

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

/// A reading of a vehicle's clock.
public struct OdometerReading: Hashable, Sendable {
  public var date: Date
  /// Metres.
  public var meters: Double

  public init(date: Date, meters: Double) {
    self.date = date
    self.meters = meters
  }
}

/// Whether the trips of a vehicle account for what its clock says.
public struct OdometerCheck: Hashable, Sendable {
  public struct Stretch: Hashable, Sendable {
    public var from: OdometerReading
    public var to: OdometerReading
    /// Metres of the trips in between; of one that a reading falls into the part by time.
    public var trips: Double

    /// Metres on the clock.
    public var driven: Double { to.meters - from.meters }
    /// As a part of what the clock says: above 0 where trips are missing. 0 where neither says anything.
    public var deviation: Double { driven > 0 ? (driven - trips) / driven : trips > 0 ? -1 : 0 }
    public var isWarning: Bool { abs(deviation) > OdometerCheck.tolerance }
  }

  /// From reading to reading.
  public private(set) var stretches: [Stretch] = []
  /// Those that stood below an earlier one: a slip of the pen, passed over.
  public private(set) var ignored: [OdometerReading] = []

  /// More than that is a warning.
  public static let tolerance = 0.02

  /// `trips` are those of the vehicle.
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

  /// All stretches as one; `nil` with fewer than two readings.
  public var whole: Stretch? {
    guard let first = stretches.first, let last = stretches.last else { return nil }
    return Stretch(from: first.from, to: last.to, trips: stretches.reduce(0) { $0 + $1.trips })
  }

  public var isWarning: Bool { whole?.isWarning ?? false }
}

/// As much of a trip as is held against each stretch.
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
