import TrendyModels
import TrendyPersistence

/// Deterministic saves of a writer. The number of saves determines the expected content of the store.
enum Work {
  static let writers = 1...2
  static let options = StorageEngine.Options(
    lockTimeout: .seconds(20), firstChunkBytes: 16 << 10, largestChunkBytes: 64 << 10, sealBytes: 24 << 10)
  private static let rowKind: UInt8 = 1
  private static let progressKind: UInt8 = 2
  private static let names = 800

  struct Save {
    var puts: [Int]
    var deletes: [Int]
  }

  static func save(_ number: Int, of writer: Int) -> Save {
    var random = SeededGenerator(seed: UInt64(writer) << 40 ^ UInt64(number))
    let puts = (0...random.below(12)).map { _ in random.below(names) }
    let deletes = (0..<random.below(4)).map { _ in random.below(names) }
    return Save(puts: Array(Set(puts)).sorted(), deletes: Array(Set(deletes).subtracting(puts)).sorted())
  }

  private static func key(_ name: Int, of writer: Int) -> RowKey {
    RowKey(high: UInt64(name) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(writer), low: UInt64(writer) << 32 | UInt64(name))
  }

  /// Returns the content of a row, determined by its name and the save that wrote it.
  private static func payload(_ name: Int, _ save: Int) -> [UInt8] {
    var random = SeededGenerator(seed: UInt64(name) << 32 ^ UInt64(save))
    let byte = UInt8(truncatingIfNeeded: random.next())
    return withUnsafeBytes(of: UInt64(save).littleEndian) { Array($0) }
      + [UInt8](
        repeating: byte, count: random.below(400))
  }

  /// Writes the rows of a save and the number of saves in one atomic batch.
  static func make(_ number: Int, of writer: Int, in engine: StorageEngine) throws {
    let save = save(number, of: writer)
    try engine.write { transaction throws(StorageError) in
      for name in save.puts {
        try transaction.put(
          kind: rowKind, key: key(name, of: writer), sort: Int64(number), group: UInt64(writer),
          payload: payload(name, number))
      }
      for name in save.deletes { transaction.delete(kind: rowKind, key: key(name, of: writer)) }
      try transaction.put(
        kind: progressKind, key: key(0, of: writer), sort: Int64(number + 1), payload: [])
    }
  }

  /// Returns the number of saves by the writer that the store contains.
  static func progress(of writer: Int, in engine: StorageEngine) throws -> Int {
    Int(try engine.get(kind: progressKind, key: key(0, of: writer))?.sort ?? 0)
  }

  /// Expected content after a number of saves, which can only increase.
  struct Expected {
    private(set) var saves = 0
    private var held: [Int: Int] = [:]

    mutating func advance(to count: Int, of writer: Int) throws {
      if count < saves { throw Loss("writer \(writer): the store had \(saves) saves and now has \(count)") }
      while saves < count {
        let save = Work.save(saves, of: writer)
        for name in save.puts { held[name] = saves }
        for name in save.deletes { held[name] = nil }
        saves += 1
      }
    }

    /// Checks that scans and lookups return exactly the expected rows.
    func compare(with engine: StorageEngine, of writer: Int) throws {
      let records = try engine.scan(kind: rowKind, group: UInt64(writer))
      guard records.count == held.count, try engine.count(kind: rowKind, group: UInt64(writer)) == held.count else {
        throw Loss("writer \(writer) after \(saves) saves: \(records.count) rows instead of \(held.count)")
      }
      for (name, save) in held {
        guard let record = try engine.get(kind: rowKind, key: key(name, of: writer)) else {
          throw Loss("writer \(writer) after \(saves) saves: row \(name) of save \(save) is missing")
        }
        guard record.sort == Int64(save), record.payload == payload(name, save) else {
          throw Loss("writer \(writer) after \(saves) saves: row \(name) differs from save \(save)")
        }
      }
    }
  }
}
