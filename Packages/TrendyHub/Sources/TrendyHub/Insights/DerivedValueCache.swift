import Synchronization
import TrendyModels

/// Cached values derived from users' records, each with the hub position that it reflects.
///
/// A later request updates the value starting from that position.
final class DerivedValueCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  struct Known: Sendable {
    let position: SourcePosition
    let value: Value
  }

  private let limit: Int
  private let isReplaced: @Sendable (_ old: Key, _ new: Key) -> Bool
  private let known = Mutex<[(key: Key, known: Known)]>([])

  /// Creates a cache for at most `limit` values. If it is full, the oldest value is removed.
  ///
  /// `isReplaced` returns whether storing a new key removes an old key's value. By default, only equal keys replace
  /// each other.
  init(limit: Int = 4, isReplaced: @escaping @Sendable (_ old: Key, _ new: Key) -> Bool = { $0 == $1 }) {
    self.limit = limit
    self.isReplaced = isReplaced
  }

  /// Returns an answer computed from the updated value, and caches that value.
  ///
  /// - Parameters:
  ///   - key: The user and all other parameters on which the value depends.
  ///   - reading: A read transaction for the user.
  ///   - make: Updates the cached value to `state`. If `known` is `nil`, computes the value from scratch, because no
  ///     value is cached or tombstones may have been compacted.
  func ask<Answer>(
    _ key: Key, _ reading: any HubReadTransaction,
    _ make: (_ known: Known?, _ state: HubState) throws -> (Value, Answer)
  ) throws -> Answer {
    let state = try reading.state()
    let position = SourcePosition(state)
    let found = known.withLock { $0.first { $0.key == key }?.known }
    let isUsable = found.map { $0.position == position || $0.position.isPast(of: state) } ?? false
    let (value, answer) = try make(isUsable ? found : nil, state)
    // If there was a concurrent write, the value may or may not include it, so do not cache it.
    guard try reading.state().head == state.head else { return answer }
    known.withLock { known in
      known.removeAll { isReplaced($0.key, key) }
      known.append((key, Known(position: position, value: value)))
      if known.count > limit { known.removeFirst() }
    }
    return answer
  }

  /// Returns the cached value if nothing has been written since. Otherwise calls `make` and caches its result.
  func value(for key: Key, _ reading: any HubReadTransaction, _ make: (_ known: Known?) throws -> Value) throws -> Value
  {
    try ask(key, reading) { known, state in
      if let known, known.position == SourcePosition(state) { return (known.value, known.value) }
      let value = try make(known)
      return (value, value)
    }
  }
}
