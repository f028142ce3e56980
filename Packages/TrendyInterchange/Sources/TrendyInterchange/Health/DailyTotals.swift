/// Sums samples per date without double counting when several devices cover the same time.
///
/// The starts and ends of all samples divide a date into intervals. In each interval only the best source counts, with
/// a share of each sample in proportion to the interval. Samples are kept until the end of the file, because the file
/// is not sorted. Dates with many samples are aggregated in steps of five minutes to bound memory.
struct DailyTotals {
  static let sampleLimit = 240
  private static let steps = 312
  private static let stepSeconds: Int64 = 300

  private struct Sample: Equatable {
    /// Seconds since midnight UTC of the date.
    var start: Int32
    /// Duration in the lower 17 bits and source in the upper 15. The two values are packed, because ten years contain
    /// millions of samples.
    private var lengthAndSource: UInt32
    var value: Float

    /// Duration in seconds, at most 86,400, or 0 for an instant.
    var length: Int32 { Int32(lengthAndSource & 0x1_FFFF) }
    var source: UInt16 { UInt16(lengthAndSource >> 17) }

    init(start: Int32, length: Int32, value: Float, source: UInt16) {
      self.start = start
      self.value = value
      lengthAndSource = UInt32(length) | UInt32(source) << 17
    }
  }

  /// Samples of one source on one date, aggregated in steps from ``Day/firstStep`` on.
  private struct Stepped {
    var source: UInt16
    var values: [Float]
    var seconds: [UInt16]
  }

  private struct Day {
    var samples: [Sample] = []
    var stepped: [Stepped] = []
    var firstStep: Int64 = 0
    var isStepped = false
    /// Sums by source, exact as long as the date has only one source.
    var sums: [(source: UInt16, value: Double)] = []
    var last: Sample?
  }

  /// Index into ``days`` by date, in days since 1970.
  private var indices: [Int32: Int] = [:]
  private var dates: [Int32] = []
  private var days: [Day] = []
  private var lastIndex = 0
  /// Approximate memory used by the days, in bytes.
  private(set) var size = 0

  /// Adds a value counted during an interval, and divides it among the local dates of the interval.
  ///
  /// - Parameters:
  ///   - value: Amount, such as a number of steps.
  ///   - start: Start in seconds since 1970.
  ///   - end: End in seconds since 1970, not before `start`.
  ///   - offset: UTC offset in seconds, positive to the east.
  ///   - source: Index of the source.
  mutating func add(_ value: Double, from start: Int64, to end: Int64, offset: Int64, source: UInt16) {
    var from = start
    repeat {
      let date = (from + offset).flooringQuotient(by: 86_400)
      let midnight = (date + 1) * 86_400 - offset
      let to = min(end, midnight)
      let part = end == start ? value : value * Double(to - from) / Double(end - start)
      add(
        Sample(
          start: Int32(from - date * 86_400), length: Int32(to - from), value: Float(part), source: source),
        exactly: part, to: Int32(date), firstStep: date * 86_400 - offset)
      from = to
    } while from < end
  }

  /// Returns the total of each date, sorted by date. Dates are in days since 1970.
  func totals(_ sources: HealthSources) -> [(date: Int, value: Double)] {
    dates.indices.sorted { dates[$0] < dates[$1] }.map { index in
      (Int(dates[index]), total(of: days[index], sources))
    }
  }
}

extension DailyTotals {
  private mutating func add(_ sample: Sample, exactly value: Double, to date: Int32, firstStep: Int64) {
    let index = index(of: date, firstStep: firstStep)
    // Skip repeated samples, because some exports contain samples twice.
    guard days[index].last != sample else { return }
    days[index].last = sample
    if let place = days[index].sums.firstIndex(where: { $0.source == sample.source }) {
      days[index].sums[place].value += value
    } else {
      days[index].sums.append((sample.source, value))
    }
    if !days[index].isStepped {
      days[index].samples.append(sample)
      size += MemoryLayout<Sample>.stride
      guard days[index].samples.count > Self.sampleLimit else { return }
      let samples = days[index].samples
      days[index].samples = []
      days[index].isStepped = true
      size -= samples.count * MemoryLayout<Sample>.stride
      for sample in samples { addSteps(of: sample, to: index, date: date) }
    } else {
      addSteps(of: sample, to: index, date: date)
    }
  }

  private mutating func index(of date: Int32, firstStep: Int64) -> Int {
    if lastIndex < dates.count, dates[lastIndex] == date { return lastIndex }
    if let index = indices[date] {
      lastIndex = index
      return index
    }
    lastIndex = days.count
    indices[date] = lastIndex
    dates.append(date)
    days.append(Day(firstStep: firstStep))
    size += MemoryLayout<Day>.stride + 32
    return lastIndex
  }

  private mutating func addSteps(of sample: Sample, to index: Int, date: Int32) {
    let start = Int64(date) * 86_400 + Int64(sample.start) - days[index].firstStep
    var place = days[index].stepped.firstIndex { $0.source == sample.source }
    if place == nil {
      place = days[index].stepped.count
      days[index].stepped.append(
        Stepped(
          source: sample.source, values: Array(repeating: 0, count: Self.steps),
          seconds: Array(repeating: 0, count: Self.steps)))
      size += Self.steps * 6 + 96
    }
    guard let place else { return }
    // On a date with a clock change, a time outside all steps counts in the first or last step.
    func step(_ second: Int64) -> Int { min(Self.steps - 1, max(0, Int(second / Self.stepSeconds))) }
    guard sample.length > 0 else {
      days[index].stepped[place].values[step(start)] += sample.value
      return
    }
    var from = start
    let end = start + Int64(sample.length)
    while from < end {
      let to = min(end, (from.flooringQuotient(by: Self.stepSeconds) + 1) * Self.stepSeconds)
      let share = sample.value * Float(to - from) / Float(sample.length)
      days[index].stepped[place].values[step(from)] += share
      let seconds = days[index].stepped[place].seconds[step(from)]
      days[index].stepped[place].seconds[step(from)] = UInt16(min(Self.stepSeconds, Int64(seconds) + to - from))
      from = to
    }
  }

  private func total(of day: Day, _ sources: HealthSources) -> Double {
    if day.sums.count == 1, day.isStepped { return day.sums[0].value }
    let order = day.sums.map(\.source).sorted {
      sources.isBetter($0, $1) { source in day.sums.first { $0.source == source }?.value ?? 0 }
    }
    var ranks: [UInt16: Int] = [:]
    for (rank, source) in order.enumerated() { ranks[source] = rank }
    return day.isStepped ? steppedTotal(of: day, ranks) : pieceTotal(of: day, ranks)
  }

  private func pieceTotal(of day: Day, _ ranks: [UInt16: Int]) -> Double {
    var samples: [(sample: Sample, rank: Int)] = []
    for sample in day.samples.sorted(by: Self.isBefore) where samples.last?.sample != sample {
      samples.append((sample, ranks[sample.source] ?? 0))
    }
    if ranks.count == 1 { return samples.reduce(0) { $0 + Double($1.sample.value) } }
    var edges: Set<Int32> = []
    for (sample, _) in samples {
      edges.insert(sample.start)
      edges.insert(sample.start + sample.length)
    }
    var counted = [Int32](repeating: 0, count: samples.count)
    var open: [Int] = []
    var next = 0
    let sorted = edges.sorted()
    var total = 0.0
    for (index, edge) in sorted.enumerated() {
      open.removeAll { samples[$0].sample.start + samples[$0].sample.length <= edge }
      var moments: [Int] = []
      while next < samples.count, samples[next].sample.start == edge {
        if samples[next].sample.length == 0 { moments.append(next) } else { open.append(next) }
        next += 1
      }
      let best = open.lazy.map { samples[$0].rank }.min() ?? Int.max
      for moment in moments where samples[moment].rank <= best { total += Double(samples[moment].sample.value) }
      guard index + 1 < sorted.count else { break }
      for sample in open where samples[sample].rank == best { counted[sample] += sorted[index + 1] - edge }
    }
    for (index, (sample, _)) in samples.enumerated() where sample.length > 0 {
      let value = Double(sample.value)
      // Avoid a rounding error if the whole sample counts.
      total += counted[index] == sample.length ? value : value * Double(counted[index]) / Double(sample.length)
    }
    return total
  }

  private static func isBefore(_ left: Sample, _ right: Sample) -> Bool {
    if left.start != right.start { return left.start < right.start }
    if left.source != right.source { return left.source < right.source }
    if left.length != right.length { return left.length < right.length }
    return left.value < right.value
  }

  /// Returns the total of a date that is aggregated in steps.
  ///
  /// In each step, sources are added from best to worst. Each source counts only for the seconds by which its samples
  /// cover more of the step than the samples of the better sources.
  private func steppedTotal(of day: Day, _ ranks: [UInt16: Int]) -> Double {
    let sources = day.stepped.sorted { ranks[$0.source] ?? 0 < ranks[$1.source] ?? 0 }
    var total = 0.0
    for step in 0..<Self.steps {
      var covered: UInt16 = 0
      for source in sources {
        let (seconds, value) = (source.seconds[step], Double(source.values[step]))
        if seconds == 0 {
          if covered == 0 { total += value }
        } else if seconds > covered {
          total += value * Double(seconds - covered) / Double(seconds)
          covered = seconds
        }
      }
    }
    return total
  }
}

extension Int64 {
  fileprivate func flooringQuotient(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
