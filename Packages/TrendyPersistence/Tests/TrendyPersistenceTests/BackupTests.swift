import Foundation
import StorageTesting
import Testing
import TrendyModels
import TrendyPersistence
import TrendyProtocols

@Suite("Backup", .timeLimit(.minutes(10)))
struct BackupTests {
  private static let stores = [
    StoreBackup.Store(name: "record", directory: "/store"),
    StoreBackup.Store(name: "tracks", directory: "/store/tracks"),
  ]
  private static let path = "/stick/trendy.backup"
  private static let kept = "/stick/before"
  private static let options = EngineFixture.options

  /// Creates two stores. The first has sixty rows in a segment, some of which are deleted later, and more rows in the
  /// log. The second has a single row of 1.5 MB.
  private static func makeStore(_ disk: SimulatedFileSystem = SimulatedFileSystem()) throws -> SimulatedFileSystem {
    try disk.createDirectory("/stick")
    try disk.createDirectory("/store/tracks")
    let engine = try EngineFixture.open(disk)
    try EngineFixture.put(0..<60, in: engine)
    try engine.maintain(sealingAll: true)
    try engine.write { transaction throws(StorageError) in
      for number in [3, 50] { transaction.delete(kind: 1, key: EngineFixture.key(number)) }
      try transaction.put(kind: 9, key: EngineFixture.key(7), sort: .min, payload: [])
    }
    for save in 20..<30 { try EngineFixture.put(save * 3..<save * 3 + 3, in: engine) }
    let tracks = try StorageEngine.open(directory: "/store/tracks", fileSystem: disk, options: options)
    try tracks.write { transaction throws(StorageError) in
      try transaction.put(kind: 2, key: EngineFixture.key(1), sort: 4, payload: [UInt8](repeating: 7, count: 1_500_000))
    }
    return disk.copy()
  }

  private static func write(
    _ disk: SimulatedFileSystem, isReplacing: Bool = false
  ) throws(StorageError) -> StoreBackup.Summary {
    try StoreBackup.write(
      stores, to: path, madeMillis: 1_700_000_000_123, isReplacing: isReplacing, fileSystem: disk, options: options)
  }

  private static func restore(_ disk: SimulatedFileSystem) throws(StorageError) -> StoreBackup.RestoreReport {
    try StoreBackup.restore(
      from: path, to: stores, keptIn: kept, nowMillis: 1_700_000_000_456, fileSystem: disk, options: options)
  }

  private struct Row: Hashable {
    var kind: UInt8
    var key: RowKey
    var sort: Int64
    var group: UInt64
    var payload: [UInt8]
  }

  /// Returns no rows if there is no store in the directory.
  private static func rows(_ disk: SimulatedFileSystem, _ directory: String = "/store") throws -> [Row] {
    guard disk.contents(directory + "/manifest") != nil else { return [] }
    let engine = try StorageEngine.open(directory: directory, fileSystem: disk, options: options)
    return try (0...UInt8.max).flatMap { kind in
      try engine.scan(kind: kind).map {
        Row(kind: $0.kind, key: $0.key, sort: $0.sort, group: $0.group, payload: $0.payload)
      }
    }
  }

  private static func files(_ disk: SimulatedFileSystem) -> [String: [UInt8]] {
    Dictionary(uniqueKeysWithValues: disk.files.map { ($0, disk.contents($0) ?? []) })
  }

  // MARK: Round trip

  @Test func `a backup restores every row, in place and to an empty disk, and does not change its source`()
    throws
  {
    let disk = try Self.makeStore()
    let (rows, tracks) = (try Self.rows(disk), try Self.rows(disk, "/store/tracks"))
    #expect(rows.count == 58 + 30 + 1 && tracks.count == 1)
    let before = Self.files(disk)
    let summary = try Self.write(disk)
    #expect(summary.records == ["record": 89, "tracks": 1] && summary.madeMillis == 1_700_000_000_123)
    #expect(summary.bytes == disk.contents(Self.path)?.count)
    #expect(Self.files(disk).filter { before[$0.key] != $0.value }.keys.sorted() == [Self.path])
    #expect(try StoreBackup.check(Self.path, fileSystem: disk) == summary)

    let elsewhere = SimulatedFileSystem()
    elsewhere.setContents(Self.path, try #require(disk.contents(Self.path)))
    #expect(try !StoreBackup.isUsed(Self.stores, fileSystem: elsewhere))
    #expect(try Self.restore(elsewhere).kept.isEmpty)
    for disk in [disk, elsewhere] {
      if disk === elsewhere { continue }
      try EngineFixture.put(500..<510, in: EngineFixture.open(disk))
      #expect(try StoreBackup.isUsed(Self.stores, fileSystem: disk))
      #expect(try Self.restore(disk).kept == [Self.kept])
    }
    for disk in [disk, elsewhere] {
      #expect(try Self.rows(disk) == rows)
      #expect(try Self.rows(disk, "/store/tracks") == tracks)
      let seen = try StorageEngine.verify(directory: "/store", fileSystem: disk, options: Self.options)
      #expect(seen.findings.isEmpty && seen.records == 89)
      try EngineFixture.put([900], in: EngineFixture.open(disk))
      let engine = try EngineFixture.open(disk)
      while try engine.maintain(sealingAll: true) {}
      disk.restart(losing: .unsynced)
      #expect(try Self.rows(disk).count == 90)
    }
    // A backup was made of the previous rows.
    try disk.remove(Self.path)
    try disk.rename(Self.kept, to: Self.path)
    _ = try Self.restore(disk)
    #expect(try EngineFixture.numbers(in: EngineFixture.open(disk)).suffix(10) == Array(500..<510))
  }

  @Test func `a restored store has its queue, cursor, identity, tombstones, journal and parked entries`() throws {
    let disk = SimulatedFileSystem()
    try disk.createDirectory("/stick")
    let factory = try DefaultDataStoreFactory(directory: "/store", fileSystem: disk, options: LocalStoreTests.options)
    let store = factory.makeLocalStore()
    let moment = Date(timeIntervalSince1970: 1_700_000_000)
    let mutation = PendingMutation(
      id: "m", entityType: .event, entityId: "e", operation: .update, payload: Data("{}".utf8), createdAt: moment,
      idempotencyKey: "k", attempts: 3, lastError: "no", sequence: 8, device: "d")
    let conflict = Conflict(
      id: "c", entityType: .event, entityId: "e", operation: .create, payload: Data("x".utf8), reason: "why",
      recordedAt: moment)
    let parked = ChangeEntry(id: 12, entityType: "unheard", operation: "create", entityId: "p", createdAt: moment)
    let tombstone = Tombstone(entityType: .geofence, entityId: "g", version: 5)
    try store.upsertEvent(id: LocalStoreTests.fullEvent.id) { $0 = LocalStoreTests.fullEvent }
    try store.insertPendingMutation(mutation)
    try store.insertConflict(conflict)
    try store.insertParkedChange(parked)
    try store.insertTombstone(tombstone)
    try store.setSyncCursor(77)
    try store.setSyncIdentity(SyncIdentity(device: "d", lastSequence: 8))
    try store.save()
    for number in 0..<30 {
      try store.upsertGeofence(id: "\(number)") { _ in }
      try store.save()
    }
    _ = try Self.write(disk)
    let other = SimulatedFileSystem()
    other.setContents(Self.path, try #require(disk.contents(Self.path)))
    _ = try Self.restore(other)
    let back = try DefaultDataStoreFactory(
      directory: "/store", fileSystem: other, options: LocalStoreTests.options
    ).makeLocalStore()
    #expect(try back.findEvent(id: LocalStoreTests.fullEvent.id) == LocalStoreTests.fullEvent)
    #expect(try back.fetchPendingMutations() == [mutation])
    #expect(try back.fetchConflicts() == [conflict])
    #expect(try back.fetchParkedChanges() == [parked])
    #expect(try back.fetchTombstones() == [tombstone])
    #expect(try back.syncCursor() == 77)
    #expect(try back.syncIdentity() == SyncIdentity(device: "d", lastSequence: 8))
    // A mutation queued after the restore comes last, even with the same timestamp.
    try back.insertPendingMutation(
      PendingMutation(
        id: "a", entityType: .event, entityId: "e", operation: .update, payload: Data("{}".utf8), createdAt: moment))
    try back.save()
    #expect(try back.fetchPendingMutations().map(\.id) == ["m", "a"])
  }

  @Test func `a backup contains concurrent saves completely or not at all, and a missing store is an error`()
    throws
  {
    let disk = SimulatedFileSystem()
    try disk.createDirectory("/stick")
    #expect(throws: StorageError.missing(path: "/store")) { _ = try Self.write(disk) }
    let engine = try EngineFixture.open(disk)
    for save in 0..<30 {
      try EngineFixture.put(save * 3..<save * 3 + 3, in: engine)
      if save % 10 == 7 { try engine.maintain(sealingAll: true) }
      let summary = try Self.write(disk.anotherProcess(), isReplacing: true)
      #expect(summary.records == ["record": save * 3 + 3])
    }
  }

  @Test func `progress increases to its total in every step`() throws {
    let disk = try Self.makeStore()
    var seen: [StoreBackup.Progress] = []
    func note(_ progress: StoreBackup.Progress) -> Bool {
      seen.append(progress)
      return true
    }
    try StoreBackup.write(
      Self.stores, to: Self.path, madeMillis: 1, fileSystem: disk, options: Self.options, onProgress: note)
    #expect(seen.last == StoreBackup.Progress(step: .backingUp, done: 90, total: 90))
    seen = []
    _ = try StoreBackup.restore(
      from: Self.path, to: Self.stores, keptIn: Self.kept, nowMillis: 2, fileSystem: disk, options: Self.options,
      onProgress: note)
    let bytes = try #require(disk.contents(Self.path)).count
    var last: [StoreBackup.Progress] = []
    for progress in seen {
      if let before = last.last, before.step == progress.step {
        #expect(before.done <= progress.done && before.total == progress.total)
        last.removeLast()
      }
      last.append(progress)
    }
    #expect(
      last == [
        StoreBackup.Progress(step: .checking, done: bytes, total: bytes),
        StoreBackup.Progress(step: .backingUp, done: 90, total: 90),
        StoreBackup.Progress(step: .restoring(store: "record"), done: bytes, total: bytes),
        StoreBackup.Progress(step: .restoring(store: "tracks"), done: bytes, total: bytes),
      ])
  }

  @Test func `a backup cancelled at any step keeps the previous one and leaves no other file`() throws {
    let disk = try Self.makeStore()
    _ = try Self.write(disk)
    let files = Self.files(disk)
    var call = 0
    while true {
      call += 1
      var calls = 0
      do {
        try StoreBackup.write(
          Self.stores, to: Self.path, madeMillis: 1, isReplacing: true, fileSystem: disk, options: Self.options
        ) { _ in
          calls += 1
          return calls < call
        }
        break
      } catch StorageError.cancelled(let path) {
        #expect(path == Self.path && calls == call)
        #expect(Self.files(disk) == files)
      }
    }
    #expect(call > 2)
  }

  @Test func `a restore cancelled before the first change changes nothing, and completes afterwards`() throws {
    let source = try Self.makeStore()
    _ = try Self.write(source)
    try EngineFixture.put(200..<220, in: try EngineFixture.open(source))
    let (rows, tracks) = (try Self.rows(source), try Self.rows(source, "/store/tracks"))
    var (call, cancelled, goneThrough) = (0, 0, 0)
    while true {
      call += 1
      let disk = source.copy()
      var (calls, refusedStep) = (0, StoreBackup.Progress.Step?.none)
      do {
        _ = try StoreBackup.restore(
          from: Self.path, to: Self.stores, keptIn: Self.kept, nowMillis: 2, fileSystem: disk, options: Self.options
        ) { progress in
          calls += 1
          if calls == call { refusedStep = progress.step }
          return calls < call
        }
        #expect(try Self.rows(disk).count == rows.count - 20)
        #expect(disk.contents(Self.kept) != nil)
        guard let refusedStep else { break }
        #expect(refusedStep == .restoring(store: "tracks"))
        goneThrough += 1
      } catch StorageError.cancelled {
        #expect(refusedStep != .restoring(store: "tracks"))
        #expect(try Self.rows(disk) == rows && Self.rows(disk, "/store/tracks") == tracks)
        try EngineFixture.open(disk).maintain()
        let left = Self.files(disk).keys.filter { source.contents($0) == nil && !$0.hasSuffix("/maintenance") }
        #expect(left.isEmpty, "\(left)")
        cancelled += 1
      }
    }
    #expect(cancelled > 3 && goneThrough > 0)
  }

  @Test func `a restore to an empty disk cannot be cancelled after its start`() throws {
    let source = try Self.makeStore()
    _ = try Self.write(source)
    let disk = SimulatedFileSystem()
    disk.setContents(Self.path, try #require(source.contents(Self.path)))
    _ = try StoreBackup.restore(
      from: Self.path, to: Self.stores, keptIn: Self.kept, nowMillis: 2, fileSystem: disk, options: Self.options
    ) { $0.step == .checking }
    #expect(try Self.rows(disk) == Self.rows(source))
  }

  @Test func `no backup of a damaged store is made, and the previous one is kept`() throws {
    let disk = try Self.makeStore()
    _ = try Self.write(disk)
    let before = disk.contents(Self.path)
    for name in disk.files where name.contains("/store/segment-") || name == "/store/manifest" {
      let damaged = disk.copy()
      var bytes = try #require(damaged.contents(name))
      bytes[70 % bytes.count] ^= 1
      damaged.setContents(name, bytes)
      #expect(throws: StorageError.damaged(path: name, offset: 0)) { _ = try Self.write(damaged, isReplacing: true) }
      #expect(damaged.contents(Self.path) == before && !damaged.files.contains { $0.hasSuffix(".part") })
    }
  }

  // MARK: Damage

  private static let small: [UInt8] = {
    do {
      let disk = try makeStore()
      for file in disk.files where file.hasPrefix("/store/tracks") { try disk.remove(file) }
      _ = try write(disk)
      return try #require(disk.contents(path))
    } catch {
      preconditionFailure("\(error)")
    }
  }()

  private static func check(_ bytes: [UInt8]) -> StorageError? {
    let disk = SimulatedFileSystem()
    disk.setContents(path, bytes)
    do throws(StorageError) {
      _ = try StoreBackup.check(path, fileSystem: disk)
      return nil
    } catch {
      return error
    }
  }

  @Test func `every flipped bit, every truncation and trailing data are detected`() throws {
    #expect(Self.check(Self.small) == nil)
    for byte in Self.small.indices {
      var bytes = Self.small
      bytes[byte] ^= 1 << (byte % 8)
      // A block that is longer than the remaining bytes counts as truncated.
      guard case .notABackup(Self.path, let offset, let reason) = Self.check(bytes),
        offset <= byte || (reason == "truncated file" && offset == bytes.count)
      else {
        Issue.record("byte \(byte): \(String(describing: Self.check(bytes)))")
        continue
      }
      guard case .notABackup = Self.check(Array(Self.small.prefix(byte))) else {
        Issue.record("cut at \(byte)")
        continue
      }
    }
    guard case .notABackup = Self.check(Self.small + [0]) else {
      Issue.record("longer")
      return
    }
  }

  @Test func `a modified backup is rejected with a clear message, and nothing changes`() throws {
    let disk = try Self.makeStore()
    var bytes = Self.small
    bytes[bytes.count / 2] ^= 4
    disk.setContents(Self.path, bytes)
    let before = Self.files(disk)
    let error = try #require(throws: StorageError.self) { _ = try Self.restore(disk) }
    #expect("\(error)".contains("not a valid backup") && "\(error)".contains("nothing was changed"))
    #expect(Self.files(disk) == before)
    disk.setContents(Self.path, Array("not a backup at all".utf8))
    #expect(throws: StorageError.notABackup(path: Self.path, offset: 0, reason: "unknown file type")) {
      _ = try Self.restore(disk)
    }
    #expect(throws: StorageError.missing(path: "/stick/none")) {
      _ = try StoreBackup.check("/stick/none", fileSystem: disk)
    }
  }

  @Test(arguments: [8, 16])
  func `a backup of a newer file or row version is rejected`(offset: Int) throws {
    var bytes = Self.small
    bytes[offset] = 99
    let checksum = bytes[..<56].withUnsafeBytes { Checksum.xxh64($0) }
    for index in 0..<8 { bytes[56 + index] = UInt8(truncatingIfNeeded: checksum >> (8 * index)) }
    guard case .newerVersion(Self.path, 99, _) = Self.check(bytes) else {
      Issue.record("\(String(describing: Self.check(bytes)))")
      return
    }
  }

  /// Returns the small backup with different bytes at an offset and correct checksums.
  private static func forged(_ bytes: [UInt8], at offset: Int) -> [UInt8] {
    var backup = small
    backup.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    return ForgedChecksums.backup(backup)
  }

  @Test(
    "a sequence number beyond the maximum is rejected, and the maximum is accepted",
    arguments: [(UInt64.max, false), (1 << 63, false), (1 << 39 + 1, false), (1 << 39, true), (0, true)]
      as [(UInt64, Bool)])
  func lastSave(number: UInt64, isAccepted: Bool) throws {
    let disk = try Self.restorable()
    // Skip the file header and the header of the first block.
    disk.setContents(Self.path, Self.forged(withUnsafeBytes(of: number.littleEndian) { Array($0) }, at: 64 + 24))
    let result = Result { try Self.restore(disk) }
    #expect(((try? result.get()) != nil) == isAccepted)
    #expect(try EngineFixture.numbers(in: EngineFixture.open(disk)) == (isAccepted ? Self.restored : Array(700..<726)))
    try EngineFixture.put([999], in: EngineFixture.open(disk))
    #expect(try EngineFixture.numbers(in: EngineFixture.open(disk.anotherProcess())).last == 999)
  }

  @Test(
    "store names with path characters are rejected", arguments: ["../../", "record/", ".record", "record ", "ärecord"])
  func names(name: String) {
    let text = Array(name.utf8.prefix(8)) + [UInt8](repeating: 0, count: max(0, 8 - name.utf8.count))
    #expect(
      Self.check(Self.forged(text, at: 64 + 24 + 8))
        == .notABackup(path: Self.path, offset: 64, reason: "invalid store name"))
    #expect(Self.check(Self.forged(Array("record\u{0}\u{0}".utf8), at: 64 + 24 + 8)) == nil)
  }

  @Test func `a duplicate store and a backup of other stores are rejected`() throws {
    var twice = Self.small
    let end = twice.count - 32
    twice.insert(contentsOf: Self.small[64..<104], at: end)
    guard case .notABackup(_, end, "duplicate store") = Self.check(ForgedChecksums.backup(twice)) else {
      Issue.record("\(String(describing: Self.check(ForgedChecksums.backup(twice))))")
      return
    }
    let disk = try Self.restorable()
    disk.setContents(Self.path, Self.forged(Array("recorb".utf8), at: 64 + 24 + 8))
    let before = Self.files(disk)
    #expect(throws: StorageError.notABackup(path: Self.path, offset: 64, reason: "no matching store")) {
      try Self.restore(disk)
    }
    #expect(Self.files(disk) == before)
  }

  @Test func `a signature covers all previous bytes and is verified before any change`() throws {
    let disk = try Self.makeStore()
    for file in disk.files where file.hasPrefix("/store/tracks") { try disk.remove(file) }
    let key = try #require(BackupKey([UInt8](repeating: 7, count: 32)))
    #expect(BackupKey([UInt8](repeating: 7, count: 31)) == nil)
    try StoreBackup.write(
      Self.stores, to: Self.path, madeMillis: 1, signedWith: key, fileSystem: disk, options: Self.options)
    let signed = try #require(disk.contents(Self.path))
    var authenticator = MessageAuthenticator(key: [UInt8](repeating: 7, count: 32))
    signed.dropLast(24 + 32).withUnsafeBytes { authenticator.update($0) }
    #expect(Array(signed.suffix(32)) == authenticator.code())
    func check(_ bytes: [UInt8]) -> StorageError? {
      disk.setContents("/stick/altered", bytes)
      do throws(StorageError) {
        _ = try StoreBackup.check("/stick/altered", signedWith: key, fileSystem: disk)
        return nil
      } catch {
        return error
      }
    }
    #expect(check(signed) == nil && Self.check(signed) == nil)
    #expect(check(Self.small) == .wrongSignature(path: "/stick/altered", isSigned: false))
    // Cutting off the signature leaves an unsigned backup.
    #expect(check(Array(signed.dropLast(24 + 32))) == .wrongSignature(path: "/stick/altered", isSigned: false))
    for offset in stride(from: 24, to: signed.count - 56, by: 97) {
      var altered = signed
      altered[offset] ^= 4
      let forged = ForgedChecksums.backup(altered)
      // The modified byte may belong to a checksum.
      #expect(check(forged) != nil || forged == signed, "byte \(offset)")
    }
  }

  // MARK: Failures

  @Test(
    "an interrupted backup leaves no file or the previous one, whatever the disk loses",
    arguments: [SimulatedFileSystem.Loss.unsynced, .nothing, .random(seed: 1), .random(seed: 2)])
  func crashWriting(loss: SimulatedFileSystem.Loss) throws {
    let whole = try Self.makeStore()
    // Omit the second store. It is large and covers no additional cases.
    for file in whole.files where file.hasPrefix("/store/tracks") { try whole.remove(file) }
    for hasOne in [false, true] {
      if hasOne { whole.setContents(Self.path, Self.small) }
      var change = 1
      while true {
        let disk = whole.copy()
        disk.powerOff(beforeChange: change)
        let result = Result { try Self.write(disk, isReplacing: hasOne) }
        if !disk.isOff {
          #expect(try result.get().records == ["record": 89])
          break
        }
        disk.restart(losing: loss)
        if disk.contents(Self.path) != nil {
          #expect(try StoreBackup.check(Self.path, fileSystem: disk).records == ["record": 89])
        } else {
          #expect(!hasOne)
        }
        #expect(try Self.write(disk, isReplacing: true).records == ["record": 89])
        change += 1
      }
      #expect(change > 5)
    }
  }

  @Test func `an existing file is not overwritten by default`() throws {
    let disk = try Self.makeStore()
    disk.setContents(Self.path, [1, 2, 3])
    #expect(throws: StorageError.exists(path: Self.path)) { _ = try Self.write(disk) }
    #expect(disk.contents(Self.path) == [1, 2, 3])
    disk.setContents(Self.path, Self.small)
    disk.setContents(Self.kept, [4])
    let before = Self.files(disk)
    #expect(throws: StorageError.exists(path: Self.kept)) { _ = try Self.restore(disk) }
    #expect(Self.files(disk) == before)
  }

  /// Returns a disk with the small backup and a store that contains other rows.
  private static func restorable() throws -> SimulatedFileSystem {
    let disk = SimulatedFileSystem()
    let engine = try EngineFixture.open(disk)
    try EngineFixture.put(700..<720, in: engine)
    try engine.maintain(sealingAll: true)
    try EngineFixture.put(720..<726, in: engine)
    disk.setContents(path, small)
    return disk.copy()
  }

  private static let restored = (0..<90).filter { $0 != 3 && $0 != 50 }

  @Test(
    "an interrupted restore leaves the old rows, or the new ones with a backup of the old",
    arguments: [SimulatedFileSystem.Loss.unsynced, .nothing, .random(seed: 1), .random(seed: 2)])
  func crashRestoring(loss: SimulatedFileSystem.Loss) throws {
    let whole = try Self.restorable()
    var change = 1
    var outcomes: Set<Int> = []
    while true {
      let disk = whole.copy()
      disk.powerOff(beforeChange: change)
      let result = Result { try Self.restore(disk) }
      let hasReturned = (try? result.get()) != nil
      let isOver = !disk.isOff
      disk.restart(losing: loss)
      let numbers = try EngineFixture.numbers(in: EngineFixture.open(disk))
      #expect(numbers == Self.restored || (numbers == Array(700..<726) && !hasReturned), "before change \(change)")
      if numbers == Self.restored {
        #expect(try StoreBackup.check(Self.kept, fileSystem: disk).records == ["record": 26])
      }
      outcomes.insert(numbers.count)
      let verification = try StorageEngine.verify(directory: "/store", fileSystem: disk, options: Self.options)
      #expect(verification.findings == [], "before change \(change)")
      try EngineFixture.put([999], in: EngineFixture.open(disk))
      disk.restart(losing: .unsynced)
      #expect(try EngineFixture.numbers(in: EngineFixture.open(disk)) == numbers + [999])
      if disk.contents(Self.kept) != nil { try disk.remove(Self.kept) }
      _ = try Self.restore(disk)
      #expect(try EngineFixture.numbers(in: EngineFixture.open(disk)) == Self.restored)
      if isOver { break }
      change += 1
    }
    #expect(outcomes == [26, 88] && change > 20)
  }

  @Test(
    "a backup does not overwrite a file of a store",
    arguments: ["manifest", "lock", "maintenance", "log-1", "log-99", "segment-7", "account.json"])
  func placeInAStore(name: String) throws {
    let disk = try Self.makeStore()
    let other = try disk.open("/store/account.json", .create)
    try other.write(Array("a token".utf8), at: 0)
    let before = try EngineFixture.numbers(in: EngineFixture.open(disk))
    func write(_ name: String) throws(StorageError) {
      try StoreBackup.write(
        Self.stores, to: "/store/" + name, madeMillis: 1, isReplacing: true, fileSystem: disk, options: Self.options)
    }
    #expect(throws: StorageError.exists(path: "/store/" + name)) { try write(name) }
    #expect(try EngineFixture.numbers(in: EngineFixture.open(disk.anotherProcess())) == before)
    #expect(disk.contents("/store/account.json") == Array("a token".utf8))
    try write("own.backup")
    try write("own.backup")
  }

  @Test func `an unreadable file is not overwritten`() throws {
    let disk = try Self.makeStore()
    let path = "/store/own.backup"
    func write(_ disk: any FileSystem) throws(StorageError) {
      try StoreBackup.write(
        Self.stores, to: path, madeMillis: 1, isReplacing: true, fileSystem: disk, options: Self.options)
    }
    try write(disk)
    let before = disk.contents(path)
    disk.fail(.init(operation: .read, call: 1, code: 5))
    #expect(throws: StorageError.failed(FileSystemError(operation: .read, path: path, code: 5))) { try write(disk) }
    #expect(disk.contents(path) == before)
  }

  @Test func `two concurrent backups with one name do not write to the same file`() throws {
    let disk = try Self.makeStore()
    let other = try disk.anotherProcess().open(Self.path + ".part", .create)
    #expect(try other.tryLock())
    try other.write([1, 2, 3], at: 0)
    #expect(throws: StorageError.busy(path: Self.path + ".part")) { try Self.write(disk) }
    #expect(disk.contents(Self.path + ".part") == [1, 2, 3])
    try other.unlock()
    _ = try Self.write(disk)
    _ = try StoreBackup.check(Self.path, fileSystem: disk)
  }

  @Test func `a backup that another process finishes at the same time is not overwritten`() throws {
    let disk = try Self.makeStore()
    _ = try Self.write(disk)
    let before = disk.contents(Self.path)
    try disk.rename(Self.path, to: Self.path + ".part")
    disk.setCapacity(disk.usedBytes)
    #expect(throws: StorageError.self) {
      try StoreBackup.write(
        Self.stores, to: Self.path, madeMillis: 2, isReplacing: true,
        fileSystem: FinishingFileSystem(base: disk, path: Self.path), options: Self.options)
    }
    #expect(disk.contents(Self.path) == before)
  }

  @Test("a failed call leaves the old rows or the new ones", arguments: [28, 5] as [Int32], [false, true])
  func failEachCall(code: Int32, isForever: Bool) throws {
    let whole = try Self.restorable()
    var call = 1
    while true {
      let disk = whole.copy()
      disk.fail(.init(call: call, code: code, isForever: isForever))
      let result = Result { try Self.restore(disk) }
      let isMet = disk.metFault
      disk.fail(nil)
      let numbers = try EngineFixture.numbers(in: EngineFixture.open(disk))
      #expect(numbers == Self.restored || numbers == Array(700..<726), "call \(call)")
      if case .success = result { #expect(numbers == Self.restored, "call \(call)") }
      try EngineFixture.put([999], in: EngineFixture.open(disk))
      disk.restart(losing: .unsynced)
      #expect(try EngineFixture.numbers(in: EngineFixture.open(disk)) == numbers + [999], "call \(call)")
      if !isMet { break }
      call += 1
    }
    #expect(call > 40)
  }

  @Test func `a backup or restore without space throws diskFull and leaves the store unchanged`() throws {
    for room in stride(from: 0, to: 40_000, by: 1000) {
      let disk = try Self.restorable()
      disk.setCapacity(disk.usedBytes + room)
      do throws(StorageError) {
        _ = try Self.restore(disk)
      } catch {
        guard case .diskFull = error else { throw error }
        #expect(try EngineFixture.numbers(in: EngineFixture.open(disk)) == Array(700..<726), "\(room)")
      }
      let other = try Self.restorable()
      try other.remove(Self.path)
      other.setCapacity(other.usedBytes + room)
      do throws(StorageError) {
        _ = try Self.write(other)
      } catch {
        guard case .diskFull = error else { throw error }
        #expect(!other.files.contains { $0.hasPrefix("/stick/") }, "\(room)")
      }
    }
  }

  // MARK: Concurrent processes

  @Test func `open handles continue with the restored rows, reading and writing`() throws {
    let disk = try Self.restorable()
    let reader = try EngineFixture.open(disk.anotherProcess())
    let writer = try EngineFixture.open(disk.anotherProcess())
    #expect(try EngineFixture.numbers(in: reader) == Array(700..<726))
    _ = try Self.restore(disk)
    try reader.refresh()
    #expect(try EngineFixture.numbers(in: reader) == Self.restored)
    try EngineFixture.put([1000], in: writer)
    #expect(try EngineFixture.numbers(in: writer) == Self.restored + [1000])
    try reader.refresh()
    #expect(try EngineFixture.numbers(in: reader) == Self.restored + [1000])
    #expect(try EngineFixture.numbers(in: EngineFixture.open(disk)) == Self.restored + [1000])
  }

  @Test func `a reader during a restore must reopen the store, and never sees mixed rows`() throws {
    let whole = try Self.restorable()
    var wereTold = 0
    var call = 1
    while true {
      let disk = whole.copy()
      let reader = try EngineFixture.open(disk.anotherProcess())
      disk.fail(.init(call: call, code: 5))
      _ = try? Self.restore(disk)  // may fail or succeed
      let isMet = disk.metFault
      disk.fail(nil)
      do throws(StorageError) {
        try reader.refresh()
        let numbers = try EngineFixture.numbers(in: reader)
        #expect(numbers == Array(700..<726) || numbers == Self.restored, "call \(call)")
      } catch {
        #expect(error == .replaced(path: "/store") && !reader.isUsable)
        wereTold += 1
      }
      if !isMet { break }
      call += 1
    }
    #expect(wereTold > 2)
  }

  @Test func `an open handle can save after a failed restore, and nothing is lost`()
    throws
  {
    let whole = try Self.restorable()
    var call = 1
    var wereTold = 0
    while true {
      let disk = whole.copy()
      let writer = try EngineFixture.open(disk.anotherProcess())
      disk.fail(.init(call: call, code: 5))
      _ = try? Self.restore(disk)  // may fail or succeed
      let isMet = disk.metFault
      disk.fail(nil)
      let numbers = try EngineFixture.numbers(in: EngineFixture.open(disk))
      do throws(StorageError) {
        try EngineFixture.put([1000], in: writer)
      } catch {
        #expect(error == .replaced(path: "/store"))
        wereTold += 1
        try EngineFixture.put([1000], in: EngineFixture.open(disk.anotherProcess()))
      }
      disk.restart(losing: .unsynced)
      #expect(try EngineFixture.numbers(in: EngineFixture.open(disk)) == numbers + [1000], "call \(call)")
      if !isMet { break }
      call += 1
    }
    #expect(wereTold < call / 2)
  }

  @Test func `a restore waits for maintenance and saves`() throws {
    let disk = try Self.restorable()
    let other = disk.anotherProcess()
    for name in ["maintenance", "lock"] {
      let lock = try other.open("/store/" + name, .create)
      #expect(try lock.tryLock())
      #expect(throws: StorageError.busy(path: "/store/lock")) { _ = try Self.restore(disk) }
      try lock.unlock()
      #expect(try EngineFixture.numbers(in: EngineFixture.open(disk)) == Array(700..<726))
    }
  }

  @Test func `the files of a damaged store are set aside, and a later repair keeps them`() throws {
    for name in ["manifest", "log-2", "segment-2"] {
      let disk = try Self.restorable()
      var bytes = try #require(disk.contents("/store/" + name))
      bytes[100 % bytes.count] ^= 1
      disk.setContents("/store/" + name, bytes)
      #expect(try StoreBackup.isUsed(Self.stores, fileSystem: disk, options: Self.options))
      let report = try Self.restore(disk)
      #expect(report.kept.count == 3 && report.kept.contains("/store/set-aside-1-" + name))
      #expect(disk.contents("/store/set-aside-1-" + name) == bytes)
      #expect(try EngineFixture.numbers(in: EngineFixture.open(disk)) == Self.restored)
      try disk.remove("/store/manifest")
      let repair = try StorageEngine.repair(directory: "/store", fileSystem: disk, options: Self.options)
      #expect(repair.rowsLost == 0 && repair.savesLost == 0)
      #expect(try EngineFixture.numbers(in: EngineFixture.open(disk)) == Self.restored, "\(name)")
      for path in report.kept { #expect(disk.contents(path) != nil) }
    }
  }
}

/// Disk where another process renames its finished backup just after this process has opened the file.
private struct FinishingFileSystem: ForwardingFileSystem {
  let base: SimulatedFileSystem
  let path: String

  func open(_ path: String, _ mode: FileMode) throws(FileSystemError) -> any OpenFile {
    let file = try base.open(path, mode)
    if mode == .create, path == self.path + ".part", base.contents(self.path) == nil {
      try base.rename(path, to: self.path)
    }
    return file
  }
}
