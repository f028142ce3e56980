import Synchronization

final class StateBroadcast: Sendable {
  private struct Content {
    var state = SyncState.idle
    var readers: [Int: AsyncStream<SyncState>.Continuation] = [:]
    var nextReader = 0
  }

  private let content = Mutex(Content())

  var state: SyncState { content.withLock { $0.state } }

  /// Stores a state and, if it has changed, sends it to all streams. Streams receive the states in the order of the
  /// calls.
  func set(_ state: SyncState) {
    content.withLock { content in
      guard content.state != state else { return }
      content.state = state
      // `yield` only buffers the value, so no reader's code runs while the lock is held.
      for (_, reader) in content.readers.sorted(by: { $0.key < $1.key }) { reader.yield(state) }
    }
  }

  func makeStream() -> AsyncStream<SyncState> {
    let (stream, continuation) = AsyncStream<SyncState>.makeStream()
    let reader = content.withLock { content in
      content.nextReader += 1
      content.readers[content.nextReader] = continuation
      continuation.yield(content.state)
      return content.nextReader
    }
    continuation.onTermination = { [weak self] _ in
      self?.content.withLock { _ = $0.readers.removeValue(forKey: reader) }
    }
    return stream
  }

  deinit {
    content.withLock { content in
      for reader in content.readers.values { reader.finish() }
    }
  }
}
