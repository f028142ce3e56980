import HubTesting
import TrendyHub
import TrendyPersistence

/// A user's track log in the shared database, as seen by one hub process.
///
/// As with PostgreSQL, detection claims the log for a limited time, which each write extends. A hub that has stalled
/// and lost its claim can no longer write.
///
/// @unchecked: used only by the jobs of one scenario, which run one at a time on one executor.
final class SimulatedTrackRows: TrackRows, @unchecked Sendable {
  private let storage: SimulatedDatabaseStorage
  private let user: String
  /// Name of the claim held by the running ``withReader(_:)``.
  private(set) var reader: String?

  init(storage: SimulatedDatabaseStorage, user: String) {
    self.storage = storage
    self.user = user
  }

  func read<Result>(_ body: (any TrackRowReading) throws -> Result) throws -> Result {
    try storage.reading(user) { try ($0.tracks[user] ?? MemoryTrackTable()).read(body) }
  }

  func write<Result>(_ body: (any TrackRowWriting) throws -> Result) throws -> Result {
    try storage.writing(user) { [reader] rows, now in
      if let reader { try rows.renew(reader, of: user, at: now) }
      return try rows.tracks[user, default: MemoryTrackTable()].write(body)
    }
  }

  func withReader<Result>(_ body: () throws -> Result) throws -> Result {
    let name = try claim()
    reader = name
    defer {
      reader = nil
      // A claim that is not released expires.
      _ = try? storage.writing(user) { rows, _ in
        if rows.readers[user]?.name == name { rows.readers[user] = nil }
      }
    }
    return try body()
  }

  /// Claims the log. Returns the name of the claim, which contains the database epoch.
  private func claim() throws -> String {
    let digits = storage.makeName()
    for _ in 0..<Self.attempts {
      let name: String? = try storage.writing(user) { rows, now in
        if let held = rows.readers[user], held.until > now { return nil }
        let name = rows.readerPrefix + digits
        rows.readers[user] = SimulatedDatabase.DetectionRunner(
          name: name, until: now + SimulatedDatabase.DetectionRunner.lease)
        return name
      }
      if let name { return name }
    }
    throw HubStorageError.busy("another hub is running the detection for the user \(user)")
  }

  private static let attempts = 3
}

extension SimulatedDatabase.Rows {
  fileprivate var readerPrefix: String { "\(epoch.id)." }

  /// Extends the claim. Throws ``HubStorageError/busy(_:)`` if another hub has claimed the log, or the database lost
  /// writes.
  mutating func renew(_ reader: String, of user: String, at now: Duration) throws {
    guard readers[user]?.name == reader, reader.hasPrefix(readerPrefix) else {
      throw HubStorageError.busy("another hub has started the detection for the user \(user)")
    }
    readers[user]?.until = now + SimulatedDatabase.DetectionRunner.lease
  }
}
