import Testing
import TrendyModels

@Suite("SyncedKind", .timeLimit(.minutes(10)))
struct SyncedKindTests {
  @Test func `each kind is found by its unique name`() {
    #expect(Set(SyncedKind.all.map(\.name)).count == SyncedKind.all.count)
    for kind in SyncedKind.all { #expect(SyncedKind.named(kind.name) == kind) }
    #expect(SyncedKind.named("Event") == nil)
  }

  @Test func `each kind is declared with its permanent storage code`() {
    #expect(Set(SyncedKind.all.map(\.name)) == Set(MutationEntityType.allCases.map(\.rawValue)))
    #expect(MutationEntityType.allCases.map(\.storageCode).sorted() == Array(0..<9))
    let codes = Dictionary(uniqueKeysWithValues: MutationEntityType.allCases.map { ($0.storageCode, $0) })
    #expect(
      (0..<9).map { codes[$0] } == [
        .event, .eventType, .geofence, .propertyDefinition, .vehicle, .tripRule, .setting, .skip, .conflict,
      ])
    #expect(MutationEntityType.typed.allSatisfy { SyncedKind.named($0.rawValue)?.path != nil })
  }

  @Test func `referenced kinds come first in a snapshot`() throws {
    #expect(SyncedKind.all.map(\.rank) == Array(0..<SyncedKind.all.count))
    for kind in SyncedKind.all {
      for field in kind.fields {
        guard let reference = field.refersTo else { continue }
        #expect(try #require(SyncedKind.named(reference.kind)).rank < kind.rank, "\(kind.name).\(field.name)")
      }
    }
  }

  @Test func `a cascading reference is required and a cleared one is optional`() {
    for field in SyncedKind.all.flatMap(\.fields) {
      switch field.refersTo?.onDelete {
      case .cascade: #expect(field.isRequired, "\(field.name)")
      case .clear: #expect(field.isClearable, "\(field.name)")
      case nil: #expect(!(field.isRequired && field.isClearable), "\(field.name)")
      }
    }
  }

  @Test func `events, definitions and skips belong to their event type`() {
    let children = SyncedKind.all.filter { $0.parent != nil }
    #expect(children.map(\.name) == ["property_definition", "event", "skip"])
    #expect(children.allSatisfy { $0.parent?.name == "event_type_id" })
  }

  @Test func `a property of an event is a separate field`() throws {
    let nested = try #require(SyncedKind.event.nestedName("properties.a.b"))
    #expect(nested == ("properties", "a.b"))
    #expect(SyncedKind.event.nestedName("properties.")?.key == "")
    #expect(SyncedKind.event.nestedName("properties") == nil)
    #expect(SyncedKind.event.nestedName("propertiesX.a") == nil)
    #expect(SyncedKind.setting.nestedName("properties.a") == nil)
  }
}
