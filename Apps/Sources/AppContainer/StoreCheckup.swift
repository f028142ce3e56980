#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import TrendyModels
public import TrendyPersistence
import TrendyProtocols

/// What a look through a whole store found.
public struct StoreCheckup: Hashable, Sendable {
  /// Rows that were read, every one of them whole.
  public private(set) var rows = 0
  /// What is wrong, a sentence each.
  public private(set) var findings: [String] = []

  /// Reads every file to its end and every row of the store, and holds the rows against each other.
  /// - Throws: `StorageError` for a store that cannot be looked through at all; damage is a finding.
  public init(storeDirectory: URL) throws {
    let container: AppContainer
    do {
      container = try AppContainer(storeDirectory: storeDirectory)
    } catch let error as StorageError {
      guard case .damaged = error else { throw error }
      findings = ["\(error)"]
      return
    }
    if container.dataStoreFactory.recovery.wasCut {
      findings.append(
        "a save that never finished was cut off the end of the log: it had not been confirmed to anybody")
    }
    let store = container.makeStore()
    let types = Set(try store.fetchAllEventTypes().map(\.id))
    let definitions = try store.fetchAllPropertyDefinitions()
    let events = try store.fetchAllEvents()
    let places = try store.fetchAllGeofences()
    let mutations = try store.fetchPendingMutations()
    rows = types.count + definitions.count + events.count + places.count + mutations.count
    for event in events where !types.contains(event.eventTypeId) {
      findings.append("event \(event.id) is of the type \(event.eventTypeId), which is not there")
    }
    for definition in definitions where !types.contains(definition.eventTypeId) {
      findings.append("property \(definition.key) belongs to the type \(definition.eventTypeId), which is not there")
    }
    let held: [MutationEntityType: Set<String>] = [
      .event: Set(events.map(\.id)), .eventType: types, .geofence: Set(places.map(\.id)),
      .propertyDefinition: Set(definitions.map(\.id)),
    ]
    let deleted = Set(mutations.filter { $0.operation == .delete }.map(\.entityId))
    for mutation in mutations where mutation.operation == .create {
      if held[mutation.entityType]?.contains(mutation.entityId) == false, !deleted.contains(mutation.entityId) {
        findings.append(
          "a new \(mutation.entityType.rawValue) \(mutation.entityId) waits for the hub and is not shown here")
      }
    }
  }

  /// Makes a damaged store usable: all that is whole goes into new files, the old ones are set aside.
  public static func repair(storeDirectory: URL) throws -> RepairReport {
    try StorageEngine.repair(directory: storeDirectory.path)
  }
}
