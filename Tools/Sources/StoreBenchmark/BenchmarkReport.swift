/// Measurements of a workload, printed as one line of JSON.
package struct BenchmarkReport: Hashable, Sendable {
  package var seconds = 0.0
  /// Total wall time, including process start and exit, if the workload starts processes in sequence.
  package var wallSeconds: Double?
  /// Duration of each operation in seconds, unordered. Empty if operations were not timed individually.
  package var latencies: [Double] = []
  package var operations = 0
  package var rows = 0
  package var check: UInt64 = 0
  /// Peak resident memory of the measured processes in KiB, or `nil` if the workload ran in this process.
  package var peakMemory: Int?
  /// Memory of a reader with an open store in KiB, excluding mapped files, or `nil` if unknown.
  package var anonymousMemory: Int?

  package init() {}

  /// Median and 99th percentile.
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
