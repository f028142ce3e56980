import HubTesting
import TrendyHub
import TrendyPersistence

/// The rows of a person's track log in a database that several hubs share, as one hub process reaches them.
///
/// Who looks through the log has claimed it for a time that each of its writes prolongs, as on PostgreSQL: one that was overtaken, as
/// its hub stood still, writes no more to the log.
///
/// @unchecked: touched only by the pieces of one story, which one executor runs one at a time.
final class SimulatedTrackRows: TrackRows, @unchecked Sendable {
  private let storage: SimulatedDatabaseStorage
  private let person: String
  /// Names the call of ``withReader(_:)`` that is under way here.
  private(set) var reader: String?

  init(storage: SimulatedDatabaseStorage, person: String) {
    self.storage = storage
    self.person = person
  }

  func read<Result>(_ body: (any TrackRowReading) throws -> Result) throws -> Result {
    try storage.reading(person) { try ($0.tracks[person] ?? MemoryTrackTable()).read(body) }
  }

  func write<Result>(_ body: (any TrackRowWriting) throws -> Result) throws -> Result {
    try storage.writing(person) { [reader] rows, now in
      if let reader { try rows.renew(reader, of: person, at: now) }
      return try rows.tracks[person, default: MemoryTrackTable()].write(body)
    }
  }

  func withReader<Result>(_ body: () throws -> Result) throws -> Result {
    let name = try claim()
    reader = name
    defer {
      reader = nil
      // What is not given back is free when its time is over.
      _ = try? storage.writing(person) { rows, _ in
        if rows.readers[person]?.name == name { rows.readers[person] = nil }
      }
    }
    return try body()
  }

  /// - Returns: the name of the claim, in which stands of which life of the database it is.
  private func claim() throws -> String {
    let digits = storage.makeName()
    for _ in 0..<Self.attempts {
      let name: String? = try storage.writing(person) { rows, now in
        if let held = rows.readers[person], held.until > now { return nil }
        let name = rows.readerPrefix + digits
        rows.readers[person] = SimulatedDatabase.TrackReader(
          name: name, until: now + SimulatedDatabase.TrackReader.lease)
        return name
      }
      if let name { return name }
    }
    throw HubStorageError.busy("another hub looks through what was posted for the person \(person)")
  }

  /// How often it is asked for until the wait is over.
  private static let attempts = 3
}

extension SimulatedDatabase.Rows {
  fileprivate var readerPrefix: String { "\(life.id)." }

  /// - Throws: ``HubStorageError/busy(_:)`` where another has claimed the log, or the database lost what was written since.
  mutating func renew(_ reader: String, of person: String, at now: Duration) throws {
    guard readers[person]?.name == reader, reader.hasPrefix(readerPrefix) else {
      throw HubStorageError.busy("another hub has begun to look through what was posted for the person \(person)")
    }
    readers[person]?.until = now + SimulatedDatabase.TrackReader.lease
  }
}
