import Foundation
import StorageTesting
import Testing
import TrendyAgent
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendySync
import TrendyTesting

@Suite("Undo", .timeLimit(.minutes(10)))
struct UndoTests {
  private static let typeId = "0199f3c2-0000-7000-8000-000000000001"

  private static func event(_ id: String, _ notes: String?, count: Int? = nil) -> Event {
    Event(
      id: id, eventTypeId: typeId, timestamp: DeterministicDate.jan1_2024, notes: notes,
      properties: count.map { ["count": PropertyValue(type: .number, value: .int(Int64($0)))] } ?? [:])
  }

  private static func record(
    on disk: SimulatedFileSystem, beside folder: URL? = nil, clock: ManualClock = ManualClock()
  ) throws -> DeviceRecord {
    DeviceRecord(
      directory: folder ?? URL(filePath: "/nowhere"),
      dataStoreFactory: try DefaultDataStoreFactory(
        directory: "/store", fileSystem: disk, generator: SeededGenerator(seed: 1)),
      clock: clock)
  }

  private static func fresh(clock: ManualClock = ManualClock()) throws -> (SimulatedFileSystem, DeviceRecord) {
    let disk = SimulatedFileSystem()
    let record = try record(on: disk, clock: clock)
    try record.recorder.record(EventType(id: typeId, name: "nap", colorHex: "#888888", iconName: "•"))
    return (disk, record)
  }

  private static func notes(_ record: DeviceRecord) throws -> [String: String] {
    Dictionary(
      uniqueKeysWithValues: try record.makeStore().fetchAllEvents().map {
        ($0.id, "\($0.notes ?? "") \($0.properties["count"]?.intValue ?? 0)")
      })
  }

  @Test func `an unsynced deleted event is listed and restored unchanged`() throws {
    let (_, record) = try Self.fresh()
    try record.perform("log a", [.event(Self.event("a", "one", count: 3))])
    try record.perform("log b", [.event(Self.event("b", "two"))])
    try record.perform("rm a", [], before: [.event(Self.event("a", "one", count: 3))])
    try record.perform("edit b", [.event(Self.event("b", "three"))], before: [.event(Self.event("b", "two"))])
    let deleted = try record.deleted([.event])
    #expect(deleted.map(\.id) == ["a"] && deleted[0].event?.notes == "one")
    try record.restore("restore a", deleted)
    #expect(try Self.notes(record) == ["a": "one 3", "b": "three 0"])
    #expect(try record.deleted([.event]).isEmpty)
    try record.undo()
    #expect(try Self.notes(record) == ["b": "three 0"])
    #expect(try record.deleted([.event]).map(\.id) == ["a"], "it was deleted, whatever was taken back since")
  }

  @Test func `an unsynced deletion can be restored for 90 days despite later changes`() async throws {
    let clock = ManualClock()
    let (_, record) = try Self.fresh(clock: clock)
    try record.perform("log a", [.event(Self.event("a", "one", count: 3))])
    try record.perform("rm a", [], before: [.event(Self.event("a", "one", count: 3))])
    try record.perform("log b", [.event(Self.event("b", "0"))])
    func editB(_ numbers: Range<Int>) throws {
      for number in numbers {
        try record.perform(
          "edit b", [.event(Self.event("b", "\(number + 1)"))], before: [.event(Self.event("b", "\(number)"))])
      }
    }
    try editB(0..<60)
    #expect(try record.undoHistory().done.allSatisfy { $0.label == "edit b" })
    await clock.advance(by: .seconds(89 * 86_400))
    try editB(60..<120)
    let deleted = try record.deleted([.event])
    #expect(deleted.map(\.id) == ["a"] && deleted[0].event?.properties["count"]?.intValue == 3)
    try record.restore("restore a", deleted)
    #expect(try Self.notes(record)["a"] == "one 3" && record.deleted([.event]).isEmpty)
    try record.undo()
    try editB(120..<180)
    #expect(try record.deleted([.event]).map(\.id) == ["a"])
    await clock.advance(by: .seconds(2 * 86_400))
    try editB(180..<181)
    #expect(try record.deleted([.event]).isEmpty, "a hub would have forgotten it as well")
  }

  @Test func `undo keeps a created type to which another device added a property or a skip`() throws {
    for isSkip in [false, true] {
      let (_, record) = try Self.fresh()
      let swim = EventType(id: "swim", name: "swim", colorHex: "#888888", iconName: "•")
      try record.perform("type add swim", [.eventType(swim)])
      if isSkip {
        let day = CivilDate(daysSince1970: 19_723)
        let skip = Skip(id: "s", eventTypeId: "swim", days: day...day)
        try record.recorder.record(skip.record)
      } else {
        try record.recorder.record(
          PropertyDefinition(id: "p", eventTypeId: "swim", key: "laps", label: "Laps", propertyType: .number))
      }
      #expect(throws: UndoError.inUse(label: "type add swim")) { try record.undo() }
      #expect(try record.makeStore().findEventType(id: "swim") != nil)
    }
  }

  @Test func `a type can be restored with its events, but no event without its type`() throws {
    let (_, record) = try Self.fresh()
    let event = Self.event("a", "one")
    try record.perform("log a", [.event(event)])
    let type = try #require(try record.makeStore().findEventType(id: Self.typeId))
    try record.perform("type rm nap", [], before: [.event(event), .eventType(type)])
    let deleted = try record.deleted([.event])
    #expect(throws: RecorderError.parentDeleted(.event, id: "a", eventTypeId: Self.typeId)) {
      try record.restore("restore a", deleted)
    }
    try record.restore("restore 2 things", deleted + record.deleted([.eventType]))
    #expect(try Self.notes(record) == ["a": "one 0"])
  }

  @Test func `no event is recorded under a type that another process deleted, and undo restores the type`()
    throws
  {
    let (disk, record) = try Self.fresh()
    let other = try Self.record(on: disk.anotherProcess())
    let type = try #require(try other.makeStore().findEventType(id: Self.typeId))
    try record.perform("type rm nap", [], before: [.eventType(type)])
    #expect(throws: RecorderError.parentDeleted(.event, id: "a", eventTypeId: Self.typeId)) {
      try other.perform("log a", [.event(Self.event("a", "one"))])
    }
    #expect(try other.makeStore().fetchAllEvents().isEmpty)
    #expect(try other.undoHistory().done.map(\.label) == ["type rm nap"])
    try other.undo()
    try other.perform("log a", [.event(Self.event("a", "one"))])
    #expect(try Self.notes(record) == ["a": "one 0"])
  }

  @Test("a change and its undo step are saved together despite power cuts", arguments: [1, 2, 3])
  func power(seed: Int) throws {
    var change = 1
    while true {
      let (disk, record) = try Self.fresh()
      try record.perform("log a", [.event(Self.event("a", "one"))])
      disk.powerOff(beforeChange: change)
      do {
        switch seed {
        case 1: try record.perform("log b", [.event(Self.event("b", "two"))])
        case 2: try record.perform("rm a", [], before: [.event(Self.event("a", "one"))])
        default: try record.undo()
        }
      } catch {}  // ignored: the state afterwards matters
      if !disk.isOff { break }
      disk.restart(losing: .unsynced)
      let again = try Self.record(on: disk)
      let found = try Self.notes(again)
      let history = try again.undoHistory()
      switch seed {
      case 1:
        #expect((found["b"] != nil) == (history.done.last?.label == "log b"), "change \(change)")
      case 2:
        #expect((found["a"] == nil) == (history.done.last?.label == "rm a"), "change \(change)")
        if found["a"] == nil {
          try again.undo()
          #expect(try Self.notes(again) == ["a": "one 0"], "change \(change)")
        }
      default:
        #expect((found["a"] == nil) == (history.undone.last?.label == "log a"), "change \(change)")
      }
      change += 1
    }
    #expect(change > 2)
  }

  @Test func `changes of one process can be undone and redone by others`() throws {
    let (disk, record) = try Self.fresh()
    try record.perform("log a", [.event(Self.event("a", "one"))])
    let other = try Self.record(on: disk.anotherProcess())
    try other.perform("log b", [.event(Self.event("b", "two"))])
    #expect(try record.undo().label == "log b")
    #expect(try other.undo().label == "log a")
    #expect(throws: UndoError.nothing) { try record.undo() }
    let third = try Self.record(on: disk.anotherProcess())
    #expect(try third.redo().label == "log a")
    #expect(try record.redo().label == "log b")
    #expect(try Self.notes(other) == ["a": "one 0", "b": "two 0"])
  }

  @Test func `undoing an edit keeps fields that were changed since and reports them`() throws {
    let (_, record) = try Self.fresh()
    let (old, new) = (Self.event("a", "one", count: 1), Self.event("a", "two", count: 2))
    try record.perform("log a", [.event(old)])
    try record.perform("edit a", [.event(new)], before: [.event(old)], isDivisible: true)
    // An edit without an undo step, like a synced edit from another device.
    try record.recorder.edit(eventId: "a") { $0.notes = "theirs" }
    let step = try record.undo()
    #expect(step.left == [UndoStep.Left(kind: .event, id: "a", fields: ["notes"])])
    #expect(try Self.notes(record) == ["a": "theirs 1"])
    try record.redo()
    #expect(try Self.notes(record) == ["a": "theirs 2"])
  }

  @Test func `an indivisible step is undone completely or not at all`() throws {
    let (_, record) = try Self.fresh()
    let (old, new) = (Self.event("a", "one", count: 1), Self.event("a", "two", count: 2))
    try record.perform("log a", [.event(old)])
    try record.perform("split a", [.event(new), .event(Self.event("b", "rest"))], before: [.event(old)])
    try record.recorder.edit(eventId: "a") { $0.notes = "theirs" }
    #expect(
      throws: UndoError.changedSince(
        label: "split a", left: [UndoStep.Left(kind: .event, id: "a", fields: ["notes"])])
    ) { try record.undo() }
    #expect(try Self.notes(record) == ["a": "theirs 2", "b": "rest 0"])
  }

  @Test func `the last fifty steps are kept with any number of entities, and older ones are deleted`() throws {
    let (_, record) = try Self.fresh()
    for number in 0..<53 {
      let events = (0..<(number == 52 ? 1201 : 1)).map { AnyEntity.event(Self.event("\(number) \($0)", "x")) }
      try record.perform("log \(number)", events, isDivisible: true)
    }
    #expect(try record.undoHistory().done.map(\.label) == (3..<53).map { "log \($0)" })
    try record.undo()
    #expect(try record.makeStore().fetchAllEvents().count == 52)
    try record.redo()
    #expect(try record.makeStore().fetchAllEvents().count == 1253)
    let store = record.dataStoreFactory.makeLocalStore()
    #expect(try store.note(named: "undo 53.2") != nil && store.note(named: "undo 4.0") != nil)
    #expect(try store.note(named: "undo 3") == nil && store.note(named: "undo 3.0") == nil)
    #expect(try store.verify().isEmpty)
  }

  @Test func `several saves of one action are undone as one, even if the last one failed`() throws {
    let (_, record) = try Self.fresh()
    let act = record.act("import drive.gpx")
    for id in ["a", "b"] { _ = try act.inOneSave { try $0.record(Self.event(id, "found")) } }
    #expect(throws: RecorderError.notHeld(.event, id: "c")) {
      try act.inOneSave { save in
        try save.record(Self.event("d", "found"))
        try save.edit(eventId: "c") { $0.notes = "more" }
      }
    }
    #expect(try record.undoHistory().done.map(\.label) == ["import drive.gpx"])
    try record.undo()
    #expect(try Self.notes(record) == [:])
    // A later save is a new step.
    _ = try act.inOneSave { try $0.record(Self.event("e", "found")) }
    #expect(try record.undoHistory().done.count == 1 && record.undoHistory().undone.isEmpty)
  }

  @Test func `undoing the deletion of a type restores its events`() throws {
    let (_, record) = try Self.fresh()
    try record.perform("log two", [.event(Self.event("a", "one")), .event(Self.event("b", "two"))])
    try record.perform("type rm nap") { try $0.delete(.eventType, id: Self.typeId) }
    #expect(try Self.notes(record) == [:])
    try record.undo()
    #expect(try Self.notes(record) == ["a": "one 0", "b": "two 0"])
  }

  @Test func `undo leaves entities of a deleted type unchanged and reports them`() throws {
    let (_, record) = try Self.fresh()
    let walk = EventType(id: "walk", name: "walk", colorHex: "#888888", iconName: "•")
    try record.recorder.record(walk)
    var moved = Self.event("b", "two")
    moved.eventTypeId = "walk"
    try record.perform("log a", [.event(Self.event("a", "one"))])
    try record.perform("log b", [.event(Self.event("b", "one"))])
    try record.perform(
      "edit b", [.event(moved)], before: [.event(Self.event("b", "one"))], isDivisible: true)
    try record.perform("rm a", [], before: [.event(Self.event("a", "one"))])
    let home = Geofence(id: "home", name: "home", latitude: 48, longitude: 11, eventTypeEntryId: Self.typeId)
    try record.recorder.record(home)
    try record.perform("place rm home", [], before: [.place(home)])
    // A deletion without an undo step, like a synced deletion from another device.
    try record.recorder.delete(eventTypeId: Self.typeId)
    try record.undo()
    #expect(try record.makeStore().findGeofence(id: "home").map { $0.eventTypeEntryId == nil } == true)
    let event = UndoStep.Left(kind: .event, id: "a", isTypeDeleted: true)
    #expect(throws: UndoError.changedSince(label: "rm a", left: [event])) { try record.undo() }
    #expect(try Self.notes(record) == ["b": "two 0"])
    let field = UndoStep.Left(kind: .event, id: "b", fields: ["event_type_id"], isTypeDeleted: true)
    #expect(try record.undo().left == [field])
    #expect(try Self.notes(record) == ["b": "one 0"] && record.makeStore().findEvent(id: "b")?.eventTypeId == "walk")
  }

  @Test
  func `undoing the deletion of a type restores references of places, unless changed since`()
    throws
  {
    let (_, record) = try Self.fresh()
    try record.recorder.record(EventType(id: "swim", name: "swim", colorHex: "#888888", iconName: "•"))
    try record.perform("log a", [.event(Self.event("a", "one"))])
    for (id, entry, exit) in [("g", Self.typeId, Self.typeId), ("h", "swim", Self.typeId)] {
      try record.recorder.record(
        Geofence(
          id: id, name: id, latitude: 52, longitude: 5, radius: 100, eventTypeEntryId: entry, eventTypeExitId: exit))
    }
    func places() throws -> [[String?]] {
      try record.makeStore().fetchAllGeofences().sorted { $0.id < $1.id }.map {
        [$0.eventTypeEntryId, $0.eventTypeExitId]
      }
    }
    let before = try places()
    let type = try #require(try record.makeStore().findEventType(id: Self.typeId))
    try record.perform(
      "type rm nap", [], before: [.eventType(type), .event(Self.event("a", "one"))], isDivisible: true)
    #expect(try places() == [[nil, nil], ["swim", nil]])
    try record.undo()
    #expect(try places() == before && Self.notes(record) == ["a": "one 0"])
    try record.redo()
    #expect(try places() == [[nil, nil], ["swim", nil]] && Self.notes(record).isEmpty)
    _ = try record.recorder.edit(geofenceId: "g") { $0.eventTypeExitId = "swim" }
    let step = try record.undo()
    #expect(try places() == [[Self.typeId, "swim"], ["swim", Self.typeId]] && Self.notes(record) == ["a": "one 0"])
    #expect(step.left.map(\.fields) == [["event_type_exit_id"]])
  }

  @Test func `undoing the resolution of a conflict restores the value and reopens the conflict`() throws {
    let (_, record) = try Self.fresh()
    try record.recorder.record(Self.event("a", "shown"))
    let store = record.makeStore()
    let conflict = Conflict(
      id: "k", entityType: .event, entityId: "a", operation: .update, payload: Data(#"{"notes":"kept"}"#.utf8),
      reason: "lost", recordedAt: DeterministicDate.jan1_2024)
    try store.insertConflict(conflict)
    try store.save()
    for decide in [{ try $0.retryConflict(id: "k") }, { try $0.dropConflict(id: "k") }]
      as [(RecorderChanges) throws -> Void]
    {
      try record.perform("decide", isDivisible: true, decide)
      #expect(try record.recorder.openConflicts().isEmpty)
      try record.undo()
      #expect(try Self.notes(record) == ["a": "shown 0"])
      #expect(try record.makeStore().fetchConflicts() == [conflict])
    }
    try record.redo()
    #expect(try record.recorder.openConflicts().isEmpty)
  }
}
