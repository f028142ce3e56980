import Testing
import TrendyModels
import TrendySync

@Suite("PlainFeedPlanner", .timeLimit(.minutes(10)))
struct UnversionedFeedPlannerTests {
  private let event = EntityKey(.event, "evt-1")
  private let type = EntityKey(.eventType, "type-1")

  @Test func `an entry whose parent is stored is applied`() {
    var planner = UnversionedFeedPlanner(eventTypeIds: ["type-1"], tombstones: [])
    #expect(planner.onEntry(.init(key: event, version: 1, parentEventTypeId: "type-1")) == .apply)
  }

  @Test func `an entry whose parent is missing is parked until the parent arrives`() {
    var planner = UnversionedFeedPlanner(eventTypeIds: ["type-2"], tombstones: [])
    let entry = UnversionedFeedPlanner.Candidate(key: event, version: 1, parentEventTypeId: "type-1")
    #expect(planner.onEntry(entry) == .park(.parentMissing))
    #expect(planner.onEntry(.init(key: type, version: 2)) == .apply)
    #expect(planner.onEntry(entry) == .apply)
    #expect(planner.onEntry(.init(key: type, version: 3, isDelete: true)) == .remove)
    #expect(planner.onEntry(entry) == .park(.parentMissing))
    planner.onReborn(eventTypeId: "type-1")
    #expect(planner.onEntry(entry) == .apply)
  }

  @Test(
    "a locally deleted entity is restored only by a version above its delete",
    arguments: [(14, .skip), (15, .skip), (16, .apply)] as [(Int64, UnversionedFeedPlanner.Verdict)])
  func guards(version: Int64, verdict: UnversionedFeedPlanner.Verdict) {
    let tombstone = Tombstone(entityType: .eventType, entityId: "type-1", version: 15)
    var planner = UnversionedFeedPlanner(eventTypeIds: [], tombstones: [tombstone])
    #expect(planner.onEntry(.init(key: type, version: version)) == verdict)
  }

  @Test func `an entity deleted at an unknown version stays deleted, whether or not its entry is readable`() {
    var planner = UnversionedFeedPlanner(
      eventTypeIds: [], tombstones: [Tombstone(entityType: .eventType, entityId: "type-1")])
    #expect(planner.onEntry(.init(key: type, version: .max)) == .skip)
    #expect(planner.onEntry(.init(key: type, version: 1, isReadable: false)) == .skip)
    #expect(planner.onEntry(.init(key: type, version: 1, isDeleteUnanswered: true)) == .park(.deleteUnanswered))
    #expect(planner.onEntry(.init(key: EntityKey(.geofence, "type-1"), version: 1)) == .apply)
  }

  @Test func `an unreadable entry or one of an unknown kind is parked`() {
    var planner = UnversionedFeedPlanner(eventTypeIds: [], tombstones: [])
    #expect(planner.onEntry(.init(key: nil, version: 1)) == .park(.unknownKind))
    #expect(planner.onEntry(.init(key: type, version: 1, isReadable: false)) == .park(.unreadable))
  }

  @Test func `the deletion of a type is parked while its children have pending mutations`() {
    var planner = UnversionedFeedPlanner(eventTypeIds: ["type-1"], tombstones: [])
    let entry = UnversionedFeedPlanner.Candidate(key: type, version: 2, isDelete: true, hasUnsettledChildren: true)
    #expect(planner.onEntry(entry) == .park(.childrenUnsettled))
    #expect(planner.onEntry(.init(key: event, version: 3, parentEventTypeId: "type-1")) == .apply)
  }
}
