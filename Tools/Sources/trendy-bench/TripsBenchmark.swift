import Foundation
import TrendyModels
import TrendyTrips

/// `trendy-bench trips`: fixes per second that the trip detector processes on one core.
///
/// Simulates days of a phone with motion readings: parked with drift and outliers, driving with stops at lights, and
/// walking. The phone records a fix every second while moving and every ten seconds at rest.
struct TripsBenchmark {
  static let usage = "usage: trendy-bench trips [--n FIXES]"
  private static let rounds = 5

  private let count: Int

  init(_ arguments: [String]) throws {
    switch arguments.first {
    case nil: count = 1_000_000
    case "--n":
      guard arguments.count == 2, let number = Int(arguments[1]), number >= 1000 else {
        throw InputError(text: "--n must be a number of fixes, at least 1000")
      }
      count = number
    case let other?: throw InputError(text: "unknown option \"\(other)\"")
    }
  }

  func run() -> String {
    var phone = SimulatedPhone()
    var fixes: [Location] = []
    var motion: [MotionActivity] = []
    fixes.reserveCapacity(count)
    while fixes.count < count { phone.day(&fixes, &motion) }
    fixes.removeLast(fixes.count - count)
    var seconds: [Double] = []
    var trips = 0
    for _ in 0..<Self.rounds {
      var detector = TripDetector()
      var next = 0
      trips = 0
      let start = ContinuousClock.now
      for fix in fixes {
        while next < motion.count, motion[next].timestamp <= fix.timestamp {
          detector.onMotion(motion[next])
          next += 1
        }
        for case .ended in detector.onLocation(fix) { trips += 1 }
      }
      for case .ended in detector.finish() { trips += 1 }
      seconds.append((ContinuousClock.now - start) / .seconds(1))
    }
    let median = seconds.sorted()[Self.rounds / 2]
    return "{\"suite\":\"trips\",\"workload\":\"detect\",\"n\":\(count),\"ops\":\(count),"
      + "\"seconds\":\((median * 1e6).rounded() / 1e6),\"ops_per_s\":\((Double(count) / median).rounded()),"
      + "\"peak_rss_kb\":\(Self.peakMemory()),\"trips\":\(trips)}"
  }

  /// Returns the peak resident memory of this process in KiB.
  private static func peakMemory() -> Int {
    var usage = rusage()
    #if canImport(Glibc)
      let whose = __rusage_who_t(RUSAGE_SELF.rawValue)
    #else
      let whose = RUSAGE_SELF
    #endif
    guard getrusage(whose, &usage) == 0 else { return 0 }
    #if canImport(Darwin)
      return usage.ru_maxrss / 1024
    #else
      return usage.ru_maxrss
    #endif
  }
}

/// Deterministic source of fixes.
private struct SimulatedPhone {
  private var second = 1_704_067_200.0
  private var east = 0.0
  private var north = 0.0
  private var heading = 0.0
  private var generator = SeededGenerator(seed: 1)

  /// Returns a random number from 0 to 1.
  private mutating func random() -> Double { Double(generator.next() >> 11) / 9_007_199_254_740_992 }

  private mutating func fix(noise: Double) -> Location {
    let x = east + noise * (random() + random() - 1)
    let y = north + noise * (random() + random() - 1)
    return Location(
      coordinate: Coordinate(latitude: 48 + y / 111_200, longitude: 11 + x / 74_500), horizontalAccuracy: max(5, noise),
      timestamp: Date(timeIntervalSince1970: second))
  }

  private mutating func stay(_ seconds: Double, _ fixes: inout [Location]) {
    for step in 0..<Int(seconds / 10) {
      fixes.append(fix(noise: step % 90 == 89 ? 120 : 12))
      second += 10
    }
  }

  private mutating func go(_ seconds: Int, speed: Double, _ fixes: inout [Location]) {
    for step in 0..<seconds {
      // A traffic light about every four minutes.
      if step % 240 < 200 {
        east += speed * cos(heading)
        north += speed * sin(heading)
        heading += 0.02 * (random() - 0.5)
      }
      fixes.append(fix(noise: 6))
      second += 1
    }
  }

  mutating func day(_ fixes: inout [Location], _ motion: inout [MotionActivity]) {
    for (state, seconds, speed) in [
      (MotionState.automotive, 2400, 14.0), (.walking, 400, 1.3), (.automotive, 2700, 22), (.walking, 600, 1.4),
    ] {
      motion.append(
        MotionActivity(state: .stationary, confidence: .high, timestamp: Date(timeIntervalSince1970: second)))
      stay(seconds == 400 ? 10 : 25_000, &fixes)
      motion.append(
        MotionActivity(state: state, confidence: .high, timestamp: Date(timeIntervalSince1970: second + 120)))
      go(seconds, speed: speed, &fixes)
      // Turn around to keep the longitudes in range.
      heading += .pi
    }
  }
}
