public import TrendyFoundation
public import TrendyInsights
public import TrendyModels
public import TrendyProtocols

/// Adapter through which the insight rules read a device's store.
public struct StoreUserRecord: UserRecord {
  private let store: any DataStoreProtocol

  public init(_ store: any DataStoreProtocol) { self.store = store }

  public func eventTypes() throws -> [EventType] { try store.fetchAllEventTypes() }

  public func propertyDefinitions() throws -> [PropertyDefinition] { try store.fetchAllPropertyDefinitions() }

  public func records(of kind: MutationEntityType) throws -> [SyncedRecord] { try store.fetchRecords(kind: kind) }

  public func event(id: String) throws -> Event? { try store.findEvent(id: id) }

  public func forEachEvent(ofTypes types: Set<String>, in range: Range<Date>, _ body: (Event) throws -> Void) throws {
    for type in types {
      for event in try store.events(in: range, ofType: type, limit: nil) { try body(event) }
    }
  }
}

@available(*, unavailable)
extension StoreUserRecord: Sendable {}
