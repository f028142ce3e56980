import Foundation
import Testing
import TrendyModels
import TrendyProtocols
import TrendySync
import TrendyTesting

@Suite("Recorder", .timeLimit(.minutes(10)))
struct RecorderTests {
  private let device = Device()
  private var store: MockDataStore { device.store }

  private func queued<Request: Decodable>(_ type: Request.Type, _ index: Int = 0) throws -> Request {
    try #require(store.storedPendingMutations.count > index)
    return try WireJSON.decode(type, from: store.storedPendingMutations[index].payload)
  }

  @Test func `a logged event gets the current time, a new id and the defaults of its type`() throws {
    let device = Device()
    let type = device.seedType("T")
    try device.store.upsertPropertyDefinition(id: "d", eventTypeId: "T") {
      $0.key = "size"
      $0.propertyType = .select
      $0.defaultValue = "small"
    }
    try device.store.save()
    let first = try device.recorder.log(type, notes: "oat", properties: ["cups": 2])
    let second = try device.recorder.log(type, at: device.clock.now - 60, until: device.clock.now)
    #expect(first.timestamp == device.clock.now && second.timestamp == device.clock.now - 60)
    #expect(first.properties == ["cups": 2, "size": .select("small")] && first.id < second.id)
    #expect(UUIDv7(first.id)?.date == device.clock.now)
    #expect(device.store.storedEvents.values.map(\.id).sorted() == [first.id, second.id])
    #expect(device.store.storedEvents[first.id]?.properties == first.properties)
    #expect(device.store.storedPendingMutations.count == 2)
  }

  @Test(
    "a time that RFC 3339 cannot represent is rejected",
    arguments: [.nan, .infinity, -.infinity, 1e300, 253_402_300_800, -62_167_219_200.001] as [Double])
  func unwritableTimes(seconds: Double) throws {
    let device = Device()
    let type = device.seedType("T")
    let date = Date(timeIntervalSince1970: seconds)
    let held = try device.recorder.log(type, at: RFC3339.writableDates.upperBound - 0.001)
    try device.recorder.log(type, at: RFC3339.writableDates.lowerBound)
    let refusal = RecorderError.unwritableTime(.event, id: held.id)
    #expect(throws: refusal) { try device.recorder.edit(eventId: held.id) { $0.timestamp = date } }
    #expect(throws: refusal) { try device.recorder.edit(eventId: held.id) { $0.endDate = date } }
    #expect(throws: RecorderError.self) { try device.recorder.log(type, at: date) }
    #expect(throws: RecorderError.unwritableTime(.event, id: "e")) {
      try device.recorder.inOneSave { try $0.recordNew(Event(id: "e", eventTypeId: "T", timestamp: date)) }
    }
    #expect(device.store.storedEvents[held.id] == held && device.store.storedEvents.count == 2)
    #expect(device.store.storedPendingMutations.count == 2)
  }

  @Test func `several changes are saved together or not at all`() throws {
    let device = Device()
    let type = EventType(id: "T", name: "coffee", colorHex: "#888888", iconName: "•")
    let event = EventFixture.makeEvent(id: "e", eventTypeId: "T")
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try device.recorder.inOneSave { save in
        try save.record(type)
        try save.record(event)
        #expect(try save.store.findEvent(id: "e") != nil, "what was done shows within")
        throw Stop()
      }
    }
    #expect(device.store.storedEventTypes.isEmpty && device.store.storedPendingMutations.isEmpty)
    let saves = device.store.saveCalls
    try device.recorder.inOneSave { save in
      try save.record(type)
      try save.record(event)
      try save.edit(eventId: "e") { $0.notes = "oat" }
      try save.record(EventFixture.makeEvent(id: "f", eventTypeId: "T"))
      try save.delete(eventId: "f")
    }
    #expect(device.store.saveCalls == saves + 1)
    #expect(device.store.storedEvents.mapValues(\.notes) == ["e": "oat"])
    #expect(device.store.storedPendingMutations.map(\.entityId) == ["T", "e"])
  }

  @Test func `an edit of a place's role or color is queued, with null for a removed value`() throws {
    let device = Device()
    try device.recorder.record(Geofence(id: "g", name: "Work", latitude: 1, longitude: 2))
    for mutation in device.store.storedPendingMutations { try device.store.deletePendingMutation(mutation) }
    try device.store.save()
    func payloads() throws -> [JSONValue] {
      try device.store.storedPendingMutations.map { try WireJSON.decode(JSONValue.self, from: $0.payload) }
    }
    try device.recorder.edit(geofenceId: "g") { $0.role = "office" }
    #expect(try payloads() == [["role": "office"]])
    try device.recorder.edit(geofenceId: "g") { ($0.role, $0.colorHex) = (nil, "#112233") }
    #expect(try payloads() == [["role": .null, "color": "#112233"]])
    #expect(device.store.storedGeofences["g"]?.colorHex == "#112233")
  }

  @Test func `an edit of a type's goal queues only the goal, with null for a removed goal`() throws {
    let device = Device()
    device.seedType("T")
    try device.recorder.edit(eventTypeId: "T") { $0.goal = Goal(3, per: .week) }
    #expect(
      try device.store.storedPendingMutations.map { try WireJSON.decode(JSONValue.self, from: $0.payload) }
        == [["goal": ["amount": 3, "bound": "at_least", "measure": "count", "period": "week"]]])
    try device.recorder.edit(eventTypeId: "T") { $0.goal = nil }
    #expect(device.store.storedEventTypes["T"]?.goal == nil)
    #expect(
      try device.store.storedPendingMutations.map { try WireJSON.decode(JSONValue.self, from: $0.payload) }
        == [["goal": .null]])
  }

  @Test func `missing properties get their defaults on request`() throws {
    let device = Device()
    device.seedType("T")
    device.seedType("other")
    for (key, type, value) in [("size", "T", "small"), ("kind", "T", nil), ("else", "other", "x")]
      as [(String, String, JSONValue?)]
    {
      try device.store.upsertPropertyDefinition(id: key, eventTypeId: type) {
        $0.key = key
        $0.propertyType = .text
        $0.defaultValue = value
      }
    }
    try device.store.save()
    for id in ["plain", "filled", "own"] {
      var event = EventFixture.makeEvent(id: id, eventTypeId: "T")
      event.properties = id == "own" ? ["size": PropertyValue(type: .text, value: "large")] : [:]
      try device.recorder.record(event, fillingDefaults: id != "plain")
    }
    let sizes = device.store.storedEvents.mapValues { $0.properties.mapValues(\.value) }
    #expect(sizes == ["plain": [:], "filled": ["size": "small"], "own": ["size": "large"]])
    let payload = try #require(device.store.storedPendingMutations.first { $0.entityId == "filled" }?.payload)
    #expect(String(decoding: payload, as: UTF8.self).contains("small"), "the hub is told of it")
  }

  @Test func `a deleted event of which the device has no copy cannot be restored`() throws {
    // The client is unversioned. If the delete were cancelled, only the hub would have the event.
    let device = Device()
    device.seedType()
    device.seedEvent()
    #expect(try device.recorder.delete(eventId: "evt-1"))
    #expect(throws: RecorderError.notHeld(.event, id: "evt-1")) { try device.recorder.restore(eventId: "evt-1") }
    #expect(device.store.storedPendingMutations.map(\.operation) == [.delete])
  }

  @Test func `an unsent deleted event is recreated under another type, after the delete of its old type`() throws {
    let device = Device()
    let id = "0f4d2a5e-93a1-8c11-9a3e-5b1f00c2d3e4"  // a version 8 UUID, as created by an import
    let types = ["gym", "sport"].map { EventType(id: $0, name: $0, colorHex: "#000000", iconName: "star") }
    try device.recorder.record(types[0])
    var event = EventFixture.makeEvent(id: id, eventTypeId: "gym")
    event.sourceType = .imported
    try device.recorder.record(event)
    try device.recorder.delete(eventId: id)
    try device.recorder.delete(eventTypeId: "gym")
    event.eventTypeId = "sport"
    event.notes = "as the file says now"
    let restored = try device.recorder.inOneSave { save in
      try save.record(types[1])
      return try save.restore(as: event)
    }
    #expect(restored)
    #expect(device.store.storedEvents[id]?.eventTypeId == "sport")
    #expect(device.store.storedEvents[id]?.notes == "as the file says now")
    #expect(device.store.storedTombstones.allSatisfy { $0.entityId != id })
    // A hub that deletes a type deletes its events at the same time, so the create must come last.
    let queue = device.store.storedPendingMutations
    #expect(queue.last.map { "\($0.operation) \($0.entityId)" } == "create \(id)")
    #expect(queue.count { $0.entityId == id } == 1)
    #expect(try device.recorder.inOneSave { try $0.restore(as: event) } == false, "it lives")
  }

  @Test func `an event that the hub may have cannot be restored while its type's delete is pending`() async throws {
    device.seedType()
    try device.recorder.record(EventFixture.makeEvent())
    device.network.createEventsBatchResponses = [.failure(APIError.httpError(503))]
    await device.engine.performSync()
    try device.recorder.delete(eventId: "evt-1")
    try device.recorder.delete(eventTypeId: EventFixture.makeEvent().eventTypeId)
    var event = EventFixture.makeEvent()
    event.eventTypeId = "sport"
    let before = store.storedPendingMutations
    #expect(throws: RecorderError.deletionUnderWay(.event, id: "evt-1")) {
      try device.recorder.inOneSave { save in
        try save.record(EventType(id: "sport", name: "sport", colorHex: "#000000", iconName: "star"))
        _ = try save.restore(as: event)
      }
    }
    #expect(store.storedPendingMutations == before)
  }

  @Test func `an event with a pending delete is restored under the requested type, unless that type is deleted`()
    async throws
  {
    device.seedType()
    try device.recorder.record(EventFixture.makeEvent())
    try device.recorder.record(EventType(id: "sport", name: "sport", colorHex: "#000000", iconName: "star"))
    device.network.createEventsBatchResponses = [.failure(APIError.httpError(503))]
    await device.engine.performSync()
    let type = EventFixture.makeEvent().eventTypeId
    try device.recorder.delete(eventId: "evt-1")
    #expect(try device.recorder.restore(eventId: "evt-1", to: "sport"))
    #expect(store.storedEvents["evt-1"]?.eventTypeId == "sport")
    #expect(store.storedPendingMutations.filter { $0.entityId == "evt-1" }.map(\.operation) == [.create, .update])
    try device.recorder.edit(eventId: "evt-1") { $0.eventTypeId = type }
    try device.recorder.delete(eventId: "evt-1")
    try device.recorder.delete(eventTypeId: type)
    let waiting = store.storedPendingMutations
    #expect(throws: RecorderError.parentDeleted(.event, id: "evt-1", eventTypeId: type)) {
      try device.recorder.restore(eventId: "evt-1")
    }
    // The hub would receive the type's delete before the move, and delete the event together with its type.
    #expect(throws: RecorderError.deletionUnderWay(.event, id: "evt-1")) {
      try device.recorder.restore(eventId: "evt-1", to: "sport")
    }
    #expect(store.storedPendingMutations == waiting)
  }

  @Test func `an event edited and deleted before its create is acknowledged is restored as edited`() async throws {
    device.seedType()
    try device.recorder.record(EventFixture.makeEvent())
    device.network.createEventsBatchResponses = [.failure(APIError.httpError(503))]
    await device.engine.performSync()
    #expect(store.storedPendingMutations.map { $0.sequence != nil } == [true])
    try device.recorder.edit(eventId: "evt-1") { $0.notes = "as I said last" }
    try device.recorder.delete(eventId: "evt-1")
    #expect(try device.recorder.restore(eventId: "evt-1"))
    #expect(store.storedEvents["evt-1"]?.notes == "as I said last")
    #expect(store.storedPendingMutations.map(\.operation) == [.create, .update])
  }

  @Test func `an event and its mutation are written in one save`() throws {
    device.seedType()
    #expect(try device.recorder.record(EventFixture.makeEvent()))
    #expect(store.saveCalls == 1)
    #expect(store.storedEvents["evt-1"]?.syncStatus == .pending)
    let mutation = try #require(store.storedPendingMutations.first)
    #expect(mutation.operation == .create && mutation.entityId == "evt-1" && mutation.entityType == .event)
    #expect(mutation.sequence == nil && mutation.attempts == 0)
    #expect(try queued(CreateEventRequest.self) == EventFixture.makeEvent().createRequest)
  }

  @Test func `every kind can be recorded`() throws {
    try device.recorder.record(EventTypeFixture.makeEventType())
    try device.recorder.record(EventFixture.makeEvent())
    try device.recorder.record(Geofence(id: "geo-1", name: "Home", latitude: 1, longitude: 2))
    try device.recorder.record(
      PropertyDefinition(id: "def-1", eventTypeId: "type-1", key: "k", label: "K", propertyType: .number))
    #expect(store.storedPendingMutations.map(\.entityType) == [.eventType, .event, .geofence, .propertyDefinition])
    #expect(Set(store.storedPendingMutations.map(\.idempotencyKey)).count == 4)
    #expect(store.storedGeofences["geo-1"]?.syncStatus == .pending)
    #expect(store.storedPropertyDefinitions["def-1"]?.propertyType == .number)
  }

  @Test func `a kind without its own Swift type is recorded, edited and deleted like any other`() throws {
    let car = SyncedRecord(id: "car", kind: .vehicle, fields: ["name": "Kombi", "notes": "red"])
    try device.recorder.record(car)
    #expect(try store.findRecord(kind: .vehicle, id: "car") == car)
    try device.recorder.edit(.vehicle, id: "car") {
      $0.fields["name"] = "Käfer"
      $0.fields["notes"] = nil
    }
    #expect(try store.findRecord(kind: .vehicle, id: "car")?.fields == ["name": "Käfer"])
    let create = try #require(store.storedPendingMutations.first)
    #expect(try WireJSON.decode(JSONValue.self, from: create.payload) == ["id": "car", "name": "Käfer"])
    #expect(try device.recorder.delete(.vehicle, id: "car"))
    #expect(try store.fetchRecords(kind: .vehicle).isEmpty && store.storedPendingMutations.isEmpty)
  }

  @Test func `a kind with its own Swift type cannot be recorded as a generic record`() {
    #expect(throws: RecorderError.hasItsOwnType(.event)) {
      try device.recorder.record(SyncedRecord(id: "e", kind: .event))
    }
    #expect(store.storedPendingMutations.isEmpty)
  }

  @Test func `a failed save leaves neither entity nor mutation`() {
    device.seedType()
    store.throwOnSave = TestError()
    #expect(throws: TestError()) { try device.recorder.record(EventFixture.makeEvent()) }
    #expect(store.storedEvents.isEmpty && store.storedPendingMutations.isEmpty)
  }

  @Test func `a mutation that cannot be queued leaves no entity`() {
    device.seedType()
    store.throwOnInsertMutation = TestError()
    #expect(throws: TestError()) { try device.recorder.record(EventFixture.makeEvent()) }
    #expect(store.storedEvents.isEmpty && store.storedPendingMutations.isEmpty)
  }

  @Test func `an edit queues only the fields that differ`() throws {
    device.seedType()
    store.seedEvent(id: "evt-1", eventType: EventTypeFixture.makeEventType()) {
      $0.notes = "old"
      $0.locationName = "here"
      $0.syncStatus = .synced
    }
    let edited = try device.recorder.edit(eventId: "evt-1") {
      $0.notes = nil
      $0.isAllDay = true
    }
    #expect(edited.notes == nil && edited.locationName == "here" && edited.syncStatus == .pending)
    #expect(try queued(UpdateEventRequest.self) == UpdateEventRequest(notes: .null, isAllDay: true))
    #expect(store.storedEvents["evt-1"] == edited)
  }

  @Test func `an edit that changes nothing queues nothing`() throws {
    device.seedType()
    device.seedEvent()
    try device.recorder.edit(eventId: "evt-1") { $0.notes = $0.notes }
    #expect(store.storedPendingMutations.isEmpty)
    #expect(store.storedEvents["evt-1"]?.syncStatus == .synced)
  }

  @Test func `an edit whose closure throws changes nothing`() {
    device.seedType()
    device.seedEvent()
    #expect(throws: TestError()) {
      try device.recorder.edit(eventId: "evt-1") {
        $0.notes = "half"
        throw TestError()
      }
    }
    #expect(store.storedEvents["evt-1"]?.notes == nil && store.storedPendingMutations.isEmpty)
  }

  @Test func `an edit of a missing entity throws notHeld`() {
    #expect(throws: RecorderError.notHeld(.geofence, id: "nowhere")) {
      try device.recorder.edit(geofenceId: "nowhere") { $0.name = "x" }
    }
  }

  @Test func `a second edit is merged into the first`() throws {
    device.seedType()
    device.seedEvent()
    try device.recorder.edit(eventId: "evt-1") { $0.notes = "first" }
    try device.recorder.edit(eventId: "evt-1") { $0.locationName = "second" }
    #expect(store.storedPendingMutations.count == 1)
    #expect(
      try queued(UpdateEventRequest.self) == UpdateEventRequest(notes: .value("first"), locationName: .value("second")))
  }

  @Test func `the queue has at most one unsent mutation per entity and operation`() throws {
    device.seedType()
    device.seedEvent("evt-old")
    for index in 0..<5 {
      try device.recorder.record(EventFixture.makeEvent(id: "evt-\(index)"))
      try device.recorder.edit(eventId: "evt-\(index)") { $0.notes = "\(index)" }
      try device.recorder.edit(eventId: "evt-old") { $0.notes = "\(index)" }
      try device.recorder.edit(eventTypeId: "type-1") { $0.name = "\(index)" }
    }
    let keys = store.storedPendingMutations.map { "\($0.entityId) \($0.operation)" }
    #expect(Set(keys).count == keys.count)
    #expect(keys.count == 7)
  }

  @Test func `an edited unsent create remains one create with the last values`() throws {
    device.seedType()
    try device.recorder.record(EventFixture.makeEvent())
    try device.recorder.edit(eventId: "evt-1") { $0.notes = "later" }
    #expect(store.storedPendingMutations.map(\.operation) == [.create])
    #expect(try queued(CreateEventRequest.self).notes == "later")
  }

  @Test func `a deleted unsent create leaves nothing`() throws {
    device.seedType()
    try device.recorder.record(EventFixture.makeEvent())
    #expect(try device.recorder.delete(eventId: "evt-1"))
    #expect(store.storedEvents.isEmpty && store.storedPendingMutations.isEmpty && store.storedTombstones.isEmpty)
  }

  @Test func `deleting an edited event leaves its delete and a tombstone, in one save`() throws {
    device.seedType()
    device.seedEvent()
    try device.recorder.edit(eventId: "evt-1") { $0.notes = "later" }
    let saves = store.saveCalls
    #expect(try device.recorder.delete(eventId: "evt-1"))
    #expect(store.saveCalls == saves + 1)
    #expect(store.storedPendingMutations.map(\.operation) == [.delete])
    #expect(store.storedPendingMutations.first?.payload == Data())
    #expect(store.storedTombstones == [Tombstone(entityType: .event, entityId: "evt-1")])
    #expect(store.storedEvents.isEmpty)
  }

  @Test func `deleting a missing entity returns false and queues nothing`() throws {
    #expect(try !device.recorder.delete(eventId: "nowhere"))
    #expect(store.storedPendingMutations.isEmpty && store.storedTombstones.isEmpty)
  }

  @Test func `deleting a type removes its children and adds tombstones for all of them`() throws {
    device.seedType()
    device.seedType("type-2")
    device.seedEvent("evt-1")
    device.seedEvent("evt-2", type: "type-2")
    store.seedPropertyDefinition(id: "def-1", eventType: EventTypeFixture.makeEventType(id: "type-1"))
    #expect(try device.recorder.delete(eventTypeId: "type-1"))
    #expect(Set(store.storedEvents.keys) == ["evt-2"])
    #expect(store.storedPropertyDefinitions.isEmpty)
    #expect(store.storedPendingMutations.map(\.entityId) == ["type-1"])
    #expect(Set(store.storedTombstones.map(\.entityId)) == ["type-1", "evt-1", "def-1"])
  }

  @Test func `a deleted event can be recorded again`() throws {
    device.seedType()
    device.seedEvent()
    try device.recorder.delete(eventId: "evt-1")
    try device.recorder.record(EventFixture.makeEvent())
    #expect(store.storedEvents["evt-1"] != nil && store.storedTombstones.isEmpty)
    #expect(store.storedPendingMutations.map(\.operation) == [.delete, .create])
  }

  @Test func `recording an existing event edits it`() throws {
    device.seedType()
    let held = device.seedEvent()
    var again = held
    again.notes = "again"
    #expect(try device.recorder.record(again))
    #expect(store.storedPendingMutations.map(\.operation) == [.update])
    #expect(try queued(UpdateEventRequest.self) == UpdateEventRequest(notes: .value("again")))
  }

  @Test func `an imported event that exists, is pending or was deleted here is skipped`() throws {
    device.seedType()
    var imported = EventFixture.makeEvent(sourceType: .imported)
    #expect(try device.recorder.record(imported))
    imported.notes = "another reading of the same file"
    #expect(try !device.recorder.record(imported))
    #expect(store.storedPendingMutations.count == 1 && store.storedEvents["evt-1"]?.notes == "Test event")
    try device.recorder.delete(eventId: "evt-1")
    #expect(try !device.recorder.record(imported))
    #expect(store.storedEvents.isEmpty)
    #expect(store.storedPendingMutations.map(\.operation) == [.create, .delete])
  }

  @Test func `several events are recorded in one save`() throws {
    device.seedType()
    let events = (0..<20).map { EventFixture.makeEvent(id: newEventId($0)) }
    #expect(try device.recorder.record(events + events) == 20)
    #expect(store.saveCalls == 1 && store.storedPendingMutations.count == 20)
  }

  @Test func `a clock that is set back does not place a child before its parent`() throws {
    try device.recorder.record(EventTypeFixture.makeEventType(id: "type-new"))
    device.clock.setDate(DeterministicDate.jan1_2024 - 86_400)
    try device.recorder.record(EventFixture.makeEvent(eventTypeId: "type-new"))
    #expect(store.storedPendingMutations.map(\.entityType) == [.eventType, .event])
  }

  @Test func `a clock that is set back does not place a delete before the edit of a child`() throws {
    device.seedType()
    device.seedEvent()
    device.seedType("type-2")
    try device.recorder.edit(eventId: "evt-1") { $0.eventTypeId = "type-2" }
    device.clock.setDate(DeterministicDate.jan1_2024 - 86_400)
    try device.recorder.delete(eventTypeId: "type-1")
    #expect(store.storedPendingMutations.map(\.operation) == [.update, .delete])
    #expect(store.storedEvents["evt-1"]?.eventTypeId == "type-2")
  }

  @Test func `mutations have distinct ids and idempotency keys`() throws {
    device.seedType()
    try device.record(events: 100)
    #expect(Set(store.storedPendingMutations.map(\.id)).count == 100)
    #expect(Set(store.storedPendingMutations.map(\.idempotencyKey)).count == 100)
  }

  // MARK: queueMutation

  @Test func `a queued payload is applied and pending`() throws {
    device.seedType()
    device.seedEvent()
    try device.recorder.queueMutation(
      entityType: .event, operation: .update, entityId: "evt-1",
      payload: WireJSON.encode(UpdateEventRequest(notes: .value("queued"))))
    #expect(store.storedEvents["evt-1"]?.notes == "queued")
    #expect(store.storedEvents["evt-1"]?.syncStatus == .pending)
    #expect(store.saveCalls == 1)
  }

  @Test func `an update of an entity that only the hub has is queued`() throws {
    try device.recorder.queueMutation(
      entityType: .geofence, operation: .update, entityId: "geo-1",
      payload: WireJSON.encode(UpdateGeofenceRequest(radius: 75)))
    #expect(store.storedPendingMutations.count == 1 && store.storedGeofences.isEmpty)
  }

  @Test func `an unreadable payload changes nothing`() {
    #expect(throws: APIError.self) {
      try device.recorder.queueMutation(
        entityType: .event, operation: .create, entityId: "evt-1", payload: Data("{}".utf8))
    }
    #expect(store.storedPendingMutations.isEmpty && store.storedEvents.isEmpty)
  }

  @Test func `a payload of another entity is rejected`() {
    #expect(throws: RecorderError.otherEntity(.eventType, id: "type-2", payloadId: "type-1")) {
      try device.recorder.queueMutation(
        entityType: .eventType, operation: .create, entityId: "type-2",
        payload: WireJSON.encode(APIModelFixture.makeCreateEventTypeRequest()))
    }
  }

  @Test func `the engine queues like the recorder and rolls back after a failed save`() async throws {
    device.seedType()
    let payload = try WireJSON.encode(APIModelFixture.makeCreateEventRequest())
    store.throwOnSave = TestError()
    await #expect(throws: TestError()) {
      try await device.engine.queueMutation(
        entityType: .event, operation: .create, entityId: "evt-1", payload: payload)
    }
    #expect(store.storedPendingMutations.isEmpty && store.storedEvents.isEmpty)
    store.throwOnSave = nil
    try await device.engine.queueMutation(
      entityType: .event, operation: .create, entityId: "evt-1", payload: payload)
    #expect(await device.engine.pendingCount == 1)
    #expect(store.storedEvents["evt-1"]?.syncStatus == .pending)
  }

  // MARK: Undoing imports

  private static let imported = "00000000-0000-8000-8000-000000000001"

  /// Returns a device without a hub that has imported one event, and the payload of the event's create.
  private static func importer(_ change: (Device) throws -> Void = { _ in }) throws -> (device: Device, payload: Data) {
    let device = Device()
    device.seedType()
    var event = EventFixture.makeEvent(id: imported, eventTypeId: "type-1")
    event.sourceType = .imported
    try device.recorder.record(event)
    let payload = try #require(device.store.storedPendingMutations.first).payload
    try change(device)
    return (device, payload)
  }

  private static func deleteUntouched(_ device: Device, _ id: String = imported, saying payload: Data) throws -> Bool {
    try device.recorder.inOneSave { try $0.deleteUntouchedImports(eventIds: [id]) { $1 == payload } } == [true]
  }

  @Test func `untouched imported events are deleted once, as by any other delete`() throws {
    let (one, payload) = try Self.importer()
    let (other, _) = try Self.importer()
    let areDeleted = try one.recorder.inOneSave { save in
      try save.deleteUntouchedImports(eventIds: [Self.imported, "unknown", Self.imported]) { index, own in
        #expect(index == 0)
        return own == payload
      }
    }
    #expect(areDeleted == [true, false, false])
    #expect(try other.recorder.inOneSave { try $0.undoingImport.delete(eventId: Self.imported) })
    #expect(one.store.storedPendingMutations.map(\.operation) == [.create, .delete])
    #expect(one.store.storedPendingMutations == other.store.storedPendingMutations)
    #expect(one.store.storedTombstones == other.store.storedTombstones && one.store.storedTombstones.count == 1)
    #expect(one.store.storedEvents.isEmpty)
    #expect(try Self.deleteUntouched(one, saying: payload) == false, "once")
    #expect(one.store.storedPendingMutations.count == 2)
  }

  @Test func `an event that was edited, sent, accepted or recorded by hand is not an untouched import`() throws {
    func sending(_ device: Device) throws {
      var sent = try #require(device.store.storedPendingMutations.first)
      sent.sequence = 1
      try device.store.insertPendingMutation(sent)
      try device.store.save()
    }
    func accepting(_ device: Device) throws {
      var accepted = try #require(device.store.storedPendingMutations.first)
      accepted.acceptedVersion = 7
      try device.store.insertAcceptedMutation(accepted)
      try device.store.save()
    }
    func holding(_ device: Device) throws {
      try device.store.insertHeldEntry(
        ChangeEntry(id: 9, entityType: "event", operation: "create", entityId: Self.imported))
      try device.store.save()
    }
    let changes: [(String, (Device) throws -> Void)] = [
      ("edited", { try $0.recorder.edit(eventId: Self.imported) { $0.notes = "mine" } }),
      ("sent", sending), ("accepted", accepting), ("held", holding),
      ("settled", { for mutation in $0.store.storedPendingMutations { try $0.store.deletePendingMutation(mutation) } }),
      ("gone with its type", { try $0.recorder.delete(eventTypeId: "type-1") }),
    ]
    for (name, change) in changes {
      let (device, payload) = try Self.importer(change)
      let (waiting, events) = (device.store.storedPendingMutations, device.store.storedEvents)
      #expect(try !Self.deleteUntouched(device, saying: payload), "\(name)")
      #expect(device.store.storedPendingMutations == waiting && device.store.storedEvents == events, "\(name)")
    }
    let (device, payload) = try Self.importer()
    #expect(try !Self.deleteUntouched(device, saying: payload + [32]))
    try device.record(events: 1)
    let byHand = try #require(device.store.storedPendingMutations.last).payload
    #expect(try !Self.deleteUntouched(device, newEventId(0), saying: byHand))
    #expect(device.store.storedPendingMutations.count == 2 && device.store.storedTombstones.isEmpty)
  }

  @Test func `ids from the system's random source are unique`() throws {
    let device = Device()
    let recorder = Recorder(dataStoreFactory: device.factory, clock: device.clock)
    let type = device.seedType()
    // More ids than one read of the system's random numbers provides.
    for _ in 0..<100 { try recorder.log(type) }
    #expect(Set(device.store.storedPendingMutations.map(\.id)).count == 100)
    let low = device.store.storedEvents.keys.compactMap { UUIDv7($0)?.low }
    #expect(Set(low).count == 100)
  }
}
