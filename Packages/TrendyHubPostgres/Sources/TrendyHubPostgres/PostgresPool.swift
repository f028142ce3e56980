import Foundation
import TrendyHub

/// A bounded number of connections, made when they are needed; the one that was used last is used next.
///
/// @unchecked: everything that changes is touched under `changed` alone.
final class PostgresPool: DatabaseConnections, @unchecked Sendable {
  private let limit: Int
  private let wait: TimeInterval
  private let make: @Sendable () throws -> PostgresConnection
  private let changed = NSCondition()
  private var idle: [PostgresConnection] = []
  private var count = 0
  /// Goes up when a connection is lost: those that were made before are likely to be lost as well.
  private var generation = 0

  /// - Parameters:
  ///   - limit: connections at once.
  ///   - wait: seconds until who waits for one is refused.
  ///   - make: makes one; called on the thread that needs it, by several at once.
  init(limit: Int, wait: TimeInterval, make: @escaping @Sendable () throws -> PostgresConnection) {
    self.limit = limit
    self.wait = wait
    self.make = make
  }

  /// - Throws: ``HubStorageError/busy(_:)`` where all are at work for too long; what `make` throws.
  func take() throws -> PostgresConnection {
    let (connection, generation) = try reserve()
    if let connection { return connection }
    do {
      let made = try make()
      made.generation = generation
      return made
    } catch {
      changed.withLock {
        count -= 1
        changed.signal()
      }
      throw error
    }
  }

  /// One that is idle, or the right to make one.
  private func reserve() throws -> (PostgresConnection?, generation: Int) {
    // A thread waits by the system's clock.
    let deadline = Date(timeIntervalSinceNow: wait)
    return try changed.withLock {
      while true {
        if let connection = idle.popLast() { return (connection, generation) }
        if count < limit {
          count += 1
          return (nil, generation)
        }
        guard changed.wait(until: deadline) else {
          throw HubStorageError.busy("all \(limit) connections to the database are at work")
        }
      }
    }
  }

  func give(_ connection: PostgresConnection) {
    // Closed without the lock.
    var closed: [PostgresConnection] = []
    changed.withLock {
      if connection.isLost, connection.generation == generation {
        generation += 1
        closed = idle
        count -= idle.count
        idle = []
      }
      if connection.isLost || connection.generation < generation {
        closed.append(connection)
        count -= 1
      } else {
        idle.append(connection)
      }
      changed.signal()
    }
    withExtendedLifetime(closed) {}
  }

  /// How many there are, and how many of them do nothing.
  var counts: (open: Int, idle: Int) { changed.withLock { (count, idle.count) } }
}
