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

/// The user's record on this device: the store, the recorder that writes to it, and device readings. Makes no network
/// requests.
public final class DeviceRecord: Sendable {
  /// Directory of the store.
  public let directory: URL
  /// Clock that dates all changes.
  public let clock: any TimeSource
  /// Factory for units of work on the store.
  public let dataStoreFactory: DefaultDataStoreFactory
  /// Recorder for edits that are not undo steps.
  public let recorder: Recorder
  /// Called after each change, for example to sync or to update a display.
  let onChange: @Sendable () -> Void
  /// Position of the store at which the current decision began, or `nil` outside a decision.
  let decisionStart = Mutex<StorePosition?>(nil)

  /// Opens or creates the store in a directory. Throws `StorageError`.
  ///
  /// Files are mapped in small pages, because a command reads little and an agent is idle most of the time.
  public convenience init(
    directory: URL, clock: any TimeSource = SystemTime(), onChange: @escaping @Sendable () -> Void = {}
  ) throws {
    self.init(
      directory: directory,
      dataStoreFactory: try DefaultDataStoreFactory(
        directory: directory, fileSystem: PosixFileSystem(mapsLargePages: false)), clock: clock, onChange: onChange)
  }

  /// Creates a record from an open store on any file system.
  /// - Parameters:
  ///   - directory: Directory of the store, which also contains other files such as the companion store.
  ///   - dataStoreFactory: The open store.
  ///   - recorder: Recorder for the same store. By default, a new recorder.
  ///   - clock: Dates the changes.
  ///   - onChange: Called after each change.
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

  /// Returns whether a directory contains a store. Returns `true` also if the directory cannot be read, so that opening
  /// the store reports the reason.
  public static func exists(at directory: URL) -> Bool {
    access(directory.appending(path: "manifest").path, F_OK) == 0 || errno != ENOENT && errno != ENOTDIR
  }

  /// Returns a new id that is greater than all previous ids from this process.
  public func makeID() -> String { recorder.makeID() }

  /// Creates a unit of work for reading. Use ``recorder`` to change the record, or ``perform(_:isDivisible:_:)`` for
  /// changes that can be undone.
  public func makeStore() -> any DataStoreProtocol { dataStoreFactory.makeDataStore() }

  /// Performs one step of store maintenance. `minSegments` is the minimum number of segments to merge.
  /// - Returns: Whether there may be more to do.
  /// - Throws: `StorageError`.
  public func maintain(mergingFrom minSegments: Int = 0) throws -> Bool {
    try dataStoreFactory.maintain(mergingFrom: minSegments)
  }

  /// Releases the mapped memory of the store's files, for a process that will not read for a while.
  public func releaseMemory() { dataStoreFactory.releaseMemory() }

  /// Returns the built-in event type of trips, visits or odometer readings. Creates the type if it does not exist.
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

  /// Returns a detected trip with its vehicle and category filled in. Existing values are kept. `devices` are the names
  /// of the devices that recorded the trip.
  public func completed(_ event: Event, devices: [String] = []) throws -> Event {
    let store = makeStore()
    return TripEvent.completing(
      event, devices: devices, vehicles: try store.vehicles(), rules: try store.tripRules(),
      places: try store.fetchAllGeofences())
  }
}
