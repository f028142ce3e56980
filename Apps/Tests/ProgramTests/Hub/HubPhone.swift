import Foundation
import Testing
import TrendyModels

/// A phone that does not run Trendy. It has a token and posts positions to a hub.
struct HubPhone {
  let bench: Workbench
  let token: String

  init(_ bench: Workbench, _ hub: TestHub, name: String) throws {
    self.bench = bench
    let made = try bench.trendyd("token", "create", name, "--data", hub.data, "--json")
    token = try #require(try made.document.objectValue?["token"]?.stringValue, "\(made.talk)")
  }

  init(_ bench: Workbench, token: String) {
    self.bench = bench
    self.token = token
  }

  /// A position `northward` metres north of the origin, `ago` seconds ago.
  struct Fix {
    var ago: Int
    var northward: Double
  }

  /// Returns the positions of a drive to the north at 15 m/s, one every ten seconds.
  /// - Parameters:
  ///   - seconds: duration of the drive.
  ///   - ago: number of seconds since the end of the drive.
  ///   - metres: start of the drive, in metres north of the origin.
  static func drive(seconds: Int = 600, ago: Int, from metres: Double = 0) -> [Fix] {
    stride(from: seconds, through: 0, by: -10).map {
      Fix(ago: ago + $0, northward: metres + Double(seconds - $0) * 15)
    }
  }

  static func rest(seconds: Int = 600, ago: Int, at metres: Double) -> [Fix] {
    stride(from: seconds - 10, through: 0, by: -10).map { Fix(ago: ago + $0, northward: metres) }
  }

  /// Posts positions in one request, which is retried until it succeeds, as a tracker does.
  func post(_ fixes: [Fix], to hub: TestHub) throws { try post(fixes, to: hub.url) }

  func post(_ fixes: [Fix], to url: String) throws { try finish(try posting(Self.dated(fixes), to: url)) }

  func post(_ fixes: [(time: String, latitude: Double)], to hub: TestHub) throws {
    try finish(try posting(fixes, to: hub.url))
  }

  /// Starts posting positions without waiting for the response.
  func posting(_ fixes: [Fix], to hub: TestHub) throws -> Running { try posting(Self.dated(fixes), to: hub.url) }

  private static func dated(_ fixes: [Fix]) -> [(time: String, latitude: Double)] {
    let now = Date().timeIntervalSince1970.rounded()
    return fixes.map {
      (RFC3339.string(from: Date(timeIntervalSince1970: now - Double($0.ago))), 52 + $0.northward / 111_250)
    }
  }

  private func posting(_ fixes: [(time: String, latitude: Double)], to url: String) throws -> Running {
    let features = fixes.map { time, latitude in
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[4,\#(latitude)]},"#
        + #""properties":{"timestamp":"\#(time)","horizontal_accuracy":5}}"#
    }
    let file = bench.folder.appending(path: "post-\(UUID().uuidString)")
    try Data(#"{"locations":[\#(features.joined(separator: ","))]}"#.utf8).write(to: file)
    return try Running(
      bench, "/usr/bin/curl",
      [
        "-sS", "--fail", "--max-time", "60", "--retry", "40", "--retry-all-errors", "--retry-delay", "1",
        "-H", "Authorization: Bearer \(token)", "--data-binary", "@\(file.path)", "\(url)/overland",
      ])
  }

  private func finish(_ posting: Running) throws {
    posting.process.waitUntilExit()
    try #require(
      posting.process.terminationStatus == 0 && posting.text.contains(#""result":"ok""#), "\(posting.text)")
  }
}
