#if canImport(SwiftUI)
  import CoreLocation
  import SwiftUI
  import TrendyModels

  struct DriveView: View {
    let log: DriveLog
    let receiver: GPSReceiver
    @State private var failure: String?

    var body: some View {
      List {
        if log.live.isActivityRunning, let state = log.live.state {
          Text("Driving: \(state.distanceMeters / 1000, format: .number.precision(.fractionLength(1))) km")
        }
        ForEach(log.trips) {
          Text("\($0.timestamp, format: .dateTime): \($0.locationName ?? "Trip") \($0.notes ?? "")")
        }
        if let failure { Text(failure) }
      }
      .task { await showFailure { try await log.run() } }
      .task { await showFailure { try await receivePositions() } }
    }

    private func receivePositions() async throws {
      let session = CLServiceSession(authorization: .whenInUse)
      defer { session.invalidate() }
      for try await update in CLLocationUpdate.liveUpdates(.automotiveNavigation) {
        guard let fix = update.location else { continue }
        receiver.receive(
          Location(
            coordinate: Coordinate(latitude: fix.coordinate.latitude, longitude: fix.coordinate.longitude),
            horizontalAccuracy: fix.horizontalAccuracy, timestamp: fix.timestamp,
            speed: fix.speed >= 0 ? fix.speed : nil))
      }
    }

    private func showFailure(of work: () async throws -> Void) async {
      do { try await work() } catch is CancellationError {} catch { failure = "\(error)" }
    }
  }
#endif
