import Synchronization
import TrendyFoundation

/// What an agent last said of itself, for all who look: the control socket's connections.
public final class LiveBoard: Sendable {
  public struct Notice: Hashable, Sendable {
    /// Rises with every document.
    public var number = 0
    public var text = ""
    /// Nothing comes after it.
    public var isLast = false
  }

  private struct State {
    var notice = Notice()
    var readers: [UInt64: AsyncStream<Notice>.Continuation] = [:]
    var nextReader: UInt64 = 0
  }

  private let state = Mutex(State())

  public init() {}

  public var notice: Notice { state.withLock { $0.notice } }

  /// Shows a document in place of the last one.
  public func show(_ text: String, isLast: Bool = false) {
    let (notice, readers) = state.withLock { state -> (Notice, [AsyncStream<Notice>.Continuation]) in
      // What comes after the end, from a task that had not heard of it, is nobody's.
      guard !state.notice.isLast else { return (state.notice, []) }
      state.notice = Notice(number: state.notice.number + 1, text: text, isLast: isLast)
      return (state.notice, state.readers.sorted { $0.key < $1.key }.map(\.value))
    }
    for reader in readers {
      reader.yield(notice)
      if notice.isLast { reader.finish() }
    }
  }

  /// The present document, if there is one, then the newest each time; who reads slowly misses those between.
  public var notices: AsyncStream<Notice> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let (id, present) = state.withLock { state in
        state.nextReader += 1
        if !state.notice.isLast { state.readers[state.nextReader] = continuation }
        return (state.nextReader, state.notice)
      }
      if present.number > 0 { continuation.yield(present) }
      if present.isLast { continuation.finish() }
      continuation.onTermination = { [weak self] _ in
        _ = self?.state.withLock { $0.readers.removeValue(forKey: id) }
      }
    }
  }
}
