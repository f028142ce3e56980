import TrendyFoundation
import TrendyModels

/// Removes fixes that are much less accurate than the fixes before and after them.
///
/// Phones mix satellite positions, accurate to a few metres, with positions from WiFi and cell towers. Positions from
/// WiFi and cell towers may be minutes old, or wrong because an access point has been moved. A fix that is much less
/// accurate than the last precise fix is delayed, and is removed if another precise fix follows within a minute.
struct AccuracyFilter: Hashable, Sendable, Codable {
  /// Time of the last fix, if it was precise.
  private var time: Date?
  /// Accuracy of the last fix in metres.
  private var accuracy = 0.0
  /// Inaccurate fixes since the last accepted one, delayed until they are either released or removed.
  private var held: [Location] = []

  var isHolding: Bool { !held.isEmpty }

  /// Returns whether a fix is accepted unchanged. If not, the caller must pass it to ``add(_:)``.
  mutating func passes(_ fix: Location) -> Bool {
    guard held.isEmpty, !isMuchLessCertain(fix) else { return false }
    note(fix)
    return true
  }

  /// Processes a fix that ``passes(_:)`` did not accept.
  /// - Returns: the fixes to pass on to the next stage now, and the removed fixes.
  mutating func add(_ fix: Location) -> (passed: [Location], outweighed: [Location]) {
    guard !isMuchLessCertain(fix) else {
      held.append(fix)
      return ([], [])
    }
    let isBetween = Self.isPrecise(fix) && !isDue(at: fix.timestamp)
    let before = take()
    note(fix)
    return isBetween ? ([fix], before) : (before + [fix], [])
  }

  /// Releases the delayed fixes if no fix at or after `date` can lead to their removal.
  mutating func take(at date: Date) -> [Location] { isDue(at: date) ? take() : [] }

  mutating func take() -> [Location] {
    defer { held = [] }
    return held
  }

  private mutating func note(_ fix: Location) {
    time = Self.isPrecise(fix) ? fix.timestamp : nil
    accuracy = fix.horizontalAccuracy
  }

  private func isDue(at date: Date) -> Bool { time.map { date.timeIntervalSince($0) > Self.seconds } ?? true }

  private func isMuchLessCertain(_ fix: Location) -> Bool {
    // Without the first comparison, an accuracy of 0 m would count as much worse than another accuracy of 0 m.
    fix.horizontalAccuracy > accuracy && fix.horizontalAccuracy >= Self.ratio * accuracy && !isDue(at: fix.timestamp)
  }

  private static func isPrecise(_ fix: Location) -> Bool { (0...preciseAccuracy).contains(fix.horizontalAccuracy) }

  /// Typical accuracy in metres of satellite fixes, and of the best WiFi fixes.
  private static let preciseAccuracy = 20.0
  /// Minimum ratio of two accuracies. At 3, the less accurate fix would have a ninth of the weight in a weighted mean.
  private static let ratio = 3.0
  /// Maximum time in seconds between two precise fixes that outweigh the fixes between them.
  private static let seconds: TimeInterval = 60
}
