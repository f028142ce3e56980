public import TrendyFoundation
#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif
import Synchronization
public import TrendyModels
public import TrendyPersistence
public import TrendyProtocols
public import TrendySync
public import TrendyTrips

/// The user's record on this device: its store, the recorder that writes to it, and the readings of devices. Needs no
/// network.
public final class DeviceRecord: Sendable {
  /// Directory of the store.
  public let directory: URL
  /// Clock that dates all changes.
  public let clock: any TimeSource
  /// Opens units of work on the store.
  public let dataStoreFactory: DefaultDataStoreFactory
  /// Records edits without an undo step.
  public let recorder: Recorder
  /// Called after a change, for sync or display.
  let onChange: @Sendable () -> Void
  /// Position of the store when the current decision began to read it; `nil` outside a decision.
  let decisionStart = Mutex<StorePosition?>(nil)

  /// Opens or creates the store in a directory.
  ///
  /// Maps files in small pages: a command reads little, and an agent waits most of the time.
  /// - Throws: `StorageError`.
  public convenience init(
    directory: URL, clock: any TimeSource = SystemTime(), onChange: @escaping @Sendable () -> Void = {}
  ) throws {
    self.init(
      directory: directory,
      dataStoreFactory: try DefaultDataStoreFactory(
        directory: directory, fileSystem: PosixFileSystem(mapsLargePages: false)), clock: clock, onChange: onChange)
  }

  /// Uses an open store on any file system.
  /// - Parameters:
  ///   - directory: Directory of the store, for files beside it such as the settings of companions.
  ///   - dataStoreFactory: The open store.
  ///   - recorder: Recorder of the same store; created by default.
  ///   - clock: Dates the changes.
  ///   - onChange: Called after a change.
  public init(
    directory: URL, dataStoreFactory: DefaultDataStoreFactory, recorder: Recorder? = nil,
    clock: any TimeSource = SystemTime(), onChange: @escaping @Sendable () -> Void = {}
  ) {
    self.directory = directory
    self.clock = clock
    self.onChange = onChange
    self.dataStoreFactory = dataStoreFactory
    self.recorder = recorder ?? Recorder(dataStoreFactory: dataStoreFactory, clock: clock)
  }

  /// Whether a directory contains a store. Also `true` if this user may not read the directory, so that opening it
  /// reports the reason.
  public static func exists(at directory: URL) -> Bool {
    access(directory.appending(path: "manifest").path, F_OK) == 0 || errno != ENOENT && errno != ENOTDIR
  }

  /// Returns a new id, greater than all previous ids of this process.
  public func makeID() -> String { recorder.makeID() }

  /// Creates a unit of work for reading. Changes are made through ``recorder``, or with undo through
  /// ``perform(_:isDivisible:_:)``.
  public func makeStore() -> any DataStoreProtocol { dataStoreFactory.makeDataStore() }

  /// Performs one step of store maintenance.
  /// - Parameter leastSegments: Number of segments below which none are merged.
  /// - Returns: Whether there may be more to do.
  /// - Throws: `StorageError`.
  public func maintain(mergingFrom leastSegments: Int = 0) throws -> Bool {
    try dataStoreFactory.maintain(mergingFrom: leastSegments)
  }

  /// Releases mapped memory of the store's files, for a process that will not read for a while.
  public func releaseMemory() { dataStoreFactory.releaseMemory() }

  /// Returns the built-in event type for trips, visits or odometer readings, and creates it at first use.
  public func type(_ kind: BuiltInType) throws -> EventType {
    if let type = kind.present(among: try makeStore().fetchAllEventTypes()) { return type }
    return try recorder.inOneSave { save in
      try save.beginWriting()
      return try kind.find(among: save.store.fetchAllEventTypes()) { type, definitions in
        guard try save.record(type) else { return false }
        for definition in definitions { try save.record(definition) }
        return true
      }
    }
  }

  /// Returns a detected trip completed with vehicle and purpose; existing values stay. `devices` are the names of the
  /// recording devices.
  public func completed(_ event: Event, devices: [String] = []) throws -> Event {
    let store = makeStore()
    return TripEvent.completing(
      event, devices: devices, vehicles: try store.vehicles(), rules: try store.tripRules(),
      places: try store.fetchAllGeofences())
  }
}
