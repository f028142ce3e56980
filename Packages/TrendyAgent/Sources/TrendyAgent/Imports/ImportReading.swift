import TrendyFoundation
import TrendyInterchange
import TrendyModels

/// Error thrown if the same file was imported with a different time zone, because importing it again would duplicate
/// every event. Nothing has been saved.
public struct ImportedInOtherZone: Error, Hashable, Sendable, CustomStringConvertible {
  /// Time zone of the earlier import.
  public var earlier: String
  /// Time zone of this import.
  public var zone: String

  /// Error message for the user, without a full stop.
  public var description: String {
    "this file was imported before with the time zone \(earlier): importing it with \(zone) would duplicate all its entries"
  }
}

struct ImportReadingCollector {
  private static let limit = 100
  private let zone: ZoneClock
  private var localTimes: [String] = []
  private var instants: [String] = []

  init(zone: ZoneClock) { self.zone = zone }

  mutating func add(type: String, at time: Date) {
    guard localTimes.count < Self.limit else { return }
    let seconds = time.timeIntervalSince1970.rounded(.down)
    localTimes.append("\(type.lowercased())\t\(Int64(seconds) + Int64(zone.secondsFromGMT(at: time)))")
    instants.append("\(Int64((time.timeIntervalSince1970 * 1000).rounded()))")
  }

  /// Digests of the first 100 events, or `nil` for a file without events.
  var reading: ImportReading? {
    guard !localTimes.isEmpty else { return nil }
    func digest(_ lines: [String]) -> String {
      StableHash.sha256(Array(lines.joined(separator: "\n").utf8)).prefix(16)
        .map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
    return ImportReading(zone: zone.name ?? "of this machine", content: digest(localTimes), moments: digest(instants))
  }
}
