import Synchronization
import TrendyFoundation

/// Sends an agent's status to all control connections.
public final class LiveStatusBroadcaster: Sendable {
  /// Status document with a sequence number.
  public struct Notice: Hashable, Sendable {
    /// Sequence number, which increases by one with each document.
    public var number = 0
    public var text = ""
    /// Whether this is the last document before the agent stops.
    public var isLast = false
  }

  private struct State {
    var notice = Notice()
    var readers: [UInt64: AsyncStream<Notice>.Continuation] = [:]
    var nextReader: UInt64 = 0
  }

  private let state = Mutex(State())

  public init() {}

  /// Most recent document. Its number is 0 if none has been sent.
  public var notice: Notice { state.withLock { $0.notice } }

  /// Sends a new document to all readers.
  public func show(_ text: String, isLast: Bool = false) {
    let (notice, readers) = state.withLock { state -> (Notice, [AsyncStream<Notice>.Continuation]) in
      // Nothing may follow the last document.
      guard !state.notice.isLast else { return (state.notice, []) }
      state.notice = Notice(number: state.notice.number + 1, text: text, isLast: isLast)
      return (state.notice, state.readers.sorted { $0.key < $1.key }.map(\.value))
    }
    for reader in readers {
      reader.yield(notice)
      if notice.isLast { reader.finish() }
    }
  }

  /// Stream that starts with the most recent document, if any, and continues with newer ones. A slow reader misses
  /// intermediate documents.
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
