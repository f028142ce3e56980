import Foundation
import TrendyModels
import TrendyTesting
import TrendyTrips

/// Compares detected trips with true trips.
///
/// A detection is correct if its overlap with a true trip exceeds half of the union of the two. Detections and true
/// trips are matched one to one, best pairs first. Periods without labels are ignored.
struct TripScore {
  typealias Interval = ClosedRange<Double>

  struct Trip {
    var time: Interval
    /// Length in metres, or `nil` if not reliable.
    var distance: Double?
    var rides: [Interval] = []
  }

  private(set) var days = 0
  private(set) var matched = 0
  private(set) var missed = 0
  private(set) var wrong = 0
  /// Number of wrong detections that lie mostly within a true trip.
  private(set) var pieces = 0
  private(set) var daysWithoutTrips = 0
  private(set) var falseWhileParked = 0
  private var starts: [Double] = []
  private var ends: [Double] = []
  private var mileage: [Double] = []
  private var lengthened: [Double] = []
  private var rides = (matched: 0, missed: 0, wrong: 0)

  mutating func add(_ day: SimulatedDay, _ found: [TripRecord]) {
    let truth = day.trips.map { trip in
      Trip(
        time: Self.interval(trip.startTime, trip.endTime), distance: trip.distanceMeters,
        rides: trip.legs.filter { $0.mode == .automotive }.map { Self.interval($0.startTime, $0.endTime) })
    }
    add(truth: truth, found: Self.trips(found), ignored: [])
  }

  mutating func add(truth: [Trip], found: [Trip], ignored: [Interval]) {
    days += 1
    let pairs = Self.pairs(truth.map(\.time), found.map(\.time), ignored)
    let right = Set(pairs.map(\.found))
    let counted = found.indices.filter { index in
      let time = found[index].time
      return right.contains(index) || Self.seconds(time, without: ignored) > 0.5 * Self.length(time)
    }
    matched += pairs.count
    missed += truth.count - pairs.count
    wrong += counted.count - pairs.count
    pieces +=
      counted.filter { index in
        !right.contains(index)
          && truth.contains { Self.overlap($0.time, found[index].time) > 0.5 * Self.length(found[index].time) }
      }.count
    if truth.isEmpty {
      daysWithoutTrips += 1
      falseWhileParked += counted.count
    }
    for pair in pairs {
      let (trip, detection) = (truth[pair.truth].time, found[pair.found].time)
      if !ignored.contains(where: { Self.overlap($0, trip.lowerBound - 300...trip.lowerBound) > 0 }) {
        starts.append(abs(detection.lowerBound - trip.lowerBound))
      }
      if !ignored.contains(where: { Self.overlap($0, trip.upperBound...trip.upperBound + 300) > 0 }) {
        ends.append(abs(detection.upperBound - trip.upperBound))
      }
      if let real = truth[pair.truth].distance, let metres = found[pair.found].distance, real >= 200 {
        lengthened.append(metres / real - 1)
      }
    }
    let real = truth.compactMap(\.distance)
    if real.count == truth.count, ignored.isEmpty, real.reduce(0, +) >= 1000 {
      let sum = real.reduce(0, +)
      mileage.append(abs(counted.reduce(0) { $0 + (found[$1].distance ?? 0) } - sum) / sum)
    }
    let (realRides, foundRides) = (truth.flatMap(\.rides), found.flatMap(\.rides))
    let ridePairs = Self.pairs(realRides, foundRides, ignored)
    rides.matched += ridePairs.count
    rides.missed += realRides.count - ridePairs.count
    rides.wrong +=
      foundRides.indices.filter { index in
        !ridePairs.contains { $0.found == index }
          && Self.seconds(foundRides[index], without: ignored) > 0.5 * Self.length(foundRides[index])
      }.count
  }

  var f1: Double? { Self.f1(matched, missed, wrong) }

  /// Returns one line of JSON that starts with the given members.
  func json(_ members: [(String, String)]) -> String {
    func number(_ value: Double?, _ digits: Double = 1000) -> String {
      value.map { "\(($0 * digits).rounded() / digits)" } ?? "null"
    }
    let found = matched + wrong
    let all =
      members.map { ($0, "\"\($1)\"") } + [
        ("days", "\(days)"), ("trips", "\(matched + missed)"), ("f1", number(f1)),
        ("precision", number(found == 0 ? nil : Double(matched) / Double(found))),
        ("recall", number(matched + missed == 0 ? nil : Double(matched) / Double(matched + missed))),
        ("wrong", "\(wrong)"), ("pieces", "\(pieces)"), ("days_without_trips", "\(daysWithoutTrips)"),
        ("false_without_trips", "\(falseWhileParked)"), ("start_p90_s", number(Self.rank(starts, 0.9), 1)),
        ("end_p90_s", number(Self.rank(ends, 0.9), 1)), ("mileage_p90", number(Self.rank(mileage, 0.9))),
        ("length_median", number(Self.rank(lengthened, 0.5))),
        ("rides_f1", number(Self.f1(rides.matched, rides.missed, rides.wrong))),
      ]
    return "{" + all.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
  }

  static func trips(_ records: [TripRecord]) -> [Trip] {
    records.map { record in
      Trip(
        time: interval(record.trip.startTime, record.trip.endTime ?? record.trip.startTime),
        distance: record.trip.distanceMeters,
        rides: record.legs.filter { $0.mode == .automotive }.map { interval($0.startTime, $0.endTime) })
    }
  }

  private static func interval(_ start: Date, _ end: Date) -> Interval {
    start.timeIntervalSince1970...max(start, end).timeIntervalSince1970
  }

  private static func f1(_ matched: Int, _ missed: Int, _ wrong: Int) -> Double? {
    let all = 2 * matched + missed + wrong
    return all == 0 ? nil : Double(2 * matched) / Double(all)
  }

  private static func pairs(
    _ truth: [Interval], _ found: [Interval], _ ignored: [Interval]
  ) -> [(truth: Int, found: Int)] {
    var candidates: [(share: Double, truth: Int, found: Int)] = []
    for (index, trip) in truth.enumerated() {
      for (other, detection) in found.enumerated() where overlap(trip, detection) > 0 {
        let both = max(trip.lowerBound, detection.lowerBound)...min(trip.upperBound, detection.upperBound)
        let common = seconds(both, without: ignored)
        let united = seconds(trip, without: ignored) + seconds(detection, without: ignored) - common
        if united > 0, common / united >= 0.5 { candidates.append((common / united, index, other)) }
      }
    }
    candidates.sort { (-$0.share, $0.truth, $0.found) < (-$1.share, $1.truth, $1.found) }
    var pairs: [(truth: Int, found: Int)] = []
    for candidate in candidates
    where !pairs.contains(where: { $0.truth == candidate.truth || $0.found == candidate.found }) {
      pairs.append((candidate.truth, candidate.found))
    }
    return pairs
  }

  private static func length(_ interval: Interval) -> Double { interval.upperBound - interval.lowerBound }

  private static func overlap(_ one: Interval, _ other: Interval) -> Double {
    max(0, min(one.upperBound, other.upperBound) - max(one.lowerBound, other.lowerBound))
  }

  private static func seconds(_ interval: Interval, without ignored: [Interval]) -> Double {
    max(0, length(interval) - ignored.reduce(0) { $0 + overlap(interval, $1) })
  }

  private static func rank(_ values: [Double], _ part: Double) -> Double? {
    values.isEmpty ? nil : values.sorted()[Int((Double(values.count - 1) * part).rounded())]
  }
}
