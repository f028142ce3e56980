import Foundation
import TrendyHub
import TrendyModels
import TrendyTesting

/// Another user of the hub, whose trackers post fixes in which the hub detects trips and visits.
///
/// This user's record is separate from the record that the devices share. It contains only detected events and the
/// user's changes to them.
struct TrackerScenario {
  struct Tracker {
    let deviceId: String
    let token: String
    let batches: [[Location]]
    /// Indices of acknowledged batches.
    var taken: Set<Int> = []
  }

  struct Touch {
    let span: ClosedRange<Date>
    /// New note, or `nil` if the event was deleted.
    let note: String?
    /// Whether the change was acknowledged.
    var isSure: Bool
  }

  let user: String
  /// Token of the user's own device.
  let token: String
  var trackers: [Tracker]
  /// Changes by event id.
  var touches: [String: Touch] = [:]
  var underWay = 0

  static let trackers = 2
  static let batches = 8

  /// Returns the fixes of the day before the scenario, by tracker. In a third of the scenarios, the same traveller
  /// carries both trackers.
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

  /// Marks all acknowledgements as uncertain: trackers post everything again, and the user's changes may be lost.
  mutating func onHubWentBack() {
    for index in trackers.indices { trackers[index].taken = [] }
    for id in touches.keys { touches[id]?.isSure = false }
  }
}

extension Location {
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
  static func post(_ fixes: [Location], token: String) throws -> HTTPRequest {
    HTTPRequest(
      id: "post", method: "POST", target: "/overland",
      headers: HTTPHeaders([("Authorization", "Bearer \(token)"), ("Content-Type", "application/json")]),
      body: try WireJSON.encode(JSONValue.object(["locations": .array(fixes.map(\.overland))])))
  }
}
