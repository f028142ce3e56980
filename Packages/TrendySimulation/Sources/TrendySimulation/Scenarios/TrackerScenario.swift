import Foundation
import TrendyHub
import TrendyModels
import TrendyTesting

/// Another person at the hub, whose trackers post where they were, and what they must find of it in their record.
///
/// Their record is apart from the one that the devices of the story share, so that all of it but what they did themselves comes of fixes.
struct TrackerScenario {
  struct Tracker {
    let deviceId: String
    let token: String
    /// The fixes of a day, in the pieces in which they are posted.
    let batches: [[Location]]
    /// Those of which it heard that they were taken.
    var taken: Set<Int> = []
  }

  /// What the person did to an event that was found.
  struct Touch {
    let span: ClosedRange<Date>
    /// What it says since; `nil` where it was deleted.
    let note: String?
    /// Whether it was reported as done.
    var isSure: Bool
  }

  let person: String
  /// Of the person's own device.
  let token: String
  var trackers: [Tracker]
  /// By the id of the event.
  var touches: [String: Touch] = [:]
  /// Posts and looks that go on.
  var underWay = 0

  /// How many trackers there are, and in how many pieces the day of each is posted.
  static let trackers = 2
  static let batches = 8

  /// The day before a story begins, as each tracker recorded it. Two that one person carries have the same.
  static func days(seed: UInt64) -> [[[Location]]] {
    let isTogether = seed.isMultiple(of: 3)
    return (0..<trackers).map { batches(seed: isTogether ? seed : seed &+ UInt64($0) &* 7919) }
  }

  private static func batches(seed: UInt64) -> [[Location]] {
    let worlds: [SimulatedDay.World] = [.town, .buses, .town, .railway]
    let day = SimulatedDay(seed: seed % 64, world: worlds[Int(seed % 4)], recorder: .tracker)
    let fixes = day.fixes.map { fix in
      var fix = fix
      fix.timestamp -= 86_400
      return fix
    }
    guard !fixes.isEmpty else { return [] }
    return (0..<batches).map { piece in
      Array(fixes[(fixes.count * piece / batches)..<(fixes.count * (piece + 1) / batches)])
    }
  }

  /// What was confirmed is not so any more: trackers send again what they still have, which is all, and what the person did may be undone.
  mutating func onHubWentBack() {
    for index in trackers.indices { trackers[index].taken = [] }
    for id in touches.keys { touches[id]?.isSure = false }
  }
}

extension Location {
  /// As Overland posts it.
  fileprivate var overland: JSONValue {
    [
      "type": "Feature",
      "geometry": ["type": "Point", "coordinates": [.double(coordinate.longitude), .double(coordinate.latitude)]],
      "properties": [
        "timestamp": .string(RFC3339.string(from: timestamp)),
        "horizontal_accuracy": .double(horizontalAccuracy),
      ],
    ]
  }
}

extension TrackerScenario {
  /// A post of fixes as a tracker makes it.
  static func post(_ fixes: [Location], token: String) throws -> HTTPRequest {
    HTTPRequest(
      id: "post", method: "POST", target: "/overland",
      headers: HTTPHeaders([("Authorization", "Bearer \(token)"), ("Content-Type", "application/json")]),
      body: try WireJSON.encode(JSONValue.object(["locations": .array(fixes.map(\.overland))])))
  }
}
