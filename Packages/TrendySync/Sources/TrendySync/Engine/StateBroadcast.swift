import Synchronization

/// The present state, and who wants to hear of its changes.
final class StateBroadcast: Sendable {
  private struct Content {
    var state = SyncState.idle
    var readers: [Int: AsyncStream<SyncState>.Continuation] = [:]
    var nextReader = 0
  }

  private let content = Mutex(Content())

  var state: SyncState { content.withLock { $0.state } }

  /// Tells every reader, in the order of the calls; setting the present state again tells nobody.
  func set(_ state: SyncState) {
    content.withLock { content in
      guard content.state != state else { return }
      content.state = state
      // A yield only puts the value into the reader's buffer: no code of the reader runs under the lock.
      for (_, reader) in content.readers.sorted(by: { $0.key < $1.key }) { reader.yield(state) }
    }
  }

  /// The present state, then every change.
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
