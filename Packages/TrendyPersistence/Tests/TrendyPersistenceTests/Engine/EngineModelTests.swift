import StorageTesting
import Testing
import TrendyModels
import TrendyPersistence

@Suite("StorageEngine against a model", .timeLimit(.minutes(10)))
struct EngineModelTests {
  private struct Name: Hashable {
    var kind: UInt8
    var number: UInt64

    var key: RowKey { RowKey(high: number % 7, low: number) }
  }

  private struct ModelRow: Equatable {
    var sort: Int64
    var group: UInt64
    var payload: [UInt8]
  }

  private static func expected(
    _ model: [Name: ModelRow], kind: UInt8, group: UInt64?, from: Int64, to: Int64
  ) -> [(Name, ModelRow)] {
    let rows = model.filter { name, row in
      name.kind == kind && (group == nil || row.group == group) && row.sort >= from && row.sort < to
    }
    return rows.sorted { ($0.value.sort, $0.key.key) < ($1.value.sort, $1.key.key) }.map { ($0.key, $0.value) }
  }

  private static func check(
    _ generator: inout SeededGenerator, _ model: [Name: ModelRow], get: (UInt8, RowKey) throws -> Row?,
    scan: (UInt8, UInt64?, Int64, Int64, Bool, Int) throws -> RowList,
    counts: (UInt8, UInt64?, [Int64]) throws -> [Int], count: (UInt8, UInt64?) throws -> Int
  ) throws {
    let kind = UInt8(generator.next() % 2)
    let group = generator.next() % 3 == 0 ? generator.next() % 4 + 1 : nil
    let from = Int64(generator.next() % 60) - 5
    let to = from + Int64(generator.next() % 70)
    let limit = generator.next() % 2 == 0 ? Int(generator.next() % 40) : Int.max
    let rows = expected(model, kind: kind, group: group, from: from, to: to)
    let ascending = try scan(kind, group, from, to, false, limit)
    #expect(ascending.map(\.key) == rows.prefix(limit).map(\.0.key))
    #expect(ascending.map(\.payload) == rows.prefix(limit).map(\.1.payload))
    #expect(try scan(kind, group, from, to, true, limit).map(\.key) == rows.reversed().prefix(limit).map(\.0.key))
    let boundaries = [from, from + 3, from + 3, from + 20, to + 100]
    let numbers = zip(boundaries, boundaries.dropFirst()).map { lower, upper in
      expected(model, kind: kind, group: group, from: lower, to: upper).count
    }
    #expect(try counts(kind, group, boundaries) == numbers)
    #expect(try count(kind, group) == expected(model, kind: kind, group: group, from: .min, to: .max).count)
    let name = Name(kind: kind, number: generator.next() % 1400)
    let found = try get(kind, name.key)
    #expect(found.map { ModelRow(sort: $0.sort, group: $0.group, payload: $0.payload) } == model[name])
  }

  @Test(arguments: [1, 2] as [UInt64], [false, true])
  func `the engine returns the rows of a dictionary within a unit, after it and after reopening`(
    seed: UInt64, isSealed: Bool
  ) throws {
    var generator = SeededGenerator(seed: seed)
    let disk = SimulatedFileSystem()
    var engine = try EngineFixture.open(disk)
    let idle = try EngineFixture.open(disk.anotherProcess())
    var steps = 0
    var model: [Name: ModelRow] = [:]
    for unit in 0..<60 {
      let transaction = try engine.beginWrite()
      var changed = model
      let asked = (0..<40).map { _ in Name(kind: 1, number: generator.next() % 1400) }
      #expect(try transaction.areNew(kind: 1, keys: asked.map(\.key)) == asked.map { model[$0] == nil })
      for _ in 0..<Int(generator.next() % 120) {
        let name = Name(kind: UInt8(generator.next() % 2), number: generator.next() % 1400)
        if generator.next() % 4 == 0 {
          transaction.delete(kind: name.kind, key: name.key)
          changed[name] = nil
        } else {
          let row = ModelRow(
            sort: Int64(generator.next() % 50), group: generator.next() % 5,
            payload: (0..<generator.next() % 20).map { _ in UInt8(truncatingIfNeeded: generator.next()) })
          try transaction.put(
            kind: name.kind, key: name.key, sort: row.sort, group: row.group, payload: row.payload)
          changed[name] = row
        }
      }
      for (name, isNew) in zip(asked, try transaction.areNew(kind: 1, keys: asked.map(\.key))) where isNew {
        #expect(changed[name] == nil && model[name] == nil)
      }
      for _ in 0..<3 {
        try Self.check(
          &generator, changed, get: { try transaction.get(kind: $0, key: $1) },
          scan: { try transaction.scan(kind: $0, group: $1, from: $2, to: $3, descending: $4, limit: $5) },
          counts: { try transaction.counts(kind: $0, group: $1, boundaries: $2) },
          count: { try transaction.count(kind: $0, group: $1) })
      }
      if generator.next() % 4 == 0 {
        transaction.rollback()
      } else {
        try transaction.commit()
        model = changed
      }
      if unit % 10 == 9 { engine = try EngineFixture.open(disk.anotherProcess()) }
      if isSealed && generator.next() % 3 == 0 {
        let other = try EngineFixture.open(disk.anotherProcess())
        let chosen = generator.next() % 2 == 0 ? engine : other
        while try chosen.maintain(sealingAll: generator.next() % 2 == 0) { steps += 1 }
      }
      for _ in 0..<3 {
        try Self.check(
          &generator, model, get: { try engine.get(kind: $0, key: $1) },
          scan: { try engine.scan(kind: $0, group: $1, from: $2, to: $3, descending: $4, limit: $5) },
          counts: { try engine.counts(kind: $0, group: $1, boundaries: $2) },
          count: { try engine.count(kind: $0, group: $1) })
      }
    }
    #expect(model.count > 700)
    // This handle has not read since the start, so it has missed many generations.
    try idle.refresh()
    for _ in 0..<20 {
      try Self.check(
        &generator, model, get: { try idle.get(kind: $0, key: $1) },
        scan: { try idle.scan(kind: $0, group: $1, from: $2, to: $3, descending: $4, limit: $5) },
        counts: { try idle.counts(kind: $0, group: $1, boundaries: $2) },
        count: { try idle.count(kind: $0, group: $1) })
    }
    #expect(isSealed == (steps > 5))
    #expect(isSealed == disk.files.contains { $0.hasPrefix("/store/segment-") })
  }
}
