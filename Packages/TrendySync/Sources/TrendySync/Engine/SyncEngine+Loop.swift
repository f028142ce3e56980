import TrendyModels
import TrendyProtocols

extension SyncEngine {
  /// Starts automatic rounds, the first immediately. Has no effect if they are already running.
  ///
  /// The engine stays alive until ``stop()``. To run the rounds on a task of the caller, await ``run()`` instead.
  public func start() {
    guard loop == nil else { return }
    loop = Task { await run() }
  }

  /// Ends automatic rounds, cancels a round in progress, and returns when it has ended. No data is lost.
  public func stop() async {
    guard let loop else { return }
    loop.cancel()
    await loop.value
    self.loop = nil
  }

  /// Runs rounds until the task is cancelled: immediately, after the delay of the last round, after a change signal,
  /// and when a mutation is queued through this engine.
  public func run() async {
    isRunning = true
    defer { isRunning = false }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.followSignals() }
      while !Task.isCancelled {
        await performSync()
        await sleepUntilWoken(for: nextDelay)
        // Neither a signal nor an edit shortens the time for which the hub asked this device to back off.
        while clock.uptime < quietUntil, !Task.isCancelled { await sleepUntilWoken(for: quietUntil - clock.uptime) }
      }
      group.cancelAll()
    }
  }

  /// Starts a round now, or directly after the current one.
  func wake() {
    if sleeper == nil { isWakePending = true } else { rouse() }
  }
}

extension SyncEngine {
  private func rouse() {
    sleeper?.resume()
    sleeper = nil
  }

  /// Returns after `delay`, on ``wake()``, or when the task is cancelled.
  private func sleepUntilWoken(for delay: Duration) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [clock] in
        // A cancelled sleep ends like a complete one; the loop checks which it was.
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

  /// Reads the hub's change signals and reopens a stream that ends, fails or falls silent.
  private func followSignals() async {
    var pause = Backoff(minimum: configuration.minimumRetryDelay, maximum: configuration.maximumRetryDelay)
    while !Task.isCancelled {
      let before = signalCount
      await listen()
      if signalCount > before { pause.onSuccess() }
      // A silent stream did not fail, so it is reopened without a delay: signals in between would be missed until the
      // next poll.
      if clock.uptime - lastSignal >= configuration.signalTimeout { continue }
      // The loop condition handles cancellation.
      try? await clock.sleep(for: random.delay(after: nil, &pause))
    }
  }

  /// Returns when the stream has ended or has been silent for too long.
  private func listen() async {
    lastSignal = clock.uptime
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [networkClient] in
        do {
          for try await head in networkClient.changeSignals() { await self.onSignal(head: head) }
        } catch {
          // Signals are only hints: without them the poll finds every change a little later.
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
