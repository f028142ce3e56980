/// Measurements of a workload, printed as one line of JSON.
struct Measurement {
  var operations = 0
  var seconds = 0.0
  var requests = 0
  /// Duration of each operation, unordered. Empty if operations were not timed individually.
  var latencies: [Duration] = []
  /// Durations of plain requests, for comparison.
  var roundTrips: [Duration] = []
  var hubPeakMemory = 0
  /// Peak anonymous memory in KiB (see ``MemoryWatch``).
  var peakAnonymous: Int?
  var hubPeakAnonymous: Int?

  func line(_ options: SyncOptions) -> String {
    var line =
      "{\"suite\":\"sync\",\"workload\":\"\(options.workload.rawValue)\",\"n\":\(options.count),"
      + "\"ops\":\(operations),\"seconds\":\(rounded(seconds, 6)),"
      + "\"ops_per_s\":\(rounded(Double(operations) / seconds, 1)),\"requests\":\(requests)"
    if !latencies.isEmpty {
      line += ",\"p50_ms\":\(milliseconds(latencies, 50)),\"p99_ms\":\(milliseconds(latencies, 99))"
    }
    if !roundTrips.isEmpty { line += ",\"round_trip_p50_ms\":\(milliseconds(roundTrips, 50))" }
    if let peakAnonymous, let hubPeakAnonymous {
      line += ",\"peak_anonymous_kb\":\(peakAnonymous),\"hub_peak_anonymous_kb\":\(hubPeakAnonymous)"
    }
    return line + ",\"peak_rss_kb\":\(Usage.peakMemory()),\"hub_peak_rss_kb\":\(hubPeakMemory)}"
  }

  private func milliseconds(_ durations: [Duration], _ percent: Int) -> Double {
    let sorted = durations.sorted()
    return rounded(sorted[min(sorted.count * percent / 100, sorted.count - 1)] / .milliseconds(1), 3)
  }

  private func rounded(_ value: Double, _ digits: Int) -> Double {
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    return (value * scale).rounded() / scale
  }
}
