import Foundation
import Synchronization
import TrendyHub
import TrendyModels
import TrendyPersistence

/// Rows of a user's track log in the table `track_row`.
///
/// The hub that is processing the log holds a lease in the table `track_reader`, and renews it with each write. A hub
/// that has lost the lease, for example because it was suspended, can no longer write.
final class PostgresTracks: TrackRows {
  private let storage: PostgresHubStorage
  private let user: String
  private let lease: Duration
  private let wait: TimeInterval
  static let usualLease = Duration.seconds(60)

  private let underway = Mutex<String?>(nil)

  /// `lease` is the time for which a hub that has died prevents other hubs from processing the log. `wait` is the
  /// maximum time to wait for another hub, in seconds.
  init(storage: PostgresHubStorage, user: String, lease: Duration = usualLease, wait: TimeInterval = 5) {
    self.storage = storage
    self.user = user
    self.lease = lease
    self.wait = wait
  }

  var reader: String? { underway.withLock { $0 } }

  func read<Result>(_ body: (any TrackRowReading) throws -> Result) throws -> Result {
    try storage.reading(user: user) { try body(PostgresTrackReading(session: $0)) }
  }

  func write<Result>(_ body: (any TrackRowWriting) throws -> Result) throws -> Result {
    let reader = reader
    return try storage.write(user: user, isShared: false) { transaction in
      if let reader { try transaction.renewTrackReader(reader, for: lease) }
      return try body(PostgresTrackWriting(transaction: transaction))
    }
  }

  func withReader<Result>(_ body: () throws -> Result) throws -> Result {
    let name = try claim()
    underway.withLock { $0 = name }
    defer {
      underway.withLock { $0 = nil }
      // If the lease cannot be released, it will expire.
      _ = try? storage.write(user: user, isShared: false) { transaction in
        try transaction.change(PostgresCall(.releaseTrackReader, .text(user), .text(name)))
      }
    }
    return try body()
  }

  /// Acquires the lease and returns its name, which begins with the database's epoch.
  private func claim() throws -> String {
    let digits = storage.random.hexadecimalDigits()
    // Thread waits use the system clock.
    let deadline = Date(timeIntervalSinceNow: wait)
    while true {
      let name = try storage.write(user: user, isShared: false) { transaction in
        let name = try transaction.readerPrefix() + digits
        return try transaction.change(.ofReader(.claimTrackReader, user, name, lease)) > 0 ? name : nil
      }
      if let name { return name }
      guard Date() < deadline else {
        throw HubStorageError.busy("another hub is processing the readings of user \(user)")
      }
      Thread.sleep(forTimeInterval: 0.02)
    }
  }
}

extension PostgresTransaction {
  func renewTrackReader(_ reader: String) throws { try renewTrackReader(reader, for: PostgresTracks.usualLease) }

  fileprivate func readerPrefix() throws -> String { try (epoch() ?? "") + "." }

  fileprivate func renewTrackReader(_ reader: String, for lease: Duration) throws {
    // A promoted standby may contain the lease but lack some of the data written since, so check the epoch in the name.
    guard reader.hasPrefix(try readerPrefix()) else {
      throw HubStorageError.busy("the database lost recent writes; the readings are processed again")
    }
    guard try change(.ofReader(.renewTrackReader, user, reader, lease)) > 0 else {
      throw HubStorageError.busy("another hub has started to process the readings of user \(user)")
    }
  }
}

extension PostgresCall {
  fileprivate static func ofReader(
    _ statement: PostgresStatement, _ user: String, _ name: String, _ lease: Duration
  ) -> PostgresCall {
    let (seconds, attoseconds) = lease.components
    return PostgresCall(
      statement, .text(user), .text(name), .int(seconds * 1000 + attoseconds / 1_000_000_000_000_000))
  }
}

private struct PostgresTrackReading: TrackRowReading {
  let session: PostgresSession

  func row(kind: UInt8, key: RowKey) throws -> TrackRow? {
    let rows = try session.run(
      PostgresCall(
        .readTrackRow, .text(session.user), .int(Int64(kind)), .int(Int64(bitPattern: key.high)),
        .int(Int64(bitPattern: key.low))))
    return rows.count > 0 ? Self.row(rows, 0, kind: kind) : nil
  }

  func rows(
    kind: UInt8, group: UInt64?, from lower: Int64, to upper: Int64, isDescending: Bool, limit: Int
  ) throws -> [TrackRow] {
    let (user, kindValue, limit) = (PostgresValue.text(session.user), Int64(kind), Int64(clamping: limit))
    let rows: PostgresRows
    if let group {
      rows = try session.run(
        PostgresCall(
          isDescending ? .readTrackRowsOfGroupDown : .readTrackRowsOfGroup, user, .int(kindValue), .int(lower),
          .int(upper), .int(limit), .int(Int64(bitPattern: group))))
    } else {
      rows = try session.run(
        PostgresCall(
          isDescending ? .readTrackRowsDown : .readTrackRows, user, .int(kindValue), .int(lower), .int(upper),
          .int(limit)))
    }
    return (0..<rows.count).map { Self.row(rows, $0, kind: kind) }
  }

  private static func row(_ rows: PostgresRows, _ place: Int, kind: UInt8) -> TrackRow {
    TrackRow(
      kind: kind,
      key: RowKey(high: UInt64(bitPattern: rows.int(place, 0)), low: UInt64(bitPattern: rows.int(place, 1))),
      sort: rows.int(place, 2), group: UInt64(bitPattern: rows.int(place, 3)), payload: rows.bytes(place, 4))
  }
}

private struct PostgresTrackWriting: TrackRowWriting {
  let transaction: PostgresTransaction

  private var reading: PostgresTrackReading { PostgresTrackReading(session: transaction) }

  func row(kind: UInt8, key: RowKey) throws -> TrackRow? {
    try transaction.sendTracks()
    return try reading.row(kind: kind, key: key)
  }

  func rows(
    kind: UInt8, group: UInt64?, from lower: Int64, to upper: Int64, isDescending: Bool, limit: Int
  ) throws -> [TrackRow] {
    try transaction.sendTracks()
    return try reading.rows(
      kind: kind, group: group, from: lower, to: upper, isDescending: isDescending, limit: limit)
  }

  func put(_ row: TrackRow) throws {
    transaction.addTrackWrite(
      PostgresCall(
        .putTrackRow, .text(transaction.user), .int(Int64(row.kind)), .int(Int64(bitPattern: row.key.high)),
        .int(Int64(bitPattern: row.key.low)), .int(row.sort), .int(Int64(bitPattern: row.group)),
        .bytes(row.payload)))
  }

  func delete(kind: UInt8, key: RowKey) throws {
    transaction.addTrackWrite(
      PostgresCall(
        .deleteTrackRow, .text(transaction.user), .int(Int64(kind)), .int(Int64(bitPattern: key.high)),
        .int(Int64(bitPattern: key.low))))
  }
}
