import TrendyFoundation
import TrendyInterchange
import TrendyModels

/// How a file was read, so that the same file read with another time zone is recognised.
///
/// Ids follow from instants, so another zone for times without one gives each event another id. Local times do not depend on the zone
/// with which they were read: equal ``content`` with other ``moments`` is the same file read with another zone.
public struct ImportReading: Hashable, Sendable {
  /// IANA name of the zone of times that name none.
  public var zone: String
  /// Digest of the local times and types of the first events.
  public var content: String
  /// Digest of the instants of the same events.
  public var moments: String

  public init(zone: String, content: String, moments: String) {
    self.zone = zone
    self.content = content
    self.moments = moments
  }

  /// The earlier reading of the same file with another zone; `nil` if there is none, or if the file was also imported with this zone.
  func otherZone(among earlier: [ImportReading]) -> String? {
    let same = earlier.filter { $0.content == content }
    guard !same.contains(where: { $0.moments == moments }) else { return nil }
    return same.last?.zone
  }
}

/// The same file was imported before with another time zone: each of its events would be recorded a second time. Nothing was saved.
public struct ImportedInOtherZone: Error, Hashable, Sendable, CustomStringConvertible {
  /// The zone of the earlier import.
  public var earlier: String
  /// The zone of this one.
  public var zone: String

  public var description: String {
    "this file was imported before with the time zone \(earlier): with \(zone) each of its entries would be recorded a second time"
  }
}

/// Collects the first events of a file for an ``ImportReading``.
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

  /// `nil` of a file without events.
  var reading: ImportReading? {
    guard !localTimes.isEmpty else { return nil }
    func digest(_ lines: [String]) -> String {
      StableHash.sha256(Array(lines.joined(separator: "\n").utf8)).prefix(16)
        .map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
    return ImportReading(zone: zone.name ?? "of this machine", content: digest(localTimes), moments: digest(instants))
  }
}
