import Foundation
import TrendyModels
import TrendyProtocols
import TrendySync

/// Journal of the coffees that a user drinks, stored on the device and synced to the user's other devices.
///
/// All dependencies are passed to the initializer: an `APIClient`, a `DefaultDataStoreFactory` and the system clock in
/// the app, or test doubles in a test.
public actor CoffeeJournal {
  /// Id of the event type. All devices use the same id, so that they share one type.
  public static let coffeeTypeId = "coffee"

  /// Store of the journal, which views observe.
  public nonisolated let stores: any DataStoreFactory
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

  /// Records a coffee at the current time. When the method returns, the event is stored on disk and pending.
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

  /// Changes the number of cups. The mutation contains only this field.
  public func correct(_ coffee: Event, cups: Int) throws {
    try recorder.edit(eventId: coffee.id) { $0.properties["cups"]?.value = .int(Int64(cups)) }
  }

  public func takeBack(_ coffee: Event) throws {
    try recorder.delete(eventId: coffee.id)
  }

  /// Returns the number of cups since `date`, including those not synced yet.
  public func cups(since date: Date) throws -> Int {
    try stores.makeDataStore()
      .events(in: date..<Date.distantFuture, ofType: Self.coffeeTypeId, limit: nil)
      .reduce(0) { $0 + ($1.properties["cups"]?.intValue ?? 1) }
  }

  /// Returns a query of the last 20 coffees, for display in a list.
  @MainActor public static func recentCoffees() -> StoreQuery<[Event]> {
    StoreQuery([]) { try $0.events(in: nil, ofType: coffeeTypeId, limit: 20) }
  }

  /// Syncs this device with the hub.
  /// - Returns: state after the sync. Errors are part of the state; changes that could not be sent stay pending.
  @discardableResult
  public func sync() async -> SyncState {
    await engine.performSync()
    return await engine.state
  }

  /// Returns the number of pending changes.
  public func waiting() async -> Int { await engine.getPendingCount() }

  /// Sync state for display: the current state, followed by every change.
  public nonisolated var states: AsyncStream<SyncState> { engine.states }
}
