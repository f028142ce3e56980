import TrendySync

/// Syncs continuously while the app is active. Returns when a round in progress has released the lock of the store.
func setActive(_ isActive: Bool, _ engine: SyncEngine) async {
  if isActive { await engine.start() } else { await engine.stop() }
}

/// Syncs once, for a background task. A cancelled task ends the round.
func refresh(_ engine: SyncEngine) async {
  await engine.performSync()
}
