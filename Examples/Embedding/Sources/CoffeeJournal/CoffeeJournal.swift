import Foundation
import TrendyModels
import TrendyProtocols
import TrendySync

/// Coffees of a user, stored on the device at once and synced to the user's other devices.
///
/// All dependencies are passed to the initializer: in the app an `APIClient`, a `DefaultDataStoreFactory` and the
/// system clock, in a test their doubles.
public actor CoffeeJournal {
  /// Id of the event type. It is equal on every device, so that all devices share one type.
  public static let coffeeTypeId = "coffee"

  private let stores: any DataStoreFactory
  private let recorder: Recorder
  private let engine: SyncEngine
  private let clock: any TimeSource
  private var identifiers = UUIDv7.Generator()
  private var generator: any RandomNumberGenerator & Sendable

  public init(
    client: any NetworkClientProtocol, stores: any DataStoreFactory, clock: any TimeSource = SystemTime(),
    generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) {
    self.stores = stores
    self.clock = clock
    self.generator = generator
    recorder = Recorder(dataStoreFactory: stores, clock: clock, generator: generator)
    engine = SyncEngine(networkClient: client, dataStoreFactory: stores, clock: clock, generator: generator)
  }

  /// Records a coffee with the current time. On return, it is stored on the disk and pending.
  @discardableResult
  public func drink(_ kind: String, cups: Int = 1) throws -> Event {
    let store = stores.makeDataStore()
    if try store.findEventType(id: Self.coffeeTypeId) == nil {
      try recorder.record(
        EventType(id: Self.coffeeTypeId, name: "Coffee", colorHex: "#6F4E37", iconName: "cup.and.saucer"))
    }
    let now = clock.now
    let coffee = Event(
      id: identifiers.next(at: now, using: &generator).description, eventTypeId: Self.coffeeTypeId, timestamp: now,
      notes: kind, properties: ["cups": PropertyValue(type: .number, value: .int(Int64(cups)))])
    try recorder.record(coffee)
    return coffee
  }

  /// Corrects the number of cups. Only this field is sent.
  public func correct(_ coffee: Event, cups: Int) throws {
    try recorder.edit(eventId: coffee.id) { $0.properties["cups"]?.value = .int(Int64(cups)) }
  }

  public func takeBack(_ coffee: Event) throws {
    try recorder.delete(eventId: coffee.id)
  }

  /// Returns the number of cups since `date`, including pending ones.
  public func cups(since date: Date) throws -> Int {
    try stores.makeDataStore()
      .events(in: date..<Date.distantFuture, ofType: Self.coffeeTypeId, limit: nil)
      .reduce(0) { $0 + ($1.properties["cups"]?.intValue ?? 1) }
  }

  /// Synchronizes this device with the hub.
  /// - Returns: State after the round. Errors are part of the state; changes that could not be sent stay pending.
  @discardableResult
  public func sync() async -> SyncState {
    await engine.performSync()
    return await engine.state
  }

  /// Returns the number of pending changes.
  public func waiting() async -> Int { await engine.getPendingCount() }

  /// Sync state for a status line: the current state, then every change.
  public nonisolated var states: AsyncStream<SyncState> { engine.states }
}
