import TrendyModels
import TrendyProtocols

extension SyncEngine {
  /// Starts automatic rounds, beginning immediately. Has no effect if automatic rounds are already running.
  ///
  /// The engine stays alive until ``stop()``. To run the rounds on the caller's own task, await ``run()`` instead.
  public func start() {
    guard loop == nil else { return }
    loop = Task { await run() }
  }

  /// Ends automatic rounds. Cancels a round in progress and returns when it has ended. No data is lost.
  public func stop() async {
    guard let loop else { return }
    loop.cancel()
    await loop.value
    self.loop = nil
  }

  /// Runs rounds until the task is cancelled: the first round immediately, and each later round after the delay set by
  /// the previous round, on a change signal, or when a mutation is queued through this engine.
  public func run() async {
    isRunning = true
    defer { isRunning = false }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.followSignals() }
      while !Task.isCancelled {
        await performSync()
        await sleepUntilWoken(for: nextDelay)
        // Neither a signal nor an edit shortens the backoff that the hub requested.
        while clock.uptime < quietUntil, !Task.isCancelled { await sleepUntilWoken(for: quietUntil - clock.uptime) }
      }
      group.cancelAll()
    }
  }

  func wake() {
    if sleeper == nil { isWakePending = true } else { rouse() }
  }
}

extension SyncEngine {
  private func rouse() {
    sleeper?.resume()
    sleeper = nil
  }

  private func sleepUntilWoken(for delay: Duration) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [clock] in
        // A cancelled sleep merely ends early. The loop checks for cancellation.
        try? await clock.sleep(for: delay)
        await self.rouse()
      }
      await withCheckedContinuation { continuation in
        if isWakePending { continuation.resume() } else { sleeper = continuation }
        isWakePending = false
      }
      group.cancelAll()
    }
  }

  /// Follows the hub's change signals. Reopens a stream that ends, fails or falls silent.
  private func followSignals() async {
    var pause = Backoff(minimum: configuration.minimumRetryDelay, maximum: configuration.maximumRetryDelay)
    while !Task.isCancelled {
      let before = signalCount
      await listen()
      if signalCount > before { pause.onSuccess() }
      // A silent stream has not failed, so it is reopened without a delay. Signals sent during a delay would be missed
      // until the next poll.
      if clock.uptime - lastSignal >= configuration.signalTimeout { continue }
      // The loop condition handles cancellation.
      try? await clock.sleep(for: random.delay(after: nil, &pause))
    }
  }

  private func listen() async {
    lastSignal = clock.uptime
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [networkClient] in
        do {
          for try await head in networkClient.changeSignals() { await self.onSignal(head: head) }
        } catch {
          // Signals are only hints. Without them, the next poll finds the changes.
        }
      }
      group.addTask { await self.watchSignals() }
      await group.next()
      group.cancelAll()
    }
  }

  private func watchSignals() async {
    while !Task.isCancelled {
      let silence = clock.uptime - lastSignal
      if silence >= configuration.signalTimeout { return }
      // The loop condition handles cancellation.
      try? await clock.sleep(for: configuration.signalTimeout - silence)
    }
  }

  private func onSignal(head: Int64) {
    signalCount += 1
    lastSignal = clock.uptime
    if head > knownCursor { wake() }
  }
}
