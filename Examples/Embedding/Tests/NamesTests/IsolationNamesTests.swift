import Testing
import TrendyModels
import TrendyProtocols
import TrendySync
import TrendyTesting
import TrendyTrips

@Suite("Isolation of the seams and objects")
struct IsolationNamesTests {
  /// Location adapter as an app would write it, isolated to the main actor.
  @MainActor
  private final class Adapter: @MainActor LocationTrackingServiceProtocol {
    weak var delegate: (any LocationTrackingServiceDelegate)?
    private(set) var isMonitoring = false
    private(set) var lastLocation: Location?

    func setupLocationManager() {}
    func startMonitoring() { isMonitoring = true }
    func stopMonitoring() { isMonitoring = false }
    func setHighAccuracy() {}
    func setLowAccuracy() {}
  }

  private struct Log: TripReporting {
    func report(_ report: TripReport) {}
  }

  @Test @MainActor func `an adapter and the coordinator on the main actor`() {
    let (adapter, drive) = (Adapter(), DriveSimulator())
    let coordinator = TripCoordinator(
      location: adapter, motion: drive.motionHandler, liveActivity: drive.liveActivityManager,
      watch: drive.watchService)
    coordinator.start()
    #expect(adapter.isMonitoring)
    coordinator.stop()
  }

  @Test func `seams are Sendable, objects are classes`() {
    func isSendable(_ seams: (any Sendable)...) {}
    func areObjects(_ objects: AnyObject...) {}
    let network: any NetworkClientProtocol = MockNetworkClient()
    let stores: any DataStoreFactory = MockDataStoreFactory()
    let time: any TimeSource = SystemTime()
    let reporting: any TripReporting = Log()
    isSendable(network, stores, time, reporting, Recorder(dataStoreFactory: stores))
    let drive = DriveSimulator()
    let store: any DataStoreProtocol = stores.makeDataStore()
    let location: any LocationTrackingServiceProtocol = drive.locationService
    let motion: any MotionActivityHandlerProtocol = drive.motionHandler
    let activity: any LiveActivityManagerProtocol = drive.liveActivityManager
    let watch: any WatchConnectivityServiceProtocol = drive.watchService
    areObjects(store, location, motion, activity, watch)
  }
}
