import StorageTesting
import Testing
import TrendyPersistence

enum EngineFixture {
  static let directory = "/store"
  static let options = StorageEngine.Options(
    lockTimeout: .milliseconds(50), firstChunkBytes: 4096, largestChunkBytes: 8192)

  static func open(
    _ disk: any FileSystem, options: StorageEngine.Options = options
  ) throws(StorageError) -> StorageEngine {
    var generator = FixedGenerator()
    return try StorageEngine.open(directory: directory, fileSystem: disk, options: options, generator: &generator)
  }

  /// Performs saves until the power is cut. Any other error fails the test.
  /// - Parameter save: performs the saves and counts each completed one.
  /// - Returns: number of completed saves.
  static func saves(
    on disk: SimulatedFileSystem, options: StorageEngine.Options = options,
    _ save: (StorageEngine, _ done: inout Int) throws -> Void
  ) -> Int {
    var done = 0
    do {
      try save(open(disk, options: options), &done)
    } catch {
      #expect(disk.isOff, "\(error)")
    }
    return done
  }

  static func key(_ number: Int) -> RowKey {
    RowKey(high: UInt64(number) &* 0x9E37_79B9_7F4A_7C15, low: UInt64(number))
  }

  /// Returns the payload for a number: its digits, repeated a varying number of times.
  static func payload(_ number: Int) -> [UInt8] {
    Array(String(repeating: "\(number),", count: 1 + number % 30).utf8)
  }

  static func put(_ numbers: some Sequence<Int>, in engine: StorageEngine) throws(StorageError) {
    try engine.write { transaction throws(StorageError) in
      for number in numbers {
        try transaction.put(
          kind: 1, key: key(number), sort: Int64(number), group: UInt64(number % 3), payload: payload(number))
      }
    }
  }

  /// Returns the stored numbers in scan order. Traps if a payload is wrong.
  static func numbers(in engine: StorageEngine) throws(StorageError) -> [Int] {
    let records = try engine.scan(kind: 1)
    return records.map { record in
      let number = Int(record.sort)
      precondition(record.key == key(number) && record.payload == payload(number), "record \(number) is not as put")
      return number
    }
  }
}

/// Generator that always returns the same sequence.
struct FixedGenerator: RandomNumberGenerator {
  private var state: UInt64 = 42

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state
  }
}
