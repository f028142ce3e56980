import Synchronization
import TrendyFoundation

/// Last status of an agent, for all control connections.
public final class LiveStatusBroadcaster: Sendable {
  /// A status document with its number.
  public struct Notice: Hashable, Sendable {
    /// Increases with every document.
    public var number = 0
    public var text = ""
    /// Whether it is the last document.
    public var isLast = false
  }

  private struct State {
    var notice = Notice()
    var readers: [UInt64: AsyncStream<Notice>.Continuation] = [:]
    var nextReader: UInt64 = 0
  }

  private let state = Mutex(State())

  public init() {}

  /// Current document; number 0 before the first one.
  public var notice: Notice { state.withLock { $0.notice } }

  /// Replaces the current document.
  public func show(_ text: String, isLast: Bool = false) {
    let (notice, readers) = state.withLock { state -> (Notice, [AsyncStream<Notice>.Continuation]) in
      // Documents after the last one are ignored.
      guard !state.notice.isLast else { return (state.notice, []) }
      state.notice = Notice(number: state.notice.number + 1, text: text, isLast: isLast)
      return (state.notice, state.readers.sorted { $0.key < $1.key }.map(\.value))
    }
    for reader in readers {
      reader.yield(notice)
      if notice.isLast { reader.finish() }
    }
  }

  /// Returns the current document, if any, then the newest ones; slow readers skip documents.
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
