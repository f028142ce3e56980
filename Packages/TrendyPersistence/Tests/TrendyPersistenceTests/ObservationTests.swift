import Foundation
import StorageTesting
import Synchronization
import Testing
import TrendyModels
import TrendyPersistence
import TrendyProtocols

/// Observation across handles and processes. The contract suite in TrendyTesting checks the rest.
@Suite("Observation", .timeLimit(.minutes(10)))
struct ObservationTests {
  private static func openStore(_ disk: SimulatedFileSystem) throws -> DefaultDataStoreFactory {
    try DefaultDataStoreFactory(
      directory: "/store", fileSystem: disk,
      options: .init(firstChunkBytes: 4096, largestChunkBytes: 8192, sealBytes: 4096))
  }

  static func add(_ ids: String..., notes: String? = nil, to stores: DefaultDataStoreFactory) throws {
    let unit = stores.makeLocalStore()
    for id in ids { try unit.upsertEvent(Event(id: id, eventTypeId: "type", timestamp: Date(), notes: notes)) }
    try unit.save()
  }

  private static func ids(_ stores: DefaultDataStoreFactory) throws -> Set<String> {
    Set(try stores.makeLocalStore().fetchAllEvents().map(\.id))
  }

  @Test func `a change is local if it was saved through the observed factory`() async throws {
    let disk = SimulatedFileSystem()
    let (stores, other) = (try Self.openStore(disk), try Self.openStore(disk.anotherProcess()))
    var changes = stores.changes.makeAsyncIterator()
    try Self.add("a", to: other)
    try Self.add("b", to: stores)
    try Self.add("c", to: other)
    for (id, isLocal) in [("a", false), ("b", true), ("c", false)] {
      let change = try await changes.next()
      #expect(change == StoreChange(entities: [.event: [id]], hasSyncState: false, isLocal: isLocal))
    }
  }

  @Test func `a query runs again only for kinds that it has read`() async throws {
    let stores = try Self.openStore(SimulatedFileSystem())
    let runs = Atomic(0)
    let names = stores.observe { unit in
      runs.add(1, ordering: .relaxed)
      return try unit.fetchAllGeofences().map(\.id)
    }
    var values = names.makeAsyncIterator()
    #expect(try await values.next() == [])
    try Self.add("a", to: stores)
    let unit = stores.makeLocalStore()
    try unit.setSyncCursor(1)
    try unit.save()
    try unit.upsertGeofence(id: "g") { $0.name = "n" }
    try unit.save()
    #expect(try await values.next() == ["g"])
    #expect(runs.load(ordering: .relaxed) == 2)
  }

  @Test func `observations share one watch, which ends with the last of them`() async throws {
    let disk = SimulatedFileSystem()
    let stores = try Self.openStore(disk)
    #expect(disk.watchCount == 0)
    var kept: (any Sendable)? = stores.changes
    do {
      var values = stores.observe { try $0.fetchAllEvents().count }.makeAsyncIterator()
      _ = try await values.next()
      #expect(disk.watchCount == 1)
      withExtendedLifetime(kept) {}
      kept = nil
      #expect(disk.watchCount == 1)
    }
    #expect(disk.watchCount == 0)

    // A cancelled observation releases the watch although its stream is kept.
    let changes = stores.changes
    let task = Task { for try await _ in changes {} }
    task.cancel()
    _ = await task.result
    #expect(disk.watchCount == 0)
    withExtendedLifetime(changes) {}
  }

  #if os(Linux)
    @Test func `a real watch releases its descriptor`() async throws {
      let folder = try TemporaryFolder()
      let stores = try DefaultDataStoreFactory(directory: URL(filePath: folder.path))
      var status = stat()
      #expect(stat(folder.path, &status) == 0)
      let inode = "ino:\(String(status.st_ino, radix: 16)) "
      func watches() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fdinfo").count { name in
          // Other tests close their descriptors meanwhile.
          let info = FileManager.default.contents(atPath: "/proc/self/fdinfo/\(name)") ?? Data()
          return String(decoding: info, as: UTF8.self).contains(inode)
        }
      }
      var changes: AsyncThrowingStream<StoreChange, any Error>? = stores.changes
      #expect(try watches() == 1)
      withExtendedLifetime(changes) {}
      changes = nil
      // The thread of the watch closes the descriptor.
      while try watches() > 0 { await Task.yield() }
    }
  #endif

  @Test func `maintenance, large saves and a restore are reported as changes of any entity`() async throws {
    let disk = SimulatedFileSystem()
    try disk.createDirectory("/stick")
    let (stores, other) = (try Self.openStore(disk), try Self.openStore(disk.anotherProcess()))
    try Self.add("a", to: other)
    let backups = [StoreBackup.Store(name: "record", directory: "/store")]
    _ = try StoreBackup.write(backups, to: "/stick/backup", madeMillis: 0, fileSystem: disk.anotherProcess())
    var changes = stores.changes.makeAsyncIterator()
    let anything = StoreChange(entities: nil, hasSyncState: true, isLocal: false)
    try Self.add("b", to: other)
    try other.maintain(sealingAll: true)
    #expect(try await changes.next() == anything)
    try Self.add("large", notes: String(repeating: "n", count: 50_000), to: other)
    #expect(try await changes.next() == anything)
    try Self.add("large too", notes: String(repeating: "n", count: 50_000), to: stores)
    #expect(try await changes.next() == anything)
    #expect(try Self.ids(stores) == ["a", "b", "large", "large too"])
    _ = try StoreBackup.restore(
      from: "/stick/backup", to: backups, keptIn: "/stick/before", nowMillis: 1, fileSystem: disk.anotherProcess())
    #expect(try await changes.next() == anything)
    #expect(try Self.ids(stores) == ["a"])
    try Self.add("c", to: stores)
    #expect(try await changes.next()?.entities == [.event: ["c"]])
  }

  @Test func `an observer that is thousands of saves behind learns that any entity may have changed`() async throws {
    let stores = try DefaultDataStoreFactory(directory: "/store", fileSystem: SimulatedFileSystem())
    var changes = stores.changes.makeAsyncIterator()
    for number in 0..<4096 { try Self.add("\(number)", to: stores) }
    for number in 0..<4096 { #expect(try await changes.next()?.entities == [.event: ["\(number)"]]) }
    for number in 4096..<8193 { try Self.add("\(number)", to: stores) }
    #expect(try await changes.next() == StoreChange(entities: nil, hasSyncState: true, isLocal: false))
    try Self.add("last", to: stores)
    #expect(try await changes.next()?.entities == [.event: ["last"]])
  }

  @Test func `an observation continues after a failed sync, and ends with an error of the store`() async throws {
    let disk = SimulatedFileSystem()
    let stores = try Self.openStore(disk)
    var changes = stores.changes.makeAsyncIterator()
    disk.fail(.init(operation: .synchronize, call: 1, code: EIO))
    #expect(throws: StorageError.self) { try Self.add("lost", to: stores) }
    disk.fail(nil)
    try Self.add("a", to: stores)
    var found: Set<String> = []
    while !found.contains("a") {
      found.formUnion(try #require(try await changes.next()).entities?[.event] ?? Self.ids(stores))
    }

    disk.fail(.init(operation: .read, call: 1, code: EIO, isForever: true))
    await #expect(throws: StorageError.self) { _ = try await changes.next() }
    disk.fail(.init(operation: .watch, call: 1, code: ENOSPC))
    let error = await #expect(throws: StorageError.self) {
      for try await _ in stores.changes {}
    }
    #expect(error?.description.contains("cannot watch /store") == true)
  }

  // MARK: Processes

  /// Saves numbered events until killed. The ledger contains the number of each completed save.
  static func saveUntilKilled(_ directory: String, writer: Int, round: Int, microseconds: UInt32) throws {
    Thread.detachNewThread {
      usleep(microseconds)
      kill(getpid(), SIGKILL)
    }
    let stores = try DefaultDataStoreFactory(
      directory: directory, fileSystem: PosixFileSystem(),
      options: .init(firstChunkBytes: 16 << 10, largestChunkBytes: 32 << 10, sealBytes: 32 << 10))
    let ledger = open("\(directory)/../ledger-\(writer)", O_WRONLY | O_CREAT | O_APPEND, 0o600)
    precondition(ledger >= 0)
    var number = round * 1_000_000
    while true {
      try add("\(writer)-\(number)", to: stores)
      var line = Int64(number)
      precondition(Foundation.write(ledger, &line, 8) == 8)
      number += 1
      if number % 50 == 0 { try stores.maintain() }
    }
  }

  @Test func `an observer misses no save of writers that are killed, and keeps their order`() async throws {
    let folder = try TemporaryFolder()
    let directory = folder.path + "/store"
    let stores = try DefaultDataStoreFactory(directory: URL(filePath: directory))
    // The observations start before the writers.
    let (changes, counts) = (stores.changes, stores.observe { try $0.fetchAllEvents().count })
    async let observed: (ids: [String], rereads: Int) = {
      var ids: [String] = []
      var rereads = 0
      for try await change in changes {
        if let entities = change.entities {
          #expect(!change.isLocal || entities == [.event: ["end"]])
          ids += entities[.event] ?? []
        } else {
          let known = Set(ids)
          ids += try Self.ids(stores).filter { !known.contains($0) }
            .sorted { $0.compare($1, options: .numeric) == .orderedAscending }
          rereads += 1
        }
        if ids.contains("end") { break }
      }
      return (ids, rereads)
    }()
    async let seen: [Int] = {
      var seen: [Int] = []
      for try await count in counts {
        seen.append(count)
        if try stores.makeLocalStore().findEvent(id: "end") != nil, try Self.ids(stores).count == count { break }
      }
      return seen
    }()
    func saved() -> Int { (1...2).reduce(0) { $0 + Self.ledger(folder.path, $1).count } }
    for round in 0..<20 where round < 3 || saved() < 100 {
      let first = UInt32(90_000 + round % 3 * 37_000)
      async let one = #expect(processExitsWith: .signal(SIGKILL)) {
        [directory = directory as String, round = round as Int, first = first as UInt32] in
        try ObservationTests.saveUntilKilled(directory, writer: 1, round: round, microseconds: first)
      }
      async let two = #expect(processExitsWith: .signal(SIGKILL)) {
        [directory = directory as String, round = round as Int, first = first as UInt32] in
        try ObservationTests.saveUntilKilled(directory, writer: 2, round: round, microseconds: 260_000 - first)
      }
      _ = await (one, two)
    }
    try Self.add("end", to: stores)
    let (ids, _) = try await observed
    #expect(try Set(ids) == Self.ids(stores))
    for writer in 1...2 {
      let numbers = ids.compactMap { $0.hasPrefix("\(writer)-") ? Int($0.dropFirst(2)) : nil }
      #expect(Set(numbers).isSuperset(of: Self.ledger(folder.path, writer)))
      // A save that a re-read has already found may still be reported.
      var order: [Int] = []
      var known: Set<Int> = []
      for number in numbers where known.insert(number).inserted { order.append(number) }
      let isOrdered = order == order.sorted()
      #expect(isOrdered)
    }
    let results = try await seen
    #expect(results == results.sorted())
    #expect(try results.last == Self.ids(stores).count)
  }

  private static func ledger(_ folder: String, _ writer: Int) -> [Int] {
    let data = FileManager.default.contents(atPath: "\(folder)/ledger-\(writer)") ?? Data()
    return data.withUnsafeBytes { bytes in
      (0..<bytes.count / 8).map { Int(bytes.loadUnaligned(fromByteOffset: $0 * 8, as: Int64.self)) }
    }
  }
}
