import Foundation
import StorageTesting
import Testing
import TrendyHub
import TrendyModels
import TrendyPersistence
import TrendyTesting

@Suite("Backup of a hub", .timeLimit(.minutes(10)))
struct HubBackupTests {
  private let core = HubCore()

  private func write(_ storage: EmbeddedHubStorage, _ user: String, _ mutations: HubMutation..., now: Date) throws {
    try storage.writeDirectory { try $0.put(HubUser(id: user, name: user, createdAt: now)) }
    for mutation in mutations {
      let outcome = try storage.write(user: user) {
        try core.judge(mutation, device: "d", in: $0, now: now)
      }
      #expect(outcome.version != nil)
    }
  }

  private func type(_ id: String) -> HubMutation {
    HubMutation(
      kind: "event_type", id: id, operation: .create,
      content: .members(["name": "Coffee", "color": "#000000", "icon": "cup"]))
  }

  private func head(_ storage: EmbeddedHubStorage, _ user: String) throws -> Int64 {
    try storage.read(user: user) { try $0.state().head }
  }

  @Test("a backup contains every user and device, whatever their ids", arguments: ["0198-a", "Ämma/..", "directory"])
  func roundTrip(user: String) throws {
    let hub = try TestHub()
    let now = hub.clock.now
    try write(hub.storage, user, type("t"), type("u"), now: now)
    try write(hub.storage, hub.user.id, type("v"), now: now)
    let summary = try hub.storage.backUp(to: "/backup", now: now)
    #expect(summary.records.count == 3)
    #expect(throws: StorageError.exists(path: "/backup")) { try hub.storage.backUp(to: "/backup", now: now) }
    let other = EmbeddedHubStorage(directory: "/other", fileSystem: hub.disk)
    let report = try other.restore(from: "/backup", now: now)
    #expect(report.kept.isEmpty)
    #expect(try head(other, user) == 2 && head(other, hub.user.id) == 1)
    #expect(try HubAccounts(storage: other).device(token: hub.token).name == "phone")
    #expect(try other.read(user: user) { try $0.allLines() }.count == 2)
  }

  @Test func `a restored hub rejects a device that has seen more, and keeps its previous data`() async throws {
    let hub = try TestHub()
    try await hub.makeType()
    _ = try hub.storage.backUp(to: "/backup", now: hub.clock.now)
    try await hub.makeEvent("e")
    let seen = try await hub.send("GET", "/changes/latest-cursor")
    let known = "seen=2&epoch=\(seen["epoch"].stringValue ?? "")&device=d"
    #expect(try await hub.send("GET", "/changes?since=2&\(known)").status == 200)
    let next = TestHub.openStorage(hub.disk.anotherProcess())
    let report = try next.restore(from: "/backup", now: hub.clock.now)
    let kept = try #require(report.kept.first)
    #expect(report.kept.count == 1 && kept.hasPrefix("/hub/before-restore-"))
    let server = HubServer(storage: next, clock: hub.clock, generator: SeededGenerator(seed: 9))
    let answer = await server.handle(
      HTTPRequest(
        id: "r", method: "GET", target: "/api/v1/changes?since=2&\(known)",
        headers: HTTPHeaders([("Authorization", "Bearer \(hub.token)")])))
    let problem = try WireJSON.decode(JSONValue.self, from: try await answer.collectedBody())
    #expect(answer.status == 409 && problem["type"] == "urn:trendy:error:log_reset" && problem["head"] == 1)
    // The previous data, which was moved aside, can itself be restored.
    let former = EmbeddedHubStorage(directory: kept, fileSystem: hub.disk)
    _ = try former.backUp(to: "/former", now: hub.clock.now)
    let again = TestHub.openStorage(hub.disk.anotherProcess())
    _ = try again.restore(from: "/former", now: hub.clock.now.addingTimeInterval(1))
    #expect(try head(again, hub.user.id) == 2)
  }

  @Test func `a backup from before the horizon is rejected, unless forced`() throws {
    let storage = TestHub.openStorage(SimulatedFileSystem())
    let start = Date(timeIntervalSince1970: 1_704_067_200)
    try write(storage, "p", type("t"), type("u"), now: start)
    _ = try storage.backUp(to: "/old", now: start)
    try write(storage, "p", HubMutation(kind: "event_type", id: "t", operation: .delete), now: start)
    _ = try storage.backUp(to: "/young", now: start)
    let later = start.addingTimeInterval(91 * 86_400)
    #expect(try storage.write(user: "p") { try core.compact(limit: 9, in: $0, now: later) } == 1)
    #expect(throws: EmbeddedHubStorage.StaleBackup(users: ["p"])) {
      try storage.restore(from: "/old", now: later)
    }
    #expect(try head(storage, "p") == 3)
    // A backup at the horizon is accepted.
    _ = try storage.restore(from: "/young", now: later)
    _ = try storage.restore(from: "/old", now: later, isForced: true)
  }

  @Test func `no backup is restored to a directory that a hub serves`() throws {
    let disk = SimulatedFileSystem()
    let serving = TestHub.openStorage(disk)
    let occupation = try serving.acquireExclusiveAccess()
    try write(serving, "p", type("t"), now: .distantPast)
    // Backups are possible while a hub is serving the directory.
    _ = try serving.backUp(to: "/backup", now: .distantPast)
    #expect(throws: HubStorageError.self) {
      try TestHub.openStorage(disk.anotherProcess()).restore(from: "/backup", now: .distantPast)
    }
    withExtendedLifetime(occupation) {}
  }

  @Test func `a file that is not a backup changes nothing`() async throws {
    let hub = try TestHub()
    try await hub.makeType()
    let next = TestHub.openStorage(hub.disk.anotherProcess())
    #expect(throws: StorageError.self) {
      try next.restore(from: "/hub/hub.lock", now: hub.clock.now)
    }
    #expect(try head(next, hub.user.id) == 1)
  }

  // MARK: Malicious backups

  /// Returns a backup of stores with these names, each with one row.
  private func backup(_ names: [String], on disk: SimulatedFileSystem) throws -> [UInt8] {
    var bytes: [UInt8]?
    for (number, _) in names.enumerated() {
      let engine = try StorageEngine.open(directory: "/made-\(number)", fileSystem: disk)
      try engine.write { transaction throws(StorageError) in
        try transaction.put(kind: 1, key: RowKey(hashing: "k"), sort: 1, payload: [1])
      }
    }
    let stores = names.indices.map { StoreBackup.Store(name: "s\($0)", directory: "/made-\($0)") }
    try StoreBackup.write(stores, to: "/made.backup", madeMillis: 1, fileSystem: disk)
    bytes = disk.contents("/made.backup")
    return BackupForgery.renaming(Dictionary(uniqueKeysWithValues: zip(stores.map(\.name), names)), in: bytes ?? [])
  }

  @Test(
    "a backup with an invalid store name or without a directory is rejected, and the hub is unchanged",
    arguments: [
      "../../../victim", "~../../victim", "/victim", ".", "..", "a/b", "_../victim", "_0123", "", "@people", "record",
      "A", "~", String(repeating: "a", count: 65), "_" + String(repeating: "G", count: 64), "ä",
    ])
  func hostileNames(name: String) async throws {
    let hub = try TestHub()
    try await hub.makeType()
    let victim = try StorageEngine.open(directory: "/victim", fileSystem: hub.disk)
    try victim.write { transaction throws(StorageError) in
      try transaction.put(kind: 1, key: RowKey(hashing: "k"), sort: 1, payload: [7])
    }
    let names = name == "record" ? [name] : ["@directory", name]
    hub.disk.setContents("/hostile", try backup(names, on: SimulatedFileSystem()))
    func files() -> [String: [UInt8]?] {
      Dictionary(
        uniqueKeysWithValues: hub.disk.files.filter { $0 != "/hub/hub.lock" }.map { ($0, hub.disk.contents($0)) })
    }
    let before = files()
    let next = TestHub.openStorage(hub.disk.anotherProcess())
    #expect {
      _ = try next.restore(from: "/hostile", now: hub.clock.now)
    } throws: { error in
      if case StorageError.notABackup = error { true } else { false }
    }
    #expect(files() == before)
  }

  @Test func `a backup with an invalid directory is rejected, and the hub is unchanged`() async throws {
    let hub = try TestHub()
    try await hub.makeType()
    let other = SimulatedFileSystem()
    let engine = try StorageEngine.open(directory: "/made-0", fileSystem: other)
    try engine.write { transaction throws(StorageError) in
      try transaction.put(kind: 16, key: RowKey(hashing: "k"), sort: 1, payload: Array("{".utf8))
    }
    hub.disk.setContents("/hostile", try backup(["@directory"], on: other))
    let before = hub.disk.files.filter { $0 != "/hub/hub.lock" }
    let next = TestHub.openStorage(hub.disk.anotherProcess())
    #expect(throws: StorageError.self) { try next.restore(from: "/hostile", now: hub.clock.now) }
    #expect(hub.disk.files.filter { $0 != "/hub/hub.lock" } == before)
    #expect(try head(next, hub.user.id) == 1)
  }

  @Test func `a restore with a key accepts only backups signed with it, and checksums are always verified`()
    async throws
  {
    let hub = try TestHub()
    try await hub.makeType()
    let key = try #require(BackupKey([UInt8](repeating: 3, count: 32)))
    let otherKey = try #require(BackupKey([UInt8](repeating: 4, count: 32)))
    let now = hub.clock.now
    _ = try hub.storage.backUp(to: "/plain", now: now)
    _ = try hub.storage.backUp(to: "/signed", now: now, signedWith: key)
    let whole = try #require(hub.disk.contents("/signed"))
    // An attacker without the key adds a user and corrects the checksums.
    hub.disk.setContents("/forged", BackupForgery.renaming(["@directory": "a"], in: whole))
    let next = TestHub.openStorage(hub.disk.anotherProcess())
    for (path, isSigned) in [("/plain", false), ("/forged", true)] {
      #expect(throws: StorageError.wrongSignature(path: path, isSigned: isSigned)) {
        try next.restore(from: path, signedWith: key, now: now)
      }
    }
    #expect(throws: StorageError.wrongSignature(path: "/signed", isSigned: true)) {
      try next.restore(from: "/signed", signedWith: otherKey, now: now)
    }
    #expect(throws: StorageError.self) { try next.restore(from: "/forged", now: now) }
    _ = try next.restore(from: "/signed", signedWith: key, now: now)
    _ = try next.restore(from: "/signed", now: now.addingTimeInterval(1))
    #expect(try head(next, hub.user.id) == 1)
  }

  @Test(
    "a restore cut off at any point leaves either the old hub or the new one",
    arguments: [SimulatedFileSystem.Loss.unsynced, .nothing, .random(seed: 3), .random(seed: 4)])
  func crash(loss: SimulatedFileSystem.Loss) throws {
    let source = SimulatedFileSystem()
    let start = Date(timeIntervalSince1970: 1_704_067_200)
    let made = TestHub.openStorage(source)
    for user in ["p", "q"] { try write(made, user, type("t"), now: start) }
    _ = try made.backUp(to: "/backup", now: start)
    try write(made, "p", type("u"), type("v"), now: start)
    try write(made, "r", type("t"), now: start)
    let whole = source.copy()
    func users(_ storage: EmbeddedHubStorage) throws -> [String: Int64] {
      try Dictionary(
        uniqueKeysWithValues: storage.readDirectory { try $0.users() }.map { ($0.id, try head(storage, $0.id)) })
    }
    let (old, new): ([String: Int64], [String: Int64]) = (["p": 3, "q": 1, "r": 1], ["p": 1, "q": 1])
    var change = 1
    var seen: Set<[String: Int64]> = []
    while true {
      let disk = whole.copy()
      disk.powerOff(beforeChange: change)
      let result = Result { try TestHub.openStorage(disk).restore(from: "/backup", now: start) }
      let isOver = !disk.isOff
      disk.restart(losing: loss)
      let storage = TestHub.openStorage(disk.anotherProcess())
      let found = try users(storage)
      #expect(found == old || found == new, "before change \(change)")
      if case .success = result { #expect(found == new) }
      seen.insert(found)
      if found == new {
        let kept = try #require(disk.files.first { $0.hasPrefix("/hub/before-restore-") && $0.hasSuffix("/manifest") })
        let folder = kept.split(separator: "/")[1]
        #expect(try users(TestHub.openStorage(disk, at: "/hub/\(folder)")) == old)
      }
      // The restore can then be repeated.
      _ = try storage.restore(from: "/backup", now: start.addingTimeInterval(5))
      #expect(try users(storage) == new)
      if isOver { break }
      change += 1
    }
    #expect(seen.count == 2 && change > 20)
  }

  @Test func `a restore that fails at any file operation leaves either the old hub or the new one`() throws {
    let disk = SimulatedFileSystem()
    let start = Date(timeIntervalSince1970: 1_704_067_200)
    let made = TestHub.openStorage(disk)
    try write(made, "p", type("t"), now: start)
    _ = try made.backUp(to: "/backup", now: start)
    try write(made, "p", type("u"), now: start)
    let whole = disk.copy()
    var call = 1
    while true {
      let disk = whole.copy()
      disk.fail(.init(call: call, code: 28))
      _ = try? TestHub.openStorage(disk).restore(from: "/backup", now: start)  // it may fail or succeed
      let isMet = disk.metFault
      disk.fail(nil)
      let head = try head(TestHub.openStorage(disk.anotherProcess()), "p")
      #expect(head == 1 || head == 2, "call \(call)")
      if !isMet { break }
      call += 1
    }
    #expect(call > 40)
  }
}

/// Modifies backups and corrects their checksums.
private enum BackupForgery {
  static func renaming(_ names: [String: String], in backup: [UInt8]) -> [UInt8] {
    var result = Array(backup[..<64])
    var position = 64
    while position < backup.count {
      let length = backup[position..<position + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
      var block = Array(backup[position..<position + length])
      if block[4] == 1 {
        let name = String(decoding: block[32...].prefix { $0 != 0 }, as: UTF8.self)
        let text = Array((names[name] ?? name).utf8)
        block = block[..<32] + text + [UInt8](repeating: 0, count: text.isEmpty ? 8 : -text.count & 7)
        withUnsafeBytes(of: UInt32(block.count).littleEndian) { block.replaceSubrange(0..<4, with: $0) }
      }
      result += block
      position += length
    }
    return ForgedChecksums.backup(result)
  }
}
