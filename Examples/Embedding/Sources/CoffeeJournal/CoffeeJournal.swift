import Foundation
import TrendyModels
import TrendyProtocols
import TrendySync

/// What an app keeps of a person's coffees: on the device at once, on all their devices when there is a network.
///
/// Everything it stands on comes in: in the app an `APIClient`, a `DefaultDataStoreFactory` and the machine's time, in a
/// test their doubles.
public actor CoffeeJournal {
  /// The type of every event it records; the same on every device, so that they share one.
  public static let coffeeTypeId = "coffee"

  private let stores: any DataStoreFactory
  private let recorder: Recorder
  private let engine: SyncEngine
  private let clock: any TimeSource
  private var identifiers = UUIDv7.Generator()
  private var chance: any RandomNumberGenerator & Sendable

  public init(
    client: any NetworkClientProtocol, stores: any DataStoreFactory, clock: any TimeSource = SystemTime(),
    generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) {
    self.stores = stores
    self.clock = clock
    chance = generator
    recorder = Recorder(dataStoreFactory: stores, clock: clock, generator: generator)
    engine = SyncEngine(networkClient: client, dataStoreFactory: stores, clock: clock, generator: generator)
  }

  /// Records a coffee, drunk now. When it returns, the coffee is on the disk and waits to be sent.
  @discardableResult
  public func drink(_ kind: String, cups: Int = 1) throws -> Event {
    let store = stores.makeDataStore()
    if try store.findEventType(id: Self.coffeeTypeId) == nil {
      try recorder.record(
        EventType(id: Self.coffeeTypeId, name: "Coffee", colorHex: "#6F4E37", iconName: "cup.and.saucer"))
    }
    let now = clock.now
    let coffee = Event(
      id: identifiers.next(at: now, using: &chance).description, eventTypeId: Self.coffeeTypeId, timestamp: now,
      notes: kind, properties: ["cups": PropertyValue(type: .number, value: .int(Int64(cups)))])
    try recorder.record(coffee)
    return coffee
  }

  /// Sets right how many cups it was; only that field is sent.
  public func correct(_ coffee: Event, cups: Int) throws {
    try recorder.edit(eventId: coffee.id) { $0.properties["cups"]?.value = .int(Int64(cups)) }
  }

  public func takeBack(_ coffee: Event) throws {
    try recorder.delete(eventId: coffee.id)
  }

  /// How many cups since `date`, whether sent or not.
  public func cups(since date: Date) throws -> Int {
    try stores.makeDataStore()
      .events(in: date..<Date.distantFuture, ofType: Self.coffeeTypeId, limit: nil)
      .reduce(0) { $0 + ($1.properties["cups"]?.intValue ?? 1) }
  }

  /// Brings this device and the others together, as far as the network lets it.
  /// - Returns: how that ended; it never throws, and what could not be sent waits.
  @discardableResult
  public func sync() async -> SyncState {
    await engine.performSync()
    return await engine.state
  }

  /// How many changes wait for the hub.
  public func waiting() async -> Int { await engine.getPendingCount() }

  /// What a status line shows, now and after each change.
  public nonisolated var states: AsyncStream<SyncState> { engine.states }
}
