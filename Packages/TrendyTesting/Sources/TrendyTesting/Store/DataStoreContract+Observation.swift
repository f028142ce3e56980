import TrendyModels
public import TrendyProtocols

extension DataStoreContract {
  /// One requirement for the observation of stores.
  public struct ObservationClause: Sendable, CustomStringConvertible {
    /// The requirement as a sentence.
    public let description: String
    private let body: @Sendable (any DataStoreFactory, any DataStoreFactory) async throws -> Void

    init(
      _ description: String,
      _ body: @escaping @Sendable (any DataStoreFactory, any DataStoreFactory) async throws -> Void
    ) {
      self.description = description
      self.body = body
    }

    /// Checks the requirement.
    /// - Parameters:
    ///   - stores: factory to observe, of a store that is initially empty.
    ///   - writers: factory whose units change the store; may be the same one.
    /// - Throws: ``Violation``, or an unexpected error from the store.
    public func check(_ stores: any DataStoreFactory, writingThrough writers: any DataStoreFactory) async throws {
      try await body(stores, writers)
    }
  }

  /// All requirements for observation.
  public static let observationClauses: [ObservationClause] = [
    ObservationClause("an observed query returns the current result, then one after each commit") { stores, writers in
      try addGeofence("a", writers)
      var names = stores.observe { try $0.fetchAllGeofences().map(\.id) }.makeAsyncIterator()
      try await require("the current result", names.next(), ["a"])
      try addGeofence("b", writers)
      try await require("the result after a commit", names.next(), ["a", "b"])
      let unit = writers.makeDataStore()
      try unit.deleteGeofence(id: "a")
      try unit.save()
      try await require("the result after a deletion", names.next(), ["b"])
    },
    ObservationClause("a slow observer receives the last result, once") { stores, writers in
      var names = stores.observe { try $0.fetchAllGeofences().map(\.id) }.makeAsyncIterator()
      try await require("the current result", names.next(), [])
      for id in ["a", "b", "c"] { try addGeofence(id, writers) }
      try await require("the last result", names.next(), ["a", "b", "c"])
      try addGeofence("d", writers)
      try await require("the next result", names.next(), ["a", "b", "c", "d"])
    },
    ObservationClause("changes have the order of the commits, and the kinds and identifiers of all entities") {
      stores, writers in
      var changes = stores.changes.makeAsyncIterator()
      let unit = writers.makeDataStore()
      try unit.upsertEventType(id: Rows.type.id) { $0 = Rows.type }
      try unit.upsertEvent(Rows.event)
      try unit.upsertEvent(id: "evt") { $0.eventTypeId = Rows.type.id }
      try unit.upsertPropertyDefinition(id: "def", eventTypeId: Rows.type.id) { $0.key = "k" }
      try unit.save()
      for id in ["a", "b"] { try addGeofence(id, writers) }
      try unit.upsertRecord(SyncedRecord(id: "car", kind: .vehicle))
      try unit.setSyncCursor(7)
      try unit.save()
      try unit.setSyncCursor(8)
      try unit.save()
      try unit.deleteEventType(id: Rows.type.id)
      try unit.deleteRecord(kind: .vehicle, id: "car")
      try unit.save()
      let dependent: [MutationEntityType: Set<String>] = [
        .eventType: [Rows.type.id], .event: [Rows.event.id, "evt"], .propertyDefinition: ["def"],
      ]
      try await require("the first change", changes.next()?.entities, dependent)
      try await require("the second change", changes.next()?.entities, [.geofence: ["a"]])
      try await require("the third change", changes.next()?.entities, [.geofence: ["b"]])
      let mixed = try await changes.next()
      try require("the fourth change", mixed?.entities, [.vehicle: ["car"]])
      try require("the sync state of the fourth change", mixed?.hasSyncState, true)
      let sync = try await changes.next()
      try require("the fifth change", sync?.entities, [:])
      try require("the sync state of the fifth change", sync?.hasSyncState, true)
      try await require(
        "the deletion", changes.next()?.entities, dependent.merging([.vehicle: ["car"]]) { old, _ in old })
    },
    ObservationClause("unsaved, discarded and empty units change nothing") { stores, writers in
      var changes = stores.changes.makeAsyncIterator()
      let unit = writers.makeDataStore()
      try unit.upsertGeofence(id: "discarded") { $0.name = "n" }
      unit.rollback()
      try unit.save()
      try addGeofence("a", writers)
      try await require("the first change", changes.next()?.entities, [.geofence: ["a"]])
    },
    ObservationClause("the cancellation of its task ends an observation") { stores, _ in
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { for try await _ in stores.changes {} }
        group.addTask { for try await _ in stores.observe({ try $0.fetchAllGeofences() }) {} }
        await Task.yield()
        group.cancelAll()
        try await group.waitForAll()
      }
    },
  ]

  private static func addGeofence(_ id: String, _ writers: any DataStoreFactory) throws {
    let unit = writers.makeDataStore()
    try unit.upsertGeofence(id: id) { $0.name = id }
    try unit.save()
  }
}
