import Foundation
import Testing
import TrendyModels
import TrendyProtocols
import TrendyTesting
import TrendyTrips

/// Tests with readings that arrive in parts and out of order while the user edits the detected events.
@Suite("Random days with edits of the user", .timeLimit(.minutes(10)))
struct TrackStoryTests {
  /// Kinds of edits that the user makes between two batches of readings.
  enum Acts: Int {
    case none
    case notes
    case all
  }

  /// The first four seeds are regressions: detection missed a visit, or found the visit only when detection was
  /// repeated.
  @Test(
    "no event is lost and edits of the user are kept",
    arguments: [2339, 2358, 61_724, 72_504] + Array(41_000..<41_026) as [UInt64])
  func story(seed: UInt64) throws {
    var story = try Story(seed: seed)
    try story.tell()
    let left = story.missing + story.added
    if story.acts == .none { #expect(left.isEmpty, "\(left)") }
    for event in story.missing { #expect(story.isTouched(event), "lost: \(event)") }
    #expect(try story.device.reader.readAgain().isEmpty)
  }

  private struct Story {
    var device: LiveDevice
    let acts: Acts
    private var random: SeededGenerator
    private var rest: [TrackReading]
    private let isShuffled: Bool
    private let wanted: [Event]
    private var readThrough = Date.distantPast
    private var noted: Set<String> = []
    /// Events as the user edited them, by id.
    private var fixed: [String: Event] = [:]
    private var deleted: Set<String> = []
    /// States of events just before an edit, each with the end of the event at that time.
    private var touched: [(event: Event, end: Date)] = []

    init(seed: UInt64) throws {
      random = SeededGenerator(seed: seed)
      let worlds: [SimulatedDay.World] = [.town, .railway, .tunnels, .buses, .canyon, .indoors]
      let world = worlds[Int.random(in: 0..<worlds.count, using: &random)]
      let recorder = Bool.random(using: &random) ? SimulatedDay.Recorder.phone : .tracker
      let day = SimulatedDay(seed: seed, world: world, recorder: recorder)
      let readings = day.fixes.prefix(1500).map { TrackReading.fix($0) }
      wanted = DetectionRunnerTests.content(try DetectionRunnerTests.wanted(readings))
      device = LiveDevice(
        geofences: DetectionRunnerTests.places(readings), now: DetectionRunnerTests.end(readings) + 86_400)
      let order = Int.random(in: 0..<3, using: &random)
      isShuffled = order == 0
      switch order {
      case 0: rest = readings.shuffled(using: &random)
      case 1: rest = readings
      default:
        let cut = Int.random(in: 1..<readings.count, using: &random)
        let early = readings[..<cut]
        rest = readings[cut...] + (Bool.random(using: &random) ? Array(early) : early.reversed())
      }
      acts = Acts(rawValue: Int.random(in: 0..<3, using: &random)) ?? .none
    }

    /// Appends all readings in batches, and checks after each batch that the user's edits are preserved.
    mutating func tell() throws {
      while !rest.isEmpty {
        let most = [1, 30, 300][Int.random(in: 0..<3, using: &random)]
        let batch = Array(rest.prefix(Int.random(in: 1...most, using: &random)))
        rest = Array(rest.dropFirst(batch.count))
        readThrough = max(readThrough, DetectionRunnerTests.end(batch))
        try device.tell(batch)
        if Int.random(in: 0..<9, using: &random) == 0 { device.restart() }
        if acts != .none, Int.random(in: 0..<6, using: &random) == 0 { act() }
        let events = Dictionary(uniqueKeysWithValues: device.journal.events.map { ($0.id, $0) })
        #expect(noted.allSatisfy { events[$0]?.notes != nil })
        #expect(fixed.allSatisfy { events[$0.key] == $0.value })
        #expect(deleted.allSatisfy { events[$0] == nil })
      }
      try device.reader.readAll()
    }

    private mutating func act() {
      // If the readings arrive in random order, do not edit an open visit, because its end is not known yet.
      let events = device.journal.events.filter { !isShuffled || $0.endDate != nil }
      guard !events.isEmpty else { return }
      let event = events[Int.random(in: 0..<events.count, using: &random)]
      touched.append((event, event.endDate ?? readThrough))
      switch acts == .notes ? 0 : Int.random(in: 0..<3, using: &random) {
      case 0 where fixed[event.id] == nil:
        device.journal.edit(event.id) { $0.notes = "with Anna" }
        noted.insert(event.id)
      case 0, 1:
        device.journal.edit(event.id) { $0.endDate = $0.timestamp + 12_345 }
        fixed[event.id] = device.journal.events.first { $0.id == event.id }
        noted.remove(event.id)
      default:
        device.journal.remove(event.id)
        deleted.insert(event.id)
        noted.remove(event.id)
        fixed[event.id] = nil
      }
    }

    /// Events that are detected if all readings arrive at once, but are missing here. `added` is the opposite.
    var missing: [Event] { Self.surplus(of: wanted, over: DetectionRunnerTests.content(device.journal.events)) }
    var added: [Event] { Self.surplus(of: DetectionRunnerTests.content(device.journal.events), over: wanted) }

    private static func surplus(of events: [Event], over others: [Event]) -> [Event] {
      var others = others
      return events.filter { event in
        guard let index = others.firstIndex(of: event) else { return true }
        others.remove(at: index)
        return false
      }
    }

    /// Returns whether the user has edited an event that overlaps this one and therefore replaces it.
    func isTouched(_ event: Event) -> Bool {
      let theirs = device.journal.events.filter { noted.contains($0.id) || fixed[$0.id] != nil }
      let all = touched + theirs.map { (event: $0, end: $0.endDate ?? readThrough) }
      return all.contains { other, end in
        other.sourceType == event.sourceType && other.geofenceId == event.geofenceId
          && other.timestamp <= event.endDate ?? readThrough && end >= event.timestamp
      }
    }
  }
}
