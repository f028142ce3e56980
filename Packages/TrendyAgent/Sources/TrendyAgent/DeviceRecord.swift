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

/// A person's record on this device: the store in a folder, what writes to it as the person's own device does, and beside it what
/// devices tell of themselves. It needs no network.
public final class DeviceRecord: Sendable {
  public let directory: URL
  public let clock: any TimeSource
  public let dataStoreFactory: DefaultDataStoreFactory
  public let recorder: Recorder
  /// Called when several things were written at once, for whoever syncs or shows them.
  let onChange: @Sendable () -> Void
  /// Position of the store when the current decision began to read it; `nil` outside a decision.
  let decisionStart = Mutex<StorePosition?>(nil)

  /// Opens the store, or makes it where there is none. Its files are mapped in small pages: a command reads a little and ends, an agent
  /// waits most of the time.
  /// - Throws: `StorageError`.
  public convenience init(
    directory: URL, clock: any TimeSource = SystemTime(), onChange: @escaping @Sendable () -> Void = {}
  ) throws {
    self.init(
      directory: directory,
      dataStoreFactory: try DefaultDataStoreFactory(
        directory: directory, fileSystem: PosixFileSystem(mapsLargePages: false)), clock: clock, onChange: onChange)
  }

  /// Of a store that is open, on any file system.
  /// - Parameters:
  ///   - directory: the folder of the store, for files beside it such as the settings of companions.
  ///   - dataStoreFactory: the open store.
  ///   - recorder: writes to that store; one is made unless given.
  ///   - clock: dates what is done.
  ///   - onChange: called when several things were written at once.
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

  /// Whether a store stands in the folder. Where this user may not look into it there is one: opening it says what is wrong.
  public static func exists(at directory: URL) -> Bool {
    access(directory.appending(path: "manifest").path, F_OK) == 0 || errno != ENOENT && errno != ENOTDIR
  }

  /// A new id, above every one before it in this process.
  public func makeID() -> String { recorder.makeID() }

  /// A unit of work on the store, to read what is recorded. What a person does goes through ``recorder``, or where they can take it back
  /// through ``perform(_:isDivisible:_:)``.
  public func makeStore() -> any DataStoreProtocol { dataStoreFactory.makeDataStore() }

  /// A step of what keeps the store quick to open, for when nobody waits.
  ///
  /// - Returns: whether there may be more to do at once.
  public func maintain(mergingFrom leastSegments: Int = 0) throws -> Bool {
    try dataStoreFactory.maintain(mergingFrom: leastSegments)
  }

  /// Lets go of what is in memory of the store's files, for who will not read for a while.
  public func releaseMemory() { dataStoreFactory.releaseMemory() }

  /// The event type that trips, visits or readings of an odometer are recorded as; made the first time it is asked for.
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

  /// A trip that was found, with the vehicle it was made with and what it was for; what it has stays. `devices` are the names of what
  /// recorded it.
  public func completed(_ event: Event, devices: [String] = []) throws -> Event {
    let store = makeStore()
    return TripEvent.completing(
      event, devices: devices, vehicles: try store.vehicles(), rules: try store.tripRules(),
      places: try store.fetchAllGeofences())
  }
}
