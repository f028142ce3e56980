/// What a workload measured, and the line that says so.
package struct BenchmarkReport: Hashable, Sendable {
  package var seconds = 0.0
  /// From starting a process to its end, if processes were started one after the other.
  package var wallSeconds: Double?
  /// Seconds of single operations, in any order; none unless they were measured apart.
  package var latencies: [Double] = []
  package var operations = 0
  package var rows = 0
  /// See ``RowCheck``.
  package var check: UInt64 = 0
  /// Of the processes that were measured, in kilobytes; `nil` for this one.
  package var peakMemory: Int?
  /// Of a reader with the store open, beyond the files that it has mapped, in kilobytes; `nil` where that is not known.
  package var anonymousMemory: Int?

  package init() {}

  /// The middle one, and the one that 99 of 100 stay below.
  var percentiles: (middle: Double, high: Double)? {
    guard latencies.count > 1 else { return nil }
    let sorted = latencies.sorted()
    return (sorted[sorted.count / 2], sorted[sorted.count * 99 / 100])
  }

  func line(for options: BenchmarkOptions, bytesOnDisk: Int) -> String {
    var line = SystemCalls.format(
      "\"n\":%ld,\"ops\":%ld,\"seconds\":%.6f,\"ops_per_s\":%.1f,\"bytes_on_disk\":%ld,\"peak_rss_kb\":%ld,\"rows\":%ld,",
      options.count, operations, seconds, Double(operations) / seconds, bytesOnDisk,
      peakMemory ?? SystemCalls.peakMemory(), rows)
    line = "{\"engine\":\"trendy\",\"workload\":\"\(options.workload.rawValue)\"," + line
    line += SystemCalls.format("\"check\":\"%016lx\"", check)
    if let percentiles {
      line += SystemCalls.format(
        ",\"p50_us\":%.1f,\"p99_us\":%.1f", percentiles.middle * 1e6, percentiles.high * 1e6)
    }
    if let anonymousMemory { line += SystemCalls.format(",\"rss_anon_mb\":%.1f", Double(anonymousMemory) / 1024) }
    if let wallSeconds { line += SystemCalls.format(",\"wall_s\":%.6f", wallSeconds) }
    return line + "}"
  }
}
