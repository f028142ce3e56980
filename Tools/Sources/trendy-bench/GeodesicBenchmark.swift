import Foundation
import TrendyModels
import TrendyTrips

/// `trendy-bench geodesic FILE`: accuracy and speed of geodesic distances, compared with a table of reference values.
struct GeodesicBenchmark {
  private struct Pair {
    var start: Coordinate
    var end: Coordinate
    var metres: Double
  }

  static let usage = """
    usage: trendy-bench geodesic FILE
      FILE  CSV lines of latitude 1, longitude 1, latitude 2, longitude 2 in degrees and the distance in metres;
            a first line without numbers is a heading
    """
  /// Largest accepted difference in metres.
  private static let tolerance = 1e-6
  private static let rounds = 5

  private let pairs: [Pair]

  init(file: String) throws {
    var pairs: [Pair] = []
    let lines = try String(contentsOfFile: file, encoding: .utf8).split(whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      let fields = line.split(separator: ",", omittingEmptySubsequences: false)
      let numbers = fields.compactMap { Double($0.trimmingCharacters(in: .whitespaces)) }
      guard numbers.count == 5, fields.count == 5 else {
        if index == 0, numbers.isEmpty { continue }
        throw InputError(text: "\(file), line \(index + 1): expected five numbers")
      }
      pairs.append(
        Pair(
          start: Coordinate(latitude: numbers[0], longitude: numbers[1]),
          end: Coordinate(latitude: numbers[2], longitude: numbers[3]), metres: numbers[4]))
    }
    guard !pairs.isEmpty else { throw InputError(text: "\(file): no pairs") }
    self.pairs = pairs
  }

  func run() -> String {
    var worst = 0.0
    var failures = 0
    for pair in pairs {
      let error = abs(Geodesic.distanceMeters(from: pair.start, to: pair.end) - pair.metres)
      // Written so that NaN counts as a failure.
      if !(error <= Self.tolerance) { failures += 1 }
      if error > worst { worst = error }
    }
    let turns = max(1, 200_000 / pairs.count)
    var sum = 0.0
    var nanoseconds: [Double] = []
    for _ in 0..<Self.rounds {
      let start = ContinuousClock.now
      for _ in 0..<turns {
        for pair in pairs { sum += Geodesic.distanceMeters(from: pair.start, to: pair.end) }
      }
      nanoseconds.append((ContinuousClock.now - start) / .nanoseconds(1) / Double(turns * pairs.count))
    }
    // Use the sum, so that the optimizer does not remove the loop.
    precondition(!sum.isInfinite)
    let median = nanoseconds.sorted()[Self.rounds / 2]
    return "{\"pairs\":\(pairs.count),\"max_error_m\":\(worst),\"failures\":\(failures),"
      + "\"ns_per_inverse\":\((median * 10).rounded() / 10)}"
  }
}

struct InputError: Error, CustomStringConvertible {
  var text: String
  var description: String { text }
}
