import Foundation
import TrendyModels
import TrendyProtocols
import TrendyTesting
import TrendyTrips

/// Returns the date that is this many seconds after 2024-01-01T00:00:00Z.
func at(_ seconds: Double) -> Date { Date(timeIntervalSince1970: 1_704_067_200 + seconds) }

/// Returns a fix at `seconds`, displaced by `north` and `east` metres from a fixed position.
func fix(_ seconds: Double, east: Double = 0, north: Double = 0, accuracy: Double = 10, speed: Double? = nil)
  -> Location
{
  Location(
    coordinate: Coordinate(
      latitude: DriveScenarios.homeLat + north / 111_260,
      longitude: DriveScenarios.homeLng + east / 68_770),
    horizontalAccuracy: accuracy, timestamp: at(seconds), speed: speed)
}

/// Returns fixes every `interval` seconds from `start` to `end`, moving east at `speed` m/s from `from` metres.
func drive(from east: Double = 0, speed: Double, start: Double, end: Double, interval: Double = 15) -> [Location] {
  stride(from: start, through: end, by: interval).map { fix($0, east: east + ($0 - start) * speed) }
}

func motion(_ state: MotionState, _ seconds: Double, _ confidence: MotionActivity.Confidence = .high) -> MotionActivity
{
  MotionActivity(state: state, confidence: confidence, timestamp: at(seconds))
}

/// Collects trip reports in order.
final class ReportLog: TripReporting, @unchecked Sendable {
  // Used only in the isolation domain of the test.
  private(set) var reports: [TripReport] = []

  func report(_ report: TripReport) { reports.append(report) }

  var kinds: [TripReport.Kind] { reports.map(\.kind) }
  func all(_ kind: TripReport.Kind) -> [TripReport] { reports.filter { $0.kind == kind } }
}
