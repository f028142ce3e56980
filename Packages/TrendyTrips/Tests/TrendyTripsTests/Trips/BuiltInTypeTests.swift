import Testing
import TrendyModels
import TrendyTrips

@Suite("BuiltInType", .timeLimit(.minutes(10)))
struct BuiltInTypeTests {
  /// A user's event types and the ids that were deleted.
  private final class Record {
    var types: [EventType] = []
    var definitions: [PropertyDefinition] = []
    var deleted: Set<String> = []

    func find(_ kind: BuiltInType) throws -> EventType {
      try kind.find(among: types) { type, definitions in
        if deleted.contains(type.id) { return false }
        types.append(type)
        self.definitions += definitions
        return true
      }
    }

    func delete(_ type: EventType) {
      types.removeAll { $0.id == type.id }
      deleted.insert(type.id)
    }
  }

  private func own(_ id: String, name: String) -> EventType {
    EventType(id: id, name: name, colorHex: "#000000", iconName: "i")
  }

  @Test(
    "two devices with the same record find or create the same type", arguments: [BuiltInType.trip, .visit, .odometer])
  func same(_ kind: BuiltInType) throws {
    let (one, other) = (Record(), Record())
    for deletions in 0...3 {
      let type = try one.find(kind)
      #expect(try other.find(kind) == type && one.find(kind) == type)
      #expect(type.name == kind.name && one.definitions == other.definitions)
      #expect(one.deleted.count == deletions)
      one.delete(type)
      other.delete(type)
    }
    #expect(Set(one.definitions.map(\.id)).count == one.definitions.count, "each life has definitions of its own")
  }

  @Test func `an existing type with that name is used`() throws {
    let record = Record()
    record.types = [own("b", name: "Trip"), own("a", name: "Trip"), own("c", name: "Visit")]
    #expect(try record.find(.trip).id == "a")
    #expect(record.types.count == 3)
  }

  @Test func `a created type stays in use after renaming and beside another of its old name`() throws {
    let record = Record()
    var made = try record.find(.trip)
    made.name = "Drive"
    record.types = [own("a", name: "Trip"), made]
    #expect(try record.find(.trip).id == made.id)
    #expect(BuiltInType.odometer.present(among: record.types) == nil)
  }

  @Test func `finding a type throws if every id was deleted`() {
    #expect(throws: BuiltInType.DeletedTooOften(name: "Trip")) {
      try BuiltInType.trip.find(among: []) { _, _ in false }
    }
  }
}
