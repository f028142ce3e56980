import Foundation
import TrendyPersistence

/// Rows of a track log in memory.
///
/// @unchecked: the table is accessed only under its lock.
final class MemoryTrackRows: TrackRows, @unchecked Sendable {
  private var table = MemoryTrackTable()
  private let lock = NSLock()
  private let reader = NSLock()

  func read<Result>(_ body: (any TrackRowReading) throws -> Result) throws -> Result {
    try lock.withLock { table }.read(body)
  }

  func write<Result>(_ body: (any TrackRowWriting) throws -> Result) throws -> Result {
    try lock.withLock { try table.write(body) }
  }

  func withReader<Result>(_ body: () throws -> Result) throws -> Result { try reader.withLock(body) }
}
