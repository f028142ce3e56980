import Synchronization
import TrendyModels

/// What was made last of the whole record of a few persons, for as long as nothing was written to it.
final class LastRead<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct State: Hashable {
    let person: String
    /// The last life of the storage, and the last write in it.
    let epoch: String?
    let head: Int64
    let key: Key
  }

  private static var limit: Int { 4 }
  private let known = Mutex<[(state: State, value: Value)]>([])

  /// - Parameters:
  ///   - person: whose record it is; of each the last value alone is kept.
  ///   - key: what the value depends on beside the record.
  ///   - make: reads it.
  func value(
    of person: String, _ key: Key, _ reading: any HubReading, _ make: () throws -> Value
  ) throws -> Value {
    let standing = try reading.state()
    let state = State(person: person, epoch: standing.epochs.last?.id, head: standing.head, key: key)
    if let found = known.withLock({ $0.first { $0.state == state }?.value }) { return found }
    let value = try make()
    known.withLock { known in
      known.removeAll { $0.state.person == person }
      known.append((state, value))
      if known.count > Self.limit { known.removeFirst() }
    }
    return value
  }
}
