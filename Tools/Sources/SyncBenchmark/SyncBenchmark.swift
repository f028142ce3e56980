import Foundation
import TrendyModels
import TrendyNetworking
import TrendyProtocols
import TrendySync

/// Measures sync between devices and a hub in a child process, over HTTP on the loopback interface, with durable
/// writes.
package struct SyncBenchmark {
  private let options: SyncOptions
  private let folder: URL
  private let program: String

  /// Creates a benchmark.
  /// - Parameter program: the executable to start for the hub, with `hub DIR`.
  package init(_ options: SyncOptions, program: String) {
    self.options = options
    folder = URL(filePath: options.directory)
    self.program = program
  }

  /// Runs the workload and returns its measurements as one line of JSON.
  package func run() async throws -> String {
    guard !FileManager.default.fileExists(atPath: folder.path) else {
      throw UsageError(text: "\(folder.path) already exists; use a new folder")
    }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let hub = try HubProcess(program: program, directory: folder.appending(path: "hub").path)
    defer { hub.stop() }
    var result =
      switch options.workload {
      case .push: try await push(hub)
      case .pull: try await pull(hub) { try hub.create(1..<options.count + 1) }
      case .catchUp: try await catchUp(hub)
      case .bootstrap: try await bootstrap(hub)
      case .empty: try await empty(hub)
      case .live: try await live(hub)
      }
    result.hubPeakMemory = try hub.peakMemory()
    return result.line(options)
  }

  private func device(_ name: String, _ hub: HubProcess) throws -> BenchmarkDevice {
    try BenchmarkDevice(hub: hub, directory: folder.appending(path: name))
  }
}

// MARK: - Workloads

extension SyncBenchmark {
  /// Pushes events that were recorded offline.
  private func push(_ hub: HubProcess) async throws -> Measurement {
    let device = try device("a", hub)
    try await device.sync()
    for start in stride(from: 1, through: options.count, by: 500) {
      try device.recorder.record((start..<min(start + 500, options.count + 1)).map { BenchmarkEvents.event($0) })
    }
    var result = try await measured(hub) { try await device.sync() }
    let other = try self.device("b", hub)
    try await other.sync()
    try holds(try other.eventCount(), options.count)
    result.operations = options.count
    return result
  }

  /// Pulls the changes that `change` makes on the hub to a device that is up to date.
  private func pull(_ hub: HubProcess, _ change: () throws -> Void) async throws -> Measurement {
    let device = try device("a", hub)
    try await device.sync()
    try change()
    var result = try await measured(hub) { try await device.sync() }
    try holds(try device.eventCount(), options.count)
    result.operations = options.count
    return result
  }

  /// Pulls edits of events that the device already has.
  private func catchUp(_ hub: HubProcess) async throws -> Measurement {
    try hub.create(1..<options.count + 1)
    let result = try await pull(hub) { try hub.edit(1..<options.count + 1) }
    return result
  }

  /// Pulls the complete record to a new device.
  private func bootstrap(_ hub: HubProcess) async throws -> Measurement {
    try hub.create(1..<options.count + 1)
    let device = try device("a", hub)
    var result = try await measured(hub) { try await device.sync() }
    try holds(try device.eventCount(), options.count)
    result.operations = options.count
    return result
  }

  /// Syncs without changes, and sends a plain request from the same client for comparison.
  private func empty(_ hub: HubProcess) async throws -> Measurement {
    let device = try device("a", hub)
    try hub.create(1..<1001)
    try await device.sync()
    var result = Measurement()
    let before = try hub.requests()
    let begun = ContinuousClock.now
    for _ in 0..<options.count {
      let start = ContinuousClock.now
      try await device.sync()
      result.latencies.append(ContinuousClock.now - start)
    }
    result.seconds = (ContinuousClock.now - begun) / .seconds(1)
    result.requests = try hub.requests() - before
    for _ in 0..<options.count {
      let start = ContinuousClock.now
      _ = try await device.client.getLatestCursor()
      result.roundTrips.append(ContinuousClock.now - start)
    }
    result.operations = options.count
    return result
  }

  /// Measures the time from the durable save of an event on one device until another device has the event.
  private func live(_ hub: HubProcess) async throws -> Measurement {
    let (author, reader) = (try device("a", hub), try device("b", hub))
    try await author.sync()
    await reader.engine.start()
    var result = Measurement()
    let before = try hub.requests()
    let begun = ContinuousClock.now
    for number in 1...options.count {
      try author.recorder.record(BenchmarkEvents.event(number))
      let start = ContinuousClock.now
      await author.engine.performSync()
      while try reader.event(number) == nil {
        guard ContinuousClock.now - start < .seconds(30) else {
          throw UsageError(text: "event \(number) did not arrive within 30 s")
        }
        try await Task.sleep(for: .milliseconds(1))
      }
      result.latencies.append(ContinuousClock.now - start)
    }
    result.seconds = (ContinuousClock.now - begun) / .seconds(1)
    result.requests = try hub.requests() - before
    await reader.engine.stop()
    result.operations = options.count
    return result
  }

  private func measured(_ hub: HubProcess, _ body: () async throws -> Void) async throws -> Measurement {
    var result = Measurement()
    let before = try hub.requests()
    let watches = (MemoryWatch(process: getpid()), MemoryWatch(process: hub.identifier))
    let start = ContinuousClock.now
    try await body()
    result.seconds = (ContinuousClock.now - start) / .seconds(1)
    result.peakAnonymous = watches.0.peak()
    result.hubPeakAnonymous = watches.1.peak()
    result.requests = try hub.requests() - before
    return result
  }

  /// Throws an error if events are missing, which would make the measurement invalid.
  private func holds(_ found: Int, _ expected: Int) throws {
    guard found == expected else { throw UsageError(text: "\(found) of \(expected) events arrived") }
  }
}
