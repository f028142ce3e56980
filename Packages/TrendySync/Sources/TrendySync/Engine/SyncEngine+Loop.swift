import TrendyModels
import TrendyProtocols

extension SyncEngine {
  /// Rounds come by themselves from now on, the first at once. Starting twice is starting once.
  ///
  /// The engine lives until ``stop()``. Who wants the rounds on a task of their own awaits ``run()`` instead.
  public func start() {
    guard loop == nil else { return }
    loop = Task { await run() }
  }

  /// Ends what ``start()`` began, a round in the middle included, and returns when it has ended. Nothing is lost by it.
  public func stop() async {
    guard let loop else { return }
    loop.cancel()
    await loop.value
    self.loop = nil
  }

  /// Makes rounds until its task is cancelled: at once, after the delay that the last one calls for, when the hub signals that it
  /// has something new, and when something is queued through this engine.
  public func run() async {
    isRunning = true
    defer { isRunning = false }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.followSignals() }
      while !Task.isCancelled {
        await performSync()
        await sleepUntilWoken(for: nextDelay)
        // Whatever there is to say or to hear waits until the hub wants to be asked again.
        while clock.uptime < quietUntil, !Task.isCancelled { await sleepUntilWoken(for: quietUntil - clock.uptime) }
      }
      group.cancelAll()
    }
  }

  /// Has the loop make a round now, or right after the one under way.
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
        // Cancelled is as good as over: the loop looks which it was.
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

  /// Listens for the hub's hints, again and again: a stream that ends, fails or falls silent is opened anew.
  private func followSignals() async {
    var pause = Backoff(minimum: configuration.minimumRetryDelay, maximum: configuration.maximumRetryDelay)
    while !Task.isCancelled {
      let before = signalCount
      await listen()
      if signalCount > before { pause.onSuccess() }
      // One that lasted did not fail, and what the hub says in a pause would be heard at the next poll.
      if clock.uptime - lastSignal >= configuration.signalTimeout { continue }
      // Cancelled, the loop ends.
      try? await clock.sleep(for: chance.delay(after: nil, &pause))
    }
  }

  /// Returns when the stream ends or has been silent for too long.
  private func listen() async {
    lastSignal = clock.uptime
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [networkClient] in
        do {
          for try await head in networkClient.changeSignals() { await self.onSignal(head: head) }
        } catch {
          // Signals are hints: without them the poll finds everything, a little later.
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
      // Cancelled, the loop ends.
      try? await clock.sleep(for: configuration.signalTimeout - silence)
    }
  }

  private func onSignal(head: Int64) {
    signalCount += 1
    lastSignal = clock.uptime
    if head > knownCursor { wake() }
  }
}
