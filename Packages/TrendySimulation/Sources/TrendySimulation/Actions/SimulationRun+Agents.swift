import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendySync
import TrendyTesting

// MARK: Devices that sync automatically: they become quiet with a bounded number of requests and receive each other's
// changes in time
extension SimulationRun {
  /// Maximum time until a change is visible on another device. In the simulation only sleeping takes time.
  private static let liveDelay: Duration = .seconds(1)
  /// Maximum backoff after failures.
  private static let longestDelay: Duration = .seconds(300)

  func comeToRestByThemselves() async {
    let need = await need()
    let before = wires.map(\.requests)
    for (device, wire) in zip(devices, wires) {
      wire.expectBackoff(true)
      // An old version requests each list separately, and repeats all requests after a failure.
      if device.isOld { wire.requestsPerMinute = nil }
    }
    let perMinute = wires.compactMap(\.requestsPerMinute).min()
    let minutes = 60 + (perMinute.map { 4 * need / $0 } ?? 0)
    var isAtRest = false
    for _ in 0..<minutes where !isAtRest {
      await clock.advance(by: .seconds(60))
      isAtRest = await isQuiet()
    }
    if !isAtRest { await tellRestlessness(minutes) }
    for (device, wire) in zip(devices, wires) where wire.requests - before[device.number] > 4 * need + 40 {
      ledger.report(
        .backlogDrains,
        "\(device.name) needed \(wire.requests - before[device.number]) requests to become quiet, at most \(need) are expected"
      )
    }
    for wire in wires {
      wire.expectBackoff(false)
      wire.requestsPerMinute = nil
    }
    // Long enough for a silent stream to be replaced.
    await clock.advance(by: SimulatedDevice.signalTimeout + Self.longestDelay + Self.liveDelay)
    // A custom server may not send signals.
    if server == nil {
      await probe("live", isHeardWithin: Self.liveDelay, on: devices.filter { !$0.isOld })
    }
    for wire in wires { wire.refuseSignals(true) }
    await probe("polled", isHeardWithin: SimulatedDevice.pollInterval + Self.liveDelay, on: devices)
    for wire in wires { wire.refuseSignals(false) }
    await stopAgents()
  }

  private func tellRestlessness(_ minutes: Int) async {
    for device in devices {
      guard let process = device.process else { continue }
      let failure = await process.engine.lastFailure.map { "\($0)" } ?? "none"
      let waiting = await process.engine.pendingCount
      ledger.report(
        .quietAfterFaults,
        "\(device.name), which syncs automatically, is not quiet \(minutes) minutes after the last fault: \(waiting) mutations "
          + "pending; last failure: \(failure)")
    }
  }

  /// Maximum number of requests that a device needs without faults, including re-offers of its whole replica.
  private func need() async -> Int {
    do {
      // After a hub restore, devices re-offer the entries that the hub lacks.
      let held = try devices.compactMap { device in
        try device.process.map { process in
          let store = process.factory.makeLocalStore()
          return try MutationEntityType.allCases.reduce(0) { try $0 + store.fetchHeldEntries(kind: $1).count }
        }
      }
      let entries = max(try await directEntries().count, held.max() ?? 0)
      let waiting = try devices.compactMap { try $0.process?.factory.makeLocalStore().syncCounts().pending }
      let most = waiting.max() ?? 0
      // A snapshot in progress is followed by the writes that other devices have made since it began.
      let all = entries + waiting.reduce(0, +)
      return 10 + (most + entries) / parameters.batchSize + all / parameters.pageSize + hub.parts(ofEntries: all)
    } catch {
      ledger.report(nil, "the pending mutations cannot be counted: \(error)")
      return 0
    }
  }

  /// Creates an entity on the first device and checks that the other devices show it in time.
  private func probe(_ id: String, isHeardWithin delay: Duration, on others: [SimulatedDevice]) async {
    guard let first = devices.first?.process else { return }
    do {
      try first.recorder.record(EventType(id: id, name: id, colorHex: "#102030", iconName: "ear"))
      await first.engine.performSync()
      await clock.advance(by: delay)
      for device in others.dropFirst() {
        if try device.process?.factory.makeLocalStore().findEventType(id: id) == nil {
          ledger.report(
            .quietAfterFaults, "\(device.name) does not show \(id), sent \(delay.components.seconds) s ago")
        }
      }
    } catch {
      ledger.report(nil, "\(id) cannot be recorded or read after the last fault: \(error)")
    }
  }
}
