import Synchronization

/// Wake-ups of the observers of a store.
final class CommitObservers: Sendable {
  private struct State {
    var wakes: [Int: AsyncStream<Void>.Continuation] = [:]
    var nextId = 0
    /// Reports the commits of other handles while there are observers.
    var watch: (any Sendable)?
  }

  private let state = Mutex(State())

  var isEmpty: Bool { state.withLock { $0.wakes.isEmpty } }

  /// Returns a stream that signals, until it is released, that there may be new commits.
  /// - Parameter watch: starts a watch of the store's directory, for the first observer.
  func add(
    watching watch: (_ onChange: @escaping @Sendable () -> Void) throws(StorageError) -> any Sendable
  ) throws(StorageError) -> AsyncStream<Void> {
    let (stream, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let id = try state.withLock { state throws(StorageError) in
      if state.watch == nil { state.watch = try watch { [weak self] in self?.wake() } }
      state.nextId += 1
      state.wakes[state.nextId] = wake
      return state.nextId
    }
    wake.onTermination = { [weak self] _ in self?.remove(id) }
    return stream
  }

  private func remove(_ id: Int) {
    // The watch is released outside the lock, because its last event may be on its way to `wake()`.
    _ = state.withLock { state in
      state.wakes[id] = nil
      return state.wakes.isEmpty ? state.watch.take() : nil
    }
  }

  /// Wakes all observers.
  func wake() {
    // Outside the lock: `remove` acquires it in a cancellation handler, while the runtime has locked the task that
    // `yield` resumes.
    let wakes = state.withLock { $0.wakes.sorted { $0.key < $1.key }.map(\.value) }
    for wake in wakes { wake.yield() }
  }
}
