import Foundation
import StorageTesting
import Testing
import TrendyModels
import TrendyProtocols
import TrendyTesting
import TrendyTrips

@testable import TrendyAgent

/// A trip coordinator with the Linux implementations of live activity and watch, during a simulated drive.
@Suite("LiveStatus and CompanionChannel", .timeLimit(.minutes(10)))
struct LiveActivityTests {
  private let clock = ManualClock()

  private func makeLive(_ onChange: @escaping (AgentStatus) -> Void = { _ in }) -> LiveStatus {
    LiveStatus(AgentStatus(pid: 7, store: "/store", startedAt: clock.now), clock: clock, onChange: onChange)
  }

  @Test func `a coordinator shows a drive and announces it to companions`() async throws {
    let drive = DriveSimulator()
    drive.setupHomeToOfficeTrip()
    var shown: AgentStatus.LiveTrip?
    let live = makeLive { shown = $0.trip }
    let store = try CompanionStore(directory: "companion", fileSystem: SimulatedFileSystem())
    _ = try store.update(
      with: [
        APICompanion(id: "link", trackerId: "me", trackerName: "me", companionId: "w", companionName: "watch")
      ], deviceId: "me")
    let channel = CompanionChannel(store: store, clock: clock)
    let coordinator = TripCoordinator(
      location: drive.locationService, motion: drive.motionHandler, liveActivity: live, watch: channel, clock: clock,
      configuration: TripConfiguration(carName: "Van"))
    coordinator.start()
    drive.startTrip()
    #expect(shown?.vehicle == "Van" && shown?.state == .going)
    #expect(live.isActivityRunning && channel.isPaired && !channel.isReachable)
    while let before = shown?.distance {
      drive.triggerPing()
      let now = try #require(shown?.distance)
      #expect(now >= before)
      if now == before { break }
    }
    #expect((shown?.distance ?? 0) > 8000)
    drive.endTrip()
    #expect(shown?.state == .ended && shown?.speed == nil && !live.isActivityRunning)
    #expect(
      try store.waiting(for: "link", after: 0, limit: 9).map(\.kind) == ["trip_started", "trip_active", "trip_active"])
    try store.acknowledge("link", through: 3)
    #expect(channel.isReachable)
    // The trip is displayed for five minutes after its end.
    await clock.advance(by: .seconds(299))
    live.show()
    #expect(shown != nil)
    await clock.advance(by: .seconds(1))
    live.show()
    #expect(shown == nil)
  }

  @Test func `several changes are published once`() throws {
    var shown: [AgentStatus] = []
    let live = makeLive { shown.append($0) }
    live.together {
      live.startActivity(carName: "", startTime: clock.now)
      live.updateActivity(state: LiveActivityState(distanceMeters: 1234.56, durationSeconds: 61, isPaused: true))
    }
    #expect(shown.count == 1)
    #expect(shown.first?.trip?.distance == 1234.56 && shown.first?.trip?.state == .paused)
  }

  @Test func `companion messages sent through the watch interface are stored unchanged`() throws {
    let store = try CompanionStore(directory: "companion", fileSystem: SimulatedFileSystem())
    let channel = CompanionChannel(store: store, clock: clock)
    channel.syncToken("nobody")
    #expect(!channel.isPaired && channel.failure == nil)
    _ = try store.update(
      with: [
        APICompanion(id: "link", trackerId: "me", trackerName: "me", companionId: "w", companionName: "watch")
      ], deviceId: "me")
    channel.syncConfig(email: "ada", apiUrl: "https://hub.example", token: "")
    channel.syncToken("secret")
    let notices = try store.waiting(for: "link", after: 0, limit: 9)
    #expect(notices.map(\.kind) == ["config", "token"])
    #expect(notices[0].data == ["account": "ada", "hub_url": "https://hub.example"])
    #expect(notices[1].data == ["token": "secret"])
  }
}
