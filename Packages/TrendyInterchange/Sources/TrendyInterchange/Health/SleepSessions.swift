/// Combines sleep samples into sessions that are separated by more than two hours without sleep.
///
/// Several devices and apps may record the same night. Each session uses one source: preferably a source with sleep
/// stages, then the source with the most sleep. Time in bed alone does not count as sleep.
struct SleepSessions {
  enum Stage: UInt8 {
    case inBed
    case awake
    case asleep
    case core
    case deep
    case rem

    var isAsleep: Bool { rawValue >= Stage.asleep.rawValue }
    var isStage: Bool { rawValue > Stage.asleep.rawValue }

    /// Parses the part of a value after `HKCategoryValueSleepAnalysis`. `Asleep` is the name used before iOS 16.
    init?(_ value: Substring) {
      switch value {
      case "InBed": self = .inBed
      case "Awake": self = .awake
      case "Asleep", "AsleepUnspecified": self = .asleep
      case "AsleepCore": self = .core
      case "AsleepDeep": self = .deep
      case "AsleepREM": self = .rem
      default: return nil
      }
    }
  }

  struct Sample {
    /// Seconds since 1970.
    var start: Int64
    var end: Int64
    /// UTC offset in seconds at the end.
    var offset: Int32
    /// Index of the zone name, or -1 if unknown.
    var zone: Int16
    var source: UInt16
    var stage: Stage
  }

  struct Session {
    var start: Int64
    var end: Int64
    var offset: Int32
    var zone: Int16
    var source: UInt16
    /// Time asleep in seconds. Time covered by several samples counts once.
    var asleep: Int64
    var stages: [Stage: Int64]
    var awake: Int64
  }

  /// Maximum time without sleep within a session, in seconds.
  private static let gap: Int64 = 7200
  /// Minimum time asleep in a session, in seconds.
  static let shortest: Int64 = 1800

  private var samples: [Sample] = []

  var size: Int { samples.count * MemoryLayout<Sample>.stride }

  mutating func add(_ sample: Sample) { samples.append(sample) }

  /// Returns the sessions in chronological order, and the number of sessions that were too short.
  func sessions(_ sources: HealthSources) -> (sessions: [Session], short: Int) {
    let asleep = samples.filter { $0.stage.isAsleep && $0.end > $0.start }.sorted {
      ($0.start, $0.end, $0.source, $0.stage.rawValue) < ($1.start, $1.end, $1.source, $1.stage.rawValue)
    }
    let awake = samples.filter { $0.stage == .awake && $0.end > $0.start }.sorted { $0.start < $1.start }
    var sessions: [Session] = []
    var short = 0
    var first = 0
    var end = Int64.min
    for index in 0...asleep.count {
      if index < asleep.count, index == first || asleep[index].start <= end + Self.gap {
        end = max(end, asleep[index].end)
        continue
      }
      if first < index {
        let session = session(of: asleep[first..<index], awake, sources)
        if session.asleep >= Self.shortest { sessions.append(session) } else { short += 1 }
      }
      first = index
      if index < asleep.count { end = asleep[index].end }
    }
    return (sessions, short)
  }

  private func session(of samples: ArraySlice<Sample>, _ awake: [Sample], _ sources: HealthSources) -> Session {
    var best: Session?
    var bestName = ""
    for source in Set(samples.map(\.source)) {
      let own = samples.filter { $0.source == source }
      guard let first = own.first, let last = own.max(by: { $0.end < $1.end }) else { continue }
      var stages: [Stage: Int64] = [:]
      for stage in Set(own.map(\.stage)) where stage.isStage {
        stages[stage] = Self.union(own.lazy.filter { $0.stage == stage })
      }
      var session = Session(
        start: first.start, end: last.end, offset: last.offset, zone: last.zone, source: source,
        asleep: Self.union(own), stages: stages, awake: 0)
      let name = sources.all[Int(source)].name
      if let best {
        let left = (session.stages.isEmpty ? 1 : 0, -session.asleep)
        let right = (best.stages.isEmpty ? 1 : 0, -best.asleep)
        guard left < right || left == right && (name, source) < (bestName, best.source) else { continue }
      }
      var low = awake.partitionPoint { $0.start >= session.start }
      var waking: [Sample] = []
      while low < awake.count, awake[low].start < session.end {
        if awake[low].source == source, awake[low].end <= session.end { waking.append(awake[low]) }
        low += 1
      }
      session.awake = Self.union(waking)
      best = session
      bestName = name
    }
    guard let best else { preconditionFailure("a session without samples") }
    return best
  }

  /// Returns the time in seconds that is covered by at least one sample. The samples must be sorted by start.
  private static func union(_ samples: some Sequence<Sample>) -> Int64 {
    var total: Int64 = 0
    var end = Int64.min
    for sample in samples where sample.end > end {
      total += sample.end - max(sample.start, end)
      end = sample.end
    }
    return total
  }
}

extension [SleepSessions.Sample] {
  /// Returns the first index at which `condition` holds. The condition must also hold for all later elements.
  fileprivate func partitionPoint(_ condition: (Element) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if condition(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
