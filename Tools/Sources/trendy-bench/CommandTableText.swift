struct CommandTableText {
  /// Names of the peers, one column each.
  let programs: [String]
  var missing: [String] = []
  /// Durations of small durable writes in milliseconds.
  var flushes: [Double] = []
  /// Peak memory of the benchmark in KiB. Linux passes the peak on to child processes, so smaller peaks cannot be
  /// measured.
  var ownPeak = 0
  private let events: Int
  private var rows: [[String]] = []
  private var log: (own: Double, timew: Double?)?

  init(events: Int, programs: [String]) {
    self.events = events
    self.programs = programs
  }

  static func middle(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

  private static func millis(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return value < 100 ? "\(tenths / 10).\(tenths % 10)" : "\(Int(value.rounded()))"
  }

  /// Adds a row for a command. `runs` must not be empty, `aim` is in milliseconds and megabytes, and `peers` is keyed
  /// by name.
  mutating func add(
    _ workload: String, _ runs: [CommandRun], aim: (millis: Int?, megabytes: Int?), peers: [String: [CommandRun]]
  ) {
    func wall(_ runs: [CommandRun]) -> Double { Self.middle(runs.map { $0.wall * 1000 }) }
    if workload == "log" { log = (wall(runs), peers["timew"].map(wall)) }
    rows.append(
      [
        workload, Self.millis(wall(runs)), Self.millis(runs.map { $0.wall * 1000 }.min() ?? 0),
        Self.millis(Self.middle(runs.map { $0.processor * 1000 })), aim.millis.map { "\($0)" } ?? "-",
        megabytes(runs.map(\.peakMemory).max() ?? 0), aim.megabytes.map { "\($0)" } ?? "-",
      ] + programs.map { peers[$0].map { Self.millis(wall($0)) } ?? "-" })
  }

  private func megabytes(_ kilobytes: Int) -> String {
    (kilobytes <= ownPeak + 512 ? "<" : "") + Self.millis(Double(kilobytes) / 1024)
  }

  /// Table with a header, followed by a comparison of `log` with the cost of a disk flush.
  var text: String {
    let heading = ["command", "ms", "min", "cpu", "max ms", "MiB", "max MiB"] + programs
    let all = [heading] + rows
    let widths = heading.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
    var lines = all.map { row in
      row.enumerated().map { index, cell in
        let gap = String(repeating: " ", count: widths[index] - cell.count)
        return index == 0 ? cell + gap : gap + cell
      }.joined(separator: "  ")
    }
    lines.insert(
      "trendy on \(events) events, other programs on empty journals: milliseconds from start to exit (median, minimum,"
        + " CPU), peak memory including mapped files", at: 0)
    for name in missing { lines.append("\(name) is not installed") }
    if let log, !flushes.isEmpty {
      let flush = Self.middle(flushes)
      lines.append("one disk flush: \(Self.millis(flush)) ms")
      if let timew = log.timew {
        let limit = timew + flush
        lines.append(
          "log (durable): \(Self.millis(log.own)) ms; timew start plus a flush: \(Self.millis(limit)) ms"
            + (log.own <= limit ? "" : " (exceeded)"))
      }
    }
    return lines.joined(separator: "\n")
  }
}
