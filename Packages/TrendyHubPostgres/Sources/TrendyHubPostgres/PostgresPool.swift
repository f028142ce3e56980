import Foundation
import TrendyHub

/// A bounded pool of connections, created on demand. The most recently used idle connection is reused first.
///
/// @unchecked: all mutable state is protected by `changed`.
final class PostgresPool: DatabaseConnections, @unchecked Sendable {
  private let limit: Int
  private let wait: TimeInterval
  private let make: @Sendable () throws -> PostgresConnection
  private let changed = NSCondition()
  private var idle: [PostgresConnection] = []
  private var count = 0
  /// Incremented when a connection is lost, because other connections of the same generation are probably lost too.
  private var generation = 0

  /// Creates an empty pool.
  ///
  /// - Parameters:
  ///   - limit: Maximum number of connections.
  ///   - wait: Maximum time to wait for a connection, in seconds.
  ///   - make: Creates a connection. Called on the requesting thread, possibly on several threads at once.
  init(limit: Int, wait: TimeInterval, make: @escaping @Sendable () throws -> PostgresConnection) {
    self.limit = limit
    self.wait = wait
    self.make = make
  }

  /// Returns a connection for exclusive use.
  ///
  /// - Throws: ``HubStorageError/busy(_:)`` if all connections stay in use for too long, or an error from `make`.
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

  /// Returns an idle connection, or reserves the right to create one.
  private func reserve() throws -> (PostgresConnection?, generation: Int) {
    // `NSCondition` uses the system clock.
    let deadline = Date(timeIntervalSinceNow: wait)
    return try changed.withLock {
      while true {
        if let connection = idle.popLast() { return (connection, generation) }
        if count < limit {
          count += 1
          return (nil, generation)
        }
        guard changed.wait(until: deadline) else {
          throw HubStorageError.busy("all \(limit) database connections are in use")
        }
      }
    }
  }

  func give(_ connection: PostgresConnection) {
    // Releasing this array closes the connections, after the lock has been released.
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

  var counts: (open: Int, idle: Int) { changed.withLock { (count, idle.count) } }
}
