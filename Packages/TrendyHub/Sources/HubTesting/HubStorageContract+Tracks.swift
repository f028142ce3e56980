import Foundation
import TrendyHub
import TrendyModels
import TrendyPersistence
import TrendyProtocols

extension HubStorageContract {
  static let tracks: [Check] = [
    Check("a user without posted readings has no log, and reading creates none") { storage in
      try storage.write(user: "p") { try $0.setState(HubState(head: 1)) }
      try expect(try storage.hasTracks(of: "p"), false)
      try expect(try storage.hasTracks(of: "p"), false)
    },
    Check("fixes are stored in the user's log, in order and once each") { storage in
      var log: TrackLog { get throws { TrackLog(rows: try storage.tracks(of: "p")) } }
      // More than one block, appended out of order and with some fixes repeated.
      let all = (0..<2000).map { fix($0) }
      try expect(try log.append(Array(all[1000...]), device: "d").added, 1000)
      try expect(try log.append(Array(all[..<500]), device: "d").added, 500)
      let third = try log.append(Array(all[400..<1100]), device: "d")
      try expect([third.added, third.known], [500, 200])
      _ = try log.append([fix(7)], device: "another")
      try expect(try storage.hasTracks(of: "p"), true)
      try expect(try storage.hasTracks(of: "q"), false)
      var times: [Date] = []
      try log.forEach(device: "d", after: nil, through: nil) { times.append($0.timestamp) }
      try expect(times, all.map(\.timestamp))
      times = []
      try log.forEach(device: "d", after: all[9].timestamp, through: all[12].timestamp) { times.append($0.timestamp) }
      try expect(times, all[10...12].map(\.timestamp))
      try expect(try log.devices().map(\.name), ["another", "d"])
      try expect(try log.devices().map(\.lastTime), [fix(7).timestamp, fix(1999).timestamp])
      try expect(try log.unread(device: "d")?.since, fix(0).timestamp)
      // Each user has a separate log.
      try expect(try TrackLog(rows: storage.tracks(of: "q")).devices().count, 0)
    },
    Check("log readers are updated atomically and found by time and by name") { storage in
      var log: TrackLog { get throws { TrackLog(rows: try storage.tracks(of: "p")) } }
      _ = try log.append([fix(0), fix(1)], device: "d")
      var changes = TrackChanges()
      changes.put = [3, 1, 2].map { number in
        TrackNote(kind: .finding, id: "f\(number)", time: fix(number).timestamp, content: [UInt8(number), 0, 255])
      }
      changes.put.append(TrackNote(kind: .checkpoint, id: "c", time: fix(1).timestamp, content: []))
      changes.readThrough = try log.unread(device: "d")?.generation
      try storage.tracks(of: "p").withReader { try log.commit(changes, device: "d") }
      try expect(try log.unread(device: "d"), nil)
      func ids(after: Date?, descending: Bool, limit: Int) throws -> [String] {
        try log.notes(.finding, device: "d", after: after, isDescending: descending, limit: limit).map(\.id)
      }
      try expect(try ids(after: nil, descending: false, limit: 9), ["f1", "f2", "f3"])
      try expect(try ids(after: fix(1).timestamp, descending: true, limit: 1), ["f3"])
      let found = try log.note(.finding, id: "f2")
      try expect(found?.device, "d")
      try expect(found?.note.content, [2, 0, 255])
      try expect(try log.note(.checkpoint, id: "f2")?.device, nil)
      changes = TrackChanges()
      changes.removedFindings = ["f2"]
      try log.commit(changes, device: "d")
      try expect(try ids(after: nil, descending: false, limit: 9), ["f1", "f3"])
    },
    Check("an error in a log write rolls it back; numbers are stored exactly") { storage in
      struct Refused: Error {}
      let rows = try storage.tracks(of: "p")
      let (high, low) = (UInt64.max, UInt64(1) << 63)
      let row = TrackRow(
        kind: 5, key: RowKey(high: high, low: low), sort: .min, group: high, payload: [0, 1, 0x5C, 0, 255])
      try rows.write { try $0.put(row) }
      do {
        try rows.write { transaction in
          try transaction.delete(kind: 5, key: row.key)
          try expect(try transaction.row(kind: 5, key: row.key), nil)
          try transaction.put(TrackRow(kind: 5, key: RowKey(high: 0, low: 0), sort: 0, payload: []))
          throw Refused()
        }
      } catch is Refused {}
      func all(_ group: UInt64?) throws -> [TrackRow] {
        try storage.tracks(of: "p").read {
          try $0.rows(kind: 5, group: group, from: .min, to: .max, isDescending: false, limit: 9)
        }
      }
      try expect(try all(nil), [row])
      try expect(try all(high), [row])
      try expect(try all(1), [])
      try expect(try all(nil).map(\.group), [high])
    },
    Check("a log is deleted with its user and is copied to another storage") { storage in
      let log = TrackLog(rows: try storage.tracks(of: "p"))
      _ = try log.append((0..<900).map { fix($0) }, device: "d")
      let other = MemoryHubStorage()
      _ = try TrackLog(rows: other.tracks(of: "p")).append([fix(1), fix(5000)], device: "before")
      try TrackLog.copy(from: storage.tracks(of: "p"), to: other.tracks(of: "p"))
      try expect(try TrackLog.isEqual(storage.tracks(of: "p"), other.tracks(of: "p")), true)
      try TrackLog.copy(from: other.tracks(of: "p"), to: storage.tracks(of: "q"))
      try expect(try TrackLog.isEqual(storage.tracks(of: "p"), storage.tracks(of: "q")), true)
      try expect(try TrackLog(rows: storage.tracks(of: "q")).devices().map(\.name), ["d"])
      try storage.write(user: "p") { try $0.setState(HubState(head: 1)) }
      try storage.erase(user: "p")
      try expect(try storage.hasTracks(of: "p"), false)
      try expect(try storage.hasTracks(of: "q"), true)
    },
  ]
}

/// Returns one fix from a series that moves north, with one fix per second.
private func fix(_ second: Int) -> TrackReading {
  .fix(
    Location(
      coordinate: Coordinate(latitude: 52 + Double(second) / 10_000, longitude: 4.9), horizontalAccuracy: 5,
      timestamp: Date(timeIntervalSince1970: 1_790_000_000 + Double(second))))
}
