import Foundation
import Testing
import TrendyModels
import TrendyProtocols
import TrendySync
import TrendyTesting

/// Types that this or another device has merged into another type. Bare numbers are hub versions.
@Suite("Merged types on a device", .timeLimit(.minutes(10)))
struct MergedTypeTests {
  private let hub: HubDouble
  private let device: Device
  private var store: MockDataStore { device.store }

  init() {
    let hub = HubDouble()
    self.hub = hub
    device = Device(cursor: nil, client: { VersionedHubClient(base: $0, hub: hub) })
  }

  /// Syncs the types T and U, and the event E of type T.
  private func begin() async {
    hub.set { $0.snapshot = [.type("T", 1), .type("U", 2), .event("E", 3)] }
    await device.engine.performSync()
  }

  private func mergeElsewhere() {
    hub.set {
      $0.pages = [
        [
          .event("E", 4, of: "U"),
          .tombstone(.eventType, "T", 5, ["name": "Coffee", "color": "#000000", "icon": "cup", "merged_into": "U"]),
        ]
      ]
    }
  }

  private func event(_ id: String, of type: String = "T") -> Event {
    EventFixture.makeEvent(id: id, eventTypeId: type)
  }

  @Test func `a pending event of a type merged elsewhere is shown under the target type`() async throws {
    await begin()
    mergeElsewhere()
    // Recorded during the pull, after the push of this round. The pushes of later rounds fail.
    let recorder = device.recorder
    hub.set {
      $0.onPull = { try recorder.record(EventFixture.makeEvent(id: "L", eventTypeId: "T")) }
      $0.pushErrors = Array(repeating: .networkError("lost"), count: 9)
    }
    await device.engine.performSync()
    #expect(store.storedEventTypes["T"] == nil && store.storedEvents["E"]?.eventTypeId == "U")
    #expect(store.storedEvents["L"]?.eventTypeId == "U")
    #expect(store.storedPendingMutations.map(\.entityId) == ["L"])
  }

  @Test func `events recorded under or moved to a merged type get the target type`() async throws {
    await begin()
    try device.recorder.record(event("F", of: "U"))
    mergeElsewhere()
    await device.engine.performSync()
    #expect(try device.recorder.record(event("L")))
    try device.recorder.inOneSave { _ = try $0.recordNew(event("M")) }
    try device.recorder.edit(eventId: "F") { $0.eventTypeId = "T" }
    for id in ["L", "M", "F"] { #expect(store.storedEvents[id]?.eventTypeId == "U", "\(id)") }
    let payload = try #require(store.storedPendingMutations.first { $0.entityId == "L" }?.payload)
    #expect(try WireJSON.decode([String: JSONValue].self, from: payload)["event_type_id"] == "U")
  }

  @Test func `a merge is sent with its target and pending edits, and undoing it removes the target`() async throws {
    await begin()
    try device.recorder.edit(eventTypeId: "T") { $0.name = "Kaffee" }
    try device.recorder.edit(eventId: "E") { $0.eventTypeId = "U" }
    try device.recorder.inOneSave { _ = try $0.delete(eventTypeId: "T", mergedInto: "U") }
    func waiting() throws -> PendingMutation? { try store.fetchPendingMutations().last { $0.entityId == "T" } }
    let delete = try #require(try waiting())
    let fields = try FieldChange.changes(of: delete)
    #expect(delete.operation == .delete && fields["merged_into"]?.value == "U" && fields["name"]?.value == "Kaffee")
    #expect(try device.recorder.record(event("L")))
    #expect(store.storedEvents["L"]?.eventTypeId == "U")
    #expect(try device.recorder.restore(.eventType, id: "T"))
    let edit = try #require(try waiting())
    #expect(try edit.operation == .update && FieldChange.changes(of: edit).keys.sorted() == ["name"])
    #expect(store.storedEventTypes["T"]?.unknownFields.isEmpty == true)
  }

  @Test func `a restored type has no reference to the merge`() async throws {
    await begin()
    mergeElsewhere()
    await device.engine.performSync()
    #expect(try device.recorder.restore(.eventType, id: "T"))
    #expect(store.storedEventTypes["T"]?.unknownFields.isEmpty == true)
    #expect(try device.recorder.record(event("L")))
    #expect(store.storedEvents["L"]?.eventTypeId == "T")
  }
}
