import Foundation
import Testing
import TrendyModels

/// A phone that runs none of our programs: it has a token and posts to a hub.
struct HubPhone {
  let bench: Workbench
  let token: String

  init(_ bench: Workbench, _ hub: TestHub, name: String) throws {
    self.bench = bench
    let made = try bench.trendyd("token", "create", name, "--data", hub.data, "--json")
    token = try #require(try made.document.objectValue?["token"]?.stringValue, "\(made.talk)")
  }

  /// `northward` metres of a place, so many seconds ago.
  struct Fix {
    var ago: Int
    var northward: Double
  }

  /// Fixes of a drive of `seconds` that ends `ago` seconds ago, `from` metres north; one each ten seconds, at 15 m/s.
  static func drive(seconds: Int = 600, ago: Int, from metres: Double = 0) -> [Fix] {
    stride(from: seconds, through: 0, by: -10).map {
      Fix(ago: ago + $0, northward: metres + Double(seconds - $0) * 15)
    }
  }

  /// Fixes of standing still after it.
  static func rest(seconds: Int = 600, ago: Int, at metres: Double) -> [Fix] {
    stride(from: seconds - 10, through: 0, by: -10).map { Fix(ago: ago + $0, northward: metres) }
  }

  /// Posts fixes in one request, again until a hub takes them, as a tracker does.
  func post(_ fixes: [Fix], to hub: TestHub) throws {
    let now = Date().timeIntervalSince1970.rounded()
    try post(
      fixes.map {
        (RFC3339.string(from: Date(timeIntervalSince1970: now - Double($0.ago))), 52 + $0.northward / 111_250)
      }, to: hub)
  }

  func post(_ fixes: [(time: String, latitude: Double)], to hub: TestHub) throws {
    let features = fixes.map { time, latitude in
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[4,\#(latitude)]},"properties":{"timestamp":"\#(time)","horizontal_accuracy":5}}"#
    }
    let file = bench.folder.appending(path: "post-\(UUID().uuidString)")
    try Data(#"{"locations":[\#(features.joined(separator: ","))]}"#.utf8).write(to: file)
    let posted = try bench.shell(
      "curl -sf --max-time 30 --retry 30 --retry-all-errors --retry-delay 1 -H 'Authorization: Bearer \(token)' "
        + "--data-binary @'\(file.path)' '\(hub.url)/overland'")
    try #require(posted.status == 0 && posted.output.contains(#""result":"ok""#), "\(posted.output)\(posted.talk)")
  }
}
