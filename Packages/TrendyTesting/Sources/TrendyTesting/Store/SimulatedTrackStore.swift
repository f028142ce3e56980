import StorageTesting
import Synchronization
public import TrendyFoundation
import TrendyPersistence
public import TrendyProtocols

/// The real track store on an in-memory disk. It can fail in the middle of an operation.
public final class SimulatedTrackStore: TrackStore {
  /// Error thrown by every call after the number of calls set by ``end(afterCalls:)``.
  public struct Ended: Error, Hashable {}

  private struct State {
    var log: TrackLog
    var callsLeft: Int?
    var calls = 0
  }

  private let disk = SimulatedFileSystem()
  private let state: Mutex<State>

  /// Creates an empty store.
  public init() {
    state = Mutex(State(log: Self.open(disk)))
  }

  /// Number of calls.
  public var calls: Int { state.withLock { $0.calls } }

  /// Lets the next `count` calls succeed and all later calls fail. ``restart()`` recovers the data that was durable by
  /// then.
  public func end(afterCalls count: Int) { state.withLock { $0.callsLeft = count } }

  /// Reopens the files as another process would after a power failure.
  public func restart() {
    disk.restart(losing: .unsynced)
    state.withLock { $0 = State(log: Self.open(disk)) }
  }

  private static func open(_ disk: SimulatedFileSystem) -> TrackLog {
    do {
      return try TrackLog(
        directory: "/tracks", fileSystem: disk, options: .init(firstChunkBytes: 16_384, largestChunkBytes: 262_144),
        generator: SeededGenerator(seed: 1))
    } catch {
      preconditionFailure("cannot open an in-memory track log: \(error)")
    }
  }

  private func log() throws -> TrackLog {
    try state.withLock { state in
      state.calls += 1
      if let left = state.callsLeft {
        guard left > 0 else { throw Ended() }
        state.callsLeft = left - 1
      }
      return state.log
    }
  }

  // MARK: TrackStore

  public func append(_ readings: [TrackReading], device: String) throws -> TrackAppend {
    try log().append(readings, device: device)
  }

  public func devices() throws -> [TrackDevice] { try log().devices() }

  public func forEach(
    device: String, after: Date?, through: Date?, _ body: (TrackReading) throws -> Void
  ) throws {
    try log().forEach(device: device, after: after, through: through, body)
  }

  public func withReader<Result>(_ body: () throws -> Result) throws -> Result { try log().withReader(body) }

  public func unread(device: String) throws -> TrackUnread? { try log().unread(device: device) }

  public func notes(
    _ kind: TrackNote.Kind, device: String, after: Date?, through: Date?, isDescending: Bool, limit: Int
  ) throws -> [TrackNote] {
    try log().notes(kind, device: device, after: after, through: through, isDescending: isDescending, limit: limit)
  }

  public func note(_ kind: TrackNote.Kind, id: String) throws -> (device: String, note: TrackNote)? {
    try log().note(kind, id: id)
  }

  public func commit(_ changes: TrackChanges, device: String) throws {
    try log().commit(changes, device: device)
  }
}
