import Synchronization
import Testing
import TrendyModels
import TrendySync

@Suite("VersionedFeedPlanner", .timeLimit(.minutes(10)))
struct VersionedFeedPlannerTests {
  @Test("the planner returns the expected action", arguments: Example.all)
  func decides(_ example: Example) throws {
    var planner = VersionedFeedPlanner(
      isAnew: example.isAnew, hasOverlay: example.hasOverlay, hasParked: example.hasParked)
    var facts = example.facts
    let verdict = try planner.onEntry(example.entry, &facts)
    #expect(verdict == example.verdict)
    #expect(planner.takeStirred() == example.stirred)
    #expect(facts.asked == example.asked)
  }

  @Test(
    "an unreadable entry is parked only above the stored and the parked version",
    arguments: [
      (false, 4, nil, .park), (false, 5, nil, .drop), (false, nil, 4, .park), (false, nil, 5, .drop),
      (false, nil, nil, .park), (true, 5, 5, .park),
    ] as [(Bool, Int64?, Int64?, VersionedFeedPlanner.Act)])
  func unread(isAnew: Bool, held: Int64?, parked: Int64?, act: VersionedFeedPlanner.Act) {
    var planner = VersionedFeedPlanner(isAnew: isAnew, hasOverlay: false, hasParked: true)
    #expect(planner.onUnread(version: 5, heldVersion: { held }, parkedVersion: { parked }) == act)
  }

  @Test func `an event is parked until its type arrives`() throws {
    var planner = VersionedFeedPlanner(hasOverlay: false, hasParked: false)
    var facts = Facts(parent: "T")
    #expect(try planner.onEntry(event(3), &facts) == .init(.park))
    #expect(planner.takeStirred() == [])
    facts = Facts(parent: nil)
    #expect(try planner.onEntry(type(4), &facts) == .init(.hold))
    #expect(planner.takeStirred() == ["T"])
    #expect(planner.takeStirred() == [])
    facts = Facts(parent: "T", shown: ["T"])
    let verdict = try planner.onEntry(event(3), &facts)
    #expect(verdict == .init(.holdAndShow), "the store is not asked again whether T lives")
  }

  @Test func `a type's deletion is parked until its last child has left`() throws {
    var planner = VersionedFeedPlanner(hasOverlay: false, hasParked: false)
    var facts = Facts(hasChildren: true)
    #expect(try planner.onEntry(type(7, isDelete: true, held: .init(version: 2)), &facts) == .init(.park))
    facts = Facts(parent: "U", heldParent: "T", living: ["U"], shown: ["U"])
    #expect(try planner.onEntry(event(9, held: .init(version: 3)), &facts) == .init(.holdAndShow))
    #expect(planner.takeStirred() == ["T"])
    facts = Facts()
    #expect(try planner.onEntry(type(7, isDelete: true, held: .init(version: 2)), &facts) == .init(.hold))
    facts = Facts(parent: "T", living: ["T"])
    #expect(try planner.onEntry(event(10), &facts) == .init(.park), "it is deleted by now, whatever the store says")
  }

  @Test func `a type is looked up once for all its events`() throws {
    var planner = VersionedFeedPlanner(hasOverlay: false, hasParked: false)
    for (version, asked) in [(1, [.content, .isHeldAlive, .isShown]), (2, [.content])] as [(Int64, [Fact])] {
      var facts = Facts(parent: "T", living: ["T"], shown: ["T"])
      #expect(try planner.onEntry(event(version), &facts) == .init(.holdAndShow))
      #expect(facts.asked == asked)
    }
  }

  @Test func `ids of affected types are returned once, sorted`() throws {
    var planner = VersionedFeedPlanner(hasOverlay: false, hasParked: true)
    for id in ["b", "a", "b"] {
      var facts = Facts(parent: nil)
      _ = try planner.onEntry(.init(key: EntityKey(.eventType, id), version: 1), &facts)
    }
    #expect(planner.takeStirred() == ["a", "b"])
  }
}

struct Example: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let entry: VersionedFeedPlanner.Candidate
  let facts: Facts
  var isAnew = false
  var hasOverlay = false
  var hasParked = false
  let verdict: VersionedFeedPlanner.Verdict
  var stirred: [String] = []
  let asked: [Fact]

  init(
    _ name: String, _ entry: VersionedFeedPlanner.Candidate, _ facts: Facts = Facts(), isAnew: Bool = false,
    hasOverlay: Bool = false, hasParked: Bool = false, act: VersionedFeedPlanner.Act, takesOutParked: Bool = false,
    stirs stirred: [String] = [], asks asked: [Fact] = []
  ) {
    testDescription = name
    self.entry = entry
    self.facts = facts
    self.isAnew = isAnew
    self.hasOverlay = hasOverlay
    self.hasParked = hasParked
    verdict = .init(act, takesOutParked: takesOutParked)
    self.stirred = stirred
    self.asked = asked
  }

  static let all: [Example] = stale + parents + deletions + rows

  private static var underLivingType: Facts { Facts(parent: "T", living: ["T"], shown: ["T"]) }
  private static let heldAt5 = VersionedFeedPlanner.Held(version: 5)
  private static let deadAt5 = VersionedFeedPlanner.Held(version: 5, isDelete: true)
  private static let lookUp: [Fact] = [.content, .isHeldAlive, .isShown]

  private static let stale = [
    Example("older than what is held", event(4, held: heldAt5), act: .drop),
    Example("as new as what is held", event(5, held: heldAt5), act: .drop),
    Example("newer than what is held", event(6, held: heldAt5), underLivingType, act: .holdAndShow, asks: lookUp),
    Example("a delete as new as what is held", event(5, isDelete: true, held: deadAt5), act: .drop),
    Example(
      "as new as what is held, anew", event(5, held: heldAt5), underLivingType, isAnew: true, act: .holdAndShow,
      asks: lookUp
    ),
    Example(
      "as new as what is parked", event(5), Facts(parked: 5), hasParked: true, act: .drop, asks: [.parkedVersion]),
    Example(
      "as new as what is parked, anew", event(5), underLivingType.with(parked: 5), isAnew: true, hasParked: true,
      act: .holdAndShow, takesOutParked: true, asks: [.parkedVersion] + lookUp),
    Example(
      "newer than what is parked", event(6), underLivingType.with(parked: 5), hasParked: true,
      act: .holdAndShow, takesOutParked: true, asks: [.parkedVersion] + lookUp),
    Example(
      "newer than what is parked, and does not fit either", event(6), Facts(parked: 5, parent: "T"), hasParked: true,
      act: .park, takesOutParked: true, asks: [.parkedVersion, .content, .isHeldAlive]),
  ]

  private static let parents = [
    Example("cannot be read", event(6), Facts(isReadable: false), act: .park, asks: [.content]),
    Example("its type is not here", event(6), Facts(parent: "T"), act: .park, asks: [.content, .isHeldAlive]),
    Example(
      "moved to a type that is not here", event(6, held: heldAt5), Facts(parent: "U", heldParent: "T"),
      hasParked: true, act: .park, asks: [.parkedVersion, .content, .isHeldAlive]),
    Example(
      "moved away, and something is parked", event(6, held: heldAt5), underLivingType.with(heldParent: "U"),
      hasParked: true, act: .holdAndShow, stirs: ["U"],
      asks: [.parkedVersion, .content, .isHeldAlive, .heldParent, .isShown]),
    Example(
      "stays where it was, and something is parked", event(6, held: heldAt5), underLivingType.with(heldParent: "T"),
      hasParked: true, act: .holdAndShow, asks: [.parkedVersion, .content, .isHeldAlive, .heldParent, .isShown]),
    Example(
      "comes back to life, and something is parked", event(6, held: deadAt5), underLivingType.with(heldParent: "U"),
      hasParked: true, act: .holdAndShow, asks: [.parkedVersion] + lookUp),
    Example("a type begins", type(6), act: .hold, stirs: ["T"], asks: [.content]),
    Example("a type comes back to life", type(6, held: deadAt5), act: .hold, stirs: ["T"], asks: [.content]),
    Example("a type goes on", type(6, held: heldAt5), act: .holdAndShow, asks: [.content]),
  ]

  private static let deletions = [
    Example("a delete of what is held", event(6, isDelete: true, held: heldAt5), act: .hold),
    Example("a delete of what is not known", event(6, isDelete: true), act: .hold),
    Example(
      "a delete, and something is parked", event(6, isDelete: true, held: heldAt5), Facts(heldParent: "T"),
      hasParked: true, act: .hold, stirs: ["T"], asks: [.parkedVersion, .heldParent]),
    Example(
      "a delete above its own parked entry", event(6, isDelete: true, held: heldAt5),
      Facts(parked: 5, heldParent: "T"), hasParked: true, act: .hold, takesOutParked: true, stirs: ["T"],
      asks: [.parkedVersion, .heldParent]),
    Example(
      "a type's delete, and children live", type(6, isDelete: true, held: heldAt5), Facts(hasChildren: true),
      act: .park,
      asks: [.hasLivingChildren]),
    Example(
      "a type's delete, and no child lives", type(6, isDelete: true, held: heldAt5), act: .hold,
      asks: [.hasLivingChildren]),
  ]

  private static let rows = [
    Example("new, with its type shown", event(6), underLivingType, act: .holdAndShow, asks: lookUp),
    Example("new, with its type hidden", event(6), Facts(parent: "T", living: ["T"]), act: .hold, asks: lookUp),
    Example("without a type", .init(key: EntityKey(.geofence, "G"), version: 6), act: .holdAndShow, asks: [.content]),
    Example(
      "its row says something else", event(6, held: .init(version: 5, isBesideRow: true)), underLivingType, act: .hold,
      asks: [.content, .isHeldAlive]),
    Example(
      "a mutation lies over it", event(6), underLivingType.with(isOverlaid: true), hasOverlay: true, act: .hold,
      asks: [.content, .isHeldAlive, .isOverlaid]),
    Example(
      "a mutation lies over another", event(6), underLivingType, hasOverlay: true, act: .holdAndShow,
      asks: [.content, .isHeldAlive, .isOverlaid, .isShown]),
  ]
}

enum Fact: Hashable, Sendable {
  case parkedVersion, content, heldParent, hasLivingChildren, isOverlaid, isHeldAlive, isShown
}

/// Facts about an entry. Records which facts are requested.
struct Facts: VersionedFeedFacts, Sendable {
  var parked: Int64?
  var isReadable = true
  var parent: String?
  var before: String?
  var hasChildren = false
  var isUnderMutation = false
  var living: Set<String> = []
  var shown: Set<String> = []
  private let asks = Asks()

  init(
    parked: Int64? = nil, isReadable: Bool = true, parent: String? = nil, heldParent: String? = nil,
    hasChildren: Bool = false, living: Set<String> = [], shown: Set<String> = []
  ) {
    self.parked = parked
    self.isReadable = isReadable
    self.parent = parent
    before = heldParent
    self.hasChildren = hasChildren
    self.living = living
    self.shown = shown
  }

  func with(parked: Int64? = nil, heldParent: String? = nil, isOverlaid: Bool = false) -> Facts {
    var facts = Facts(parked: parked, parent: parent, heldParent: heldParent, living: living, shown: shown)
    facts.isUnderMutation = isOverlaid
    return facts
  }

  var asked: [Fact] { asks.facts.withLock { $0 } }

  func parkedVersion() -> Int64? { asks.note(.parkedVersion, parked) }
  func content() -> VersionedFeedPlanner.Content {
    asks.note(.content, isReadable ? .readable(parent: parent) : .unreadable)
  }
  func heldParent() -> String? { asks.note(.heldParent, before) }
  func hasLivingChildren() -> Bool { asks.note(.hasLivingChildren, hasChildren) }
  func isOverlaid() -> Bool { asks.note(.isOverlaid, isUnderMutation) }
  func isHeldAlive(eventTypeId: String) -> Bool { asks.note(.isHeldAlive, living.contains(eventTypeId)) }
  func isShown(eventTypeId: String) -> Bool { asks.note(.isShown, shown.contains(eventTypeId)) }

  private final class Asks: Sendable {
    let facts = Mutex<[Fact]>([])

    func note<Answer>(_ fact: Fact, _ answer: Answer) -> Answer {
      facts.withLock { $0.append(fact) }
      return answer
    }
  }
}

private func event(
  _ version: Int64, isDelete: Bool = false, held: VersionedFeedPlanner.Held? = nil
) -> VersionedFeedPlanner.Candidate {
  .init(key: EntityKey(.event, "E"), version: version, isDelete: isDelete, held: held)
}

private func type(
  _ version: Int64, isDelete: Bool = false, held: VersionedFeedPlanner.Held? = nil
) -> VersionedFeedPlanner.Candidate {
  .init(key: EntityKey(.eventType, "T"), version: version, isDelete: isDelete, held: held)
}
