import TrendyFoundation
import TrendyModels

/// Passes over fixes that are much less certain than those before and after them.
///
/// A phone that asks WiFi and cells between two fixes of its satellite receiver writes both in one row. The receiver knows its place to some
/// metres; the others tell of an access point that was carried elsewhere, or of the place that the phone left minutes ago. A fix much less
/// certain than the last precise one waits for the next precise one, and is passed over if that comes within a minute.
struct AccuracyFilter: Hashable, Sendable, Codable {
  /// When the last fix was taken that is precise, if it was, and the metres of its accuracy.
  private var time: Date?
  private var accuracy = 0.0
  /// Fixes since, which are much less certain.
  private var held: [Location] = []

  /// Whether a fix is passed on as it is, as nearly all are. To be asked first.
  mutating func passes(_ fix: Location) -> Bool {
    guard held.isEmpty, !isMuchLessCertain(fix) else { return false }
    note(fix)
    return true
  }

  /// Takes a fix that does not pass.
  /// - Returns: the fixes that are passed on before the next one, and those that were passed over.
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

  /// What is held back, if no fix that comes at a moment or later is to make it passed over.
  mutating func take(at date: Date) -> [Location] { isDue(at: date) ? take() : [] }

  /// What is held back, where no more can come.
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
    // Three times nothing is nothing: who claims to be exact is as certain as the next who does.
    fix.horizontalAccuracy > accuracy && fix.horizontalAccuracy >= Self.ratio * accuracy && !isDue(at: fix.timestamp)
  }

  private static func isPrecise(_ fix: Location) -> Bool { (0...mostPrecise).contains(fix.horizontalAccuracy) }

  /// Metres of accuracy that a satellite receiver has, and WiFi at best.
  private static let mostPrecise = 20.0
  /// In a mean of both the less certain one has a weight of a ninth.
  private static let ratio = 3.0
  /// Seconds from one precise fix to the next at most: the way between is known better from these two.
  private static let seconds: TimeInterval = 60
}
