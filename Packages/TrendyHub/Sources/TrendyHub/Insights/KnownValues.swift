import Synchronization
import TrendyModels

/// What was made of the records of a few persons, each with how far the record had been written then: whoever asks again reads on from
/// there.
final class KnownValues<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  struct Known: Sendable {
    let position: ReadPosition
    let value: Value
  }

  private let limit: Int
  private let isReplaced: @Sendable (_ old: Key, _ new: Key) -> Bool
  private let known = Mutex<[(key: Key, known: Known)]>([])

  /// - Parameters:
  ///   - limit: how many values are kept; the one that was asked for longest ago goes first.
  ///   - isReplaced: whether the value of one key goes when that of another comes; unless told, that of the same key alone.
  init(limit: Int = 4, isReplaced: @escaping @Sendable (_ old: Key, _ new: Key) -> Bool = { $0 == $1 }) {
    self.limit = limit
    self.isReplaced = isReplaced
  }

  /// - Parameters:
  ///   - key: whose record it is, and what the value depends on beside that.
  ///   - make: brings what is known up to `state`, or makes it anew where nothing is known, or entries that it rests on may be gone; with
  ///     what was asked of it.
  func ask<Answer>(
    _ key: Key, _ reading: any HubReading, _ make: (_ known: Known?, _ state: HubState) throws -> (Value, Answer)
  ) throws -> Answer {
    let state = try reading.state()
    let position = ReadPosition(state)
    let found = known.withLock { $0.first { $0.key == key }?.known }
    let isUsable = found.map { $0.position == position || $0.position.isPast(of: state) } ?? false
    let (value, answer) = try make(isUsable ? found : nil, state)
    // Where something was written meanwhile, nobody can say whether the value holds it.
    guard try reading.state().head == state.head else { return answer }
    known.withLock { known in
      known.removeAll { isReplaced($0.key, key) }
      known.append((key, Known(position: position, value: value)))
      if known.count > limit { known.removeFirst() }
    }
    return answer
  }

  /// As ``ask(_:_:_:)`` where the value itself is asked for, and the same holds until something is written.
  /// - Parameter make: makes it, of what was known before if there is such.
  func value(for key: Key, _ reading: any HubReading, _ make: (_ known: Known?) throws -> Value) throws -> Value {
    try ask(key, reading) { known, state in
      if let known, known.position == ReadPosition(state) { return (known.value, known.value) }
      let value = try make(known)
      return (value, value)
    }
  }
}
