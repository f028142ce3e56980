import Foundation
import StorageTesting
import TrendyHub
import TrendyModels
import TrendyPersistence
import TrendyProtocols
import TrendySync
import TrendyTesting

/// Opens device and hub stores with damaged content but valid checksums, as an attacker could write them. Each read
/// must succeed or throw a typed error.
struct StoreScenario {
  private var source: FuzzSource
  private static let options = StorageEngine.Options(
    firstChunkBytes: 4096, largestChunkBytes: 32_768, sealBytes: 4096)
  private static let moment = Date(timeIntervalSince1970: 1_704_067_200)

  init(_ source: FuzzSource) { self.source = source }

  mutating func run(_ count: Int) async throws -> [String: Int] {
    let device = try Self.makeDevice()
    let (hub, token) = try await Self.makeHub()
    var outcomes: [String: Int] = [:]
    for _ in 0..<count {
      let isHub = source.once(in: 2)
      let disk = (isHub ? hub : device).copy()
      let what = try damage(disk, isHub: isHub)
      let result = isHub ? await readHub(disk, token) : readDevice(disk)
      outcomes["\(what): \(result)", default: 0] += 1
    }
    return outcomes
  }

  // MARK: Undamaged stores

  private static func makeDevice() throws -> SimulatedFileSystem {
    let disk = SimulatedFileSystem()
    let factory = try DefaultDataStoreFactory(directory: "/store", fileSystem: disk, options: options)
    let store = factory.makeLocalStore()
    try store.upsertEventType(id: "t") { $0 = EventType(id: "t", name: "Run", colorHex: "#FF0000", iconName: "run") }
    for save in 0..<4 {
      for number in 0..<12 {
        let id = "018c2bb2-7a40-7000-8000-0000000\(10_000 + save * 100 + number)"
        var event = Event(
          id: id, eventTypeId: "t", timestamp: moment.addingTimeInterval(Double(save * 90_000 + number)))
        event.notes = "n\(number)"
        try store.upsertEvent(event)
        try store.insertPendingMutation(
          PendingMutation(
            id: "m\(save).\(number)", entityType: .event, entityId: id, operation: .create, payload: Data("{}".utf8),
            createdAt: moment, idempotencyKey: "k", sequence: Int64(save * 100 + number + 1), device: "d"))
      }
      try store.insertTombstone(Tombstone(entityType: .geofence, entityId: "g\(save)", version: 5))
      try store.insertParkedChange(
        ChangeEntry(id: 12, entityType: "unheard", operation: "create", entityId: "p\(save)", createdAt: moment))
      try store.insertConflict(
        Conflict(
          id: "c\(save)", entityType: .event, entityId: "e", operation: .create, payload: Data("x".utf8), reason: "why",
          recordedAt: moment))
      try store.setNote(["next": 3, "first": 1, "done": [1, 2], "undone": []], named: "undo")
      try store.setSyncCursor(77)
      try store.setSyncIdentity(SyncIdentity(device: "d", lastSequence: 8))
      try store.save()
      if save < 3 { try factory.maintain(sealingAll: true) }
      if save > 1 { try store.deleteEvent(id: "018c2bb2-7a40-7000-8000-0000000\(10_000 + save)") }
    }
    try store.save()
    let log = TrackLog(
      rows: try TrackFolder(directory: "/store/tracks", fileSystem: disk, options: options))
    for second in stride(from: 0, to: 4000.0, by: 10) {
      let coordinate = Coordinate(latitude: 52 + second / 1e5, longitude: 13)
      let fix = Location(
        coordinate: coordinate, horizontalAccuracy: 5, timestamp: moment.addingTimeInterval(second), altitude: 30,
        speed: 3, course: 90)
      if Int(second) % 400 == 0 { _ = try log.append([.fix(fix)], device: "phone") }
    }
    try StoreBackup.write(stores, to: "/backup", madeMillis: 1, fileSystem: disk, options: options)
    return disk.copy()
  }

  private static let stores = [
    StoreBackup.Store(name: "record", directory: "/store"),
    StoreBackup.Store(name: "tracks", directory: "/store/tracks"),
  ]

  private static func openHub(_ disk: SimulatedFileSystem) -> EmbeddedHubStorage {
    EmbeddedHubStorage(directory: "/hub", fileSystem: disk, options: options)
  }

  private static func makeHub() async throws -> (SimulatedFileSystem, String) {
    let disk = SimulatedFileSystem()
    let storage = openHub(disk)
    let server = makeServer(storage)
    let user = try server.accounts.createPerson(name: "Anna")
    let token = try server.accounts.createToken(user: user.id, deviceName: "phone").token
    _ = try server.accounts.createPairingCode(user: user.id)
    var mutations = [
      ##"{"id":"m0","seq":1,"entity_type":"event_type","operation":"create","entity_id":"T","payload":{"id":"T","name":"Run","color":"#000000","icon":"run"}}"##
    ]
    for number in 2...20 {
      mutations.append(
        #"{"id":"m\#(number)","seq":\#(number),"entity_type":"event","operation":"\#(number > 17 ? "delete" : "create")","entity_id":"E\#(number > 17 ? number - 10 : number)","payload":{"event_type_id":"T","timestamp":"2024-01-\#(number < 10 ? "0" : "")\#(number)T08:00:00Z"}}"#
      )
    }
    let body = #"{"device":"d","acked_through":0,"last_seq":20,"mutations":[\#(mutations.joined(separator: ","))]}"#
    guard await ask(server, token, "POST", "/mutations", body) == 200 else {
      throw Finding("the hub rejects the initial push")
    }
    _ = await ask(server, token, "GET", "/changes?since=3&seen=3&device=d", "")
    while try storage.maintain() {}
    _ = try storage.backUp(to: "/backup", now: moment)
    return (disk.copy(), token)
  }

  private static func makeServer(_ storage: EmbeddedHubStorage) -> HubServer {
    HubServer(storage: storage, clock: FuzzClock(), generator: SeededGenerator(seed: 1))
  }

  private static func ask(
    _ server: HubServer, _ token: String, _ method: String, _ path: String, _ body: String
  ) async -> Int {
    let request = HTTPRequest(
      id: "fuzz", method: method, target: "/api/v1\(path)",
      headers: HTTPHeaders([("Authorization", "Bearer \(token)")]), body: Data(body.utf8))
    let response = await server.handle(request)
    // Damaged rows may be detected only while the body is streamed.
    return (try? await response.collectedBody()) == nil ? 500 : response.status
  }

  // MARK: Damage

  /// Damages a row or a file and returns the kind of damage.
  private mutating func damage(_ disk: SimulatedFileSystem, isHub: Bool) throws -> String {
    if source.once(in: 2) {
      try damageRow(disk, isHub: isHub)
      return "row"
    }
    let files = disk.files.filter { file in
      ["manifest", "backup", "lock"].contains { file.hasSuffix("/" + $0) } || file.contains("/log-")
        || file.contains("/segment-")
    }
    let file = source.once(in: 3) ? "/backup" : source.pick(files)
    let folder = file.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }
    var bytes = disk.contents(file) ?? []
    for _ in 0..<1 + source.below(3) { alter(&bytes) }
    let isForged = !source.once(in: 12)
    let kind: String
    if file.hasSuffix("manifest") {
      (kind, bytes) = ("manifest", isForged ? ForgedChecksums.manifest(bytes) : bytes)
    } else if file.hasSuffix("/lock") {
      (kind, bytes) = ("mark", isForged ? ForgedChecksums.mark(bytes) : bytes)
    } else if file == "/backup" {
      (kind, bytes) = ("backup", isForged ? ForgedChecksums.backup(bytes) : bytes)
    } else if file.contains("/log-") {
      (kind, bytes) = ("log", isForged ? ForgedChecksums.chunk(bytes) : bytes)
    } else {
      (kind, bytes) = ("segment", isForged ? ForgedChecksums.segment(bytes) : bytes)
      if isForged, let manifest = disk.contents(folder + "/manifest") {
        disk.setContents(folder + "/manifest", ForgedChecksums.manifest(manifest, referringTo: bytes))
      }
    }
    disk.setContents(file, bytes)
    return kind
  }

  /// Replaces 8, 4 or 1 bytes with an extreme number, mostly near the start or the end of the file, where the formats
  /// store counts and offsets.
  private mutating func alter(_ bytes: inout [UInt8]) {
    guard bytes.count > 16 else { return }
    var place =
      switch source.below(4) {
      case 0: source.below(min(bytes.count - 8, 240))
      case 1: bytes.count - 8 - source.below(min(bytes.count - 8, 400))
      default: source.below(bytes.count - 8)
      }
    if !source.once(in: 4) { place &= ~7 }
    let number = UInt64(bitPattern: source.integer())
    let width = source.pick([8, 8, 4, 1])
    withUnsafeBytes(of: number.littleEndian) { bytes.replaceSubrange(place..<place + width, with: $0[..<width]) }
  }

  private mutating func damageRow(_ disk: SimulatedFileSystem, isHub: Bool) throws {
    let folders = Set(disk.files.filter { $0.hasSuffix("/manifest") }.map { String($0.dropLast("/manifest".count)) })
    for _ in 0..<1 + source.below(3) {
      let engine = try StorageEngine.open(
        directory: source.pick(folders.sorted()), fileSystem: disk, options: Self.options)
      let rows = try (0...UInt8.max).flatMap { try Array(engine.scan(kind: $0)) }
      guard !rows.isEmpty else { return }
      let row = source.pick(rows)
      let payload = row.payload
      let isText = payload.first == UInt8(ascii: "{")
      let altered =
        source.once(in: 6)
        ? payload : isText ? source.mutated(document: payload, rarity: 3) : source.mutated(payload)
      let sort = source.once(in: 4) ? min(source.integer(), .max - 1) : row.sort
      let group = source.once(in: 8) ? UInt64(bitPattern: source.integer()) : row.group
      try engine.write { transaction throws(StorageError) in
        try transaction.put(kind: row.kind, key: row.key, sort: sort, group: group, payload: altered)
      }
      if source.once(in: 2) { _ = try engine.maintain(sealingAll: true) }
    }
  }

  // MARK: Reading

  private func outcome(_ bodies: (() throws -> Void)...) -> String {
    var result = "read"
    for body in bodies {
      do { try body() } catch { result = "rejected" }
    }
    return result
  }

  private func readDevice(_ disk: SimulatedFileSystem) -> String {
    let restored = outcome(
      { try Self.restoreDevice(disk.copy()) },
      {
        let other = SimulatedFileSystem()
        other.setContents("/backup", disk.contents("/backup") ?? [])
        try Self.restoreDevice(other)
        try Self.readStore("/store", other)
      })
    let read = outcome(
      { try Self.readStore("/store", disk.copy()) }, { try Self.readStore("/store/tracks", disk.copy()) },
      { try Self.readLocalStore(disk.copy()) }, { try Self.readTracks(disk.copy()) })
    return restored == "read" && read == "read" ? "read" : "rejected"
  }

  private static func restoreDevice(_ disk: SimulatedFileSystem) throws {
    _ = try StoreBackup.restore(
      from: "/backup", to: stores, keptIn: "/kept", nowMillis: 2, fileSystem: disk, options: options)
    try readLocalStore(disk)
    try readTracks(disk)
  }

  /// Calls every read operation of a store, then writes to it and repairs it.
  private static func readStore(_ folder: String, _ disk: SimulatedFileSystem) throws {
    // `verify` and `repair` report damage by throwing.
    let repairing = disk.copy()
    _ = try? StorageEngine.verify(directory: folder, fileSystem: disk, options: options)
    _ = try? StorageEngine.repair(directory: folder, fileSystem: repairing, options: options)
    let engine = try StorageEngine.open(directory: folder, fileSystem: disk, options: options)
    for kind in 0...UInt8.max {
      for record in try engine.scan(kind: kind) {
        _ = try engine.get(kind: kind, key: record.key)
        if record.group != 0 { _ = try engine.count(kind: kind, group: record.group) }
      }
      _ = try engine.counts(kind: kind, boundaries: [.min, 0, 1_000_000, .max])
    }
    try engine.write { transaction throws(StorageError) in
      try transaction.put(kind: 3, key: RowKey(hashing: "new"), sort: 1, payload: [1])
    }
    while try engine.maintain(sealingAll: true) {}
    try engine.refresh()
  }

  private static func readLocalStore(_ disk: SimulatedFileSystem) throws {
    let factory = try DefaultDataStoreFactory(directory: "/store", fileSystem: disk, options: options)
    let store = factory.makeLocalStore()
    // Run the reads separately, because one may throw while another succeeds.
    let questions: [() throws -> Void] = [
      { _ = try store.verify() }, { _ = try store.fetchAllEvents() }, { _ = try store.fetchAllEventTypes() },
      { _ = try store.fetchPendingMutations() }, { _ = try store.fetchTombstones() },
      { _ = try store.fetchConflicts() }, { _ = try store.fetchParkedChanges() }, { _ = try store.syncCursor() },
      { _ = try store.syncIdentity() }, { _ = try store.syncMemory() }, { _ = try store.syncCounts() },
      { _ = try store.note(named: "undo") }, { _ = try store.events(in: nil, ofType: "t", limit: 5) },
      { _ = try store.eventCountsByDay(in: nil, ofType: nil, timeZone: .gmt) },
      { _ = try store.firstPendingMutations(9) }, { _ = try store.lastPendingMutation() },
    ]
    var failure: (any Error)?
    for question in questions {
      do { try question() } catch { failure = error }
    }
    try store.insertPendingMutation(
      PendingMutation(
        id: "new", entityType: .event, entityId: "e", operation: .update, payload: Data("{}".utf8), createdAt: moment))
    try store.save()
    if let failure { throw failure }
  }

  private static func readTracks(_ disk: SimulatedFileSystem) throws {
    let log = TrackLog(rows: try TrackFolder(directory: "/store/tracks", fileSystem: disk, options: options))
    for device in try log.devices() {
      _ = try? log.unread(device: device.name)  // damage in other records does not prevent reading
      try log.forEach(device: device.name, after: nil, through: nil) { _ in }
    }
    let fix = Location(
      coordinate: Coordinate(latitude: 52, longitude: 13), horizontalAccuracy: 5,
      timestamp: moment.addingTimeInterval(5))
    for device in ["phone", "new"] { _ = try log.append([.fix(fix)], device: device) }
  }

  private func readHub(_ disk: SimulatedFileSystem, _ token: String) async -> String {
    let restored = outcome {
      let other = SimulatedFileSystem()
      other.setContents("/backup", disk.contents("/backup") ?? [])
      _ = try Self.openHub(other).restore(from: "/backup", now: Self.moment)
    }
    let stores = outcome {
      let folders = disk.files.filter { $0.hasSuffix("/manifest") }.map { String($0.dropLast("/manifest".count)) }
      for folder in folders { try Self.readStore(folder, disk.copy()) }
    }
    let storage = Self.openHub(disk.copy())
    let accounts = outcome {
      try storage.readDirectory { directory in
        for user in try directory.users() {
          _ = try storage.read(user: user.id) { (try $0.state(), try $0.allLines().count) }
        }
        _ = (try directory.devices(), try directory.pairingCodes(), try directory.webhooks())
      }
    }
    let server = Self.makeServer(storage)
    var failed = 0
    for (method, path, body) in Self.requests {
      if await Self.ask(server, token, method, path, body) >= 500 { failed += 1 }
    }
    _ = outcome { while try server.compact() {} }
    return failed == 0 && [restored, stores, accounts].allSatisfy { $0 == "read" } ? "read" : "rejected"
  }

  private static let requests = [
    ("GET", "/changes?since=0&limit=500", ""), ("GET", "/changes/latest-cursor", ""), ("GET", "/events?limit=50", ""),
    ("GET", "/event-types", ""), ("GET", "/snapshot", ""), ("GET", "/devices", ""),
    ("GET", "/insights?zone=UTC", ""),
    (
      "POST", "/mutations",
      #"{"device":"d","acked_through":3,"last_seq":21,"mutations":[{"id":"m21","seq":21,"entity_type":"event","operation":"update","entity_id":"E3","payload":{"notes":"n"}}]}"#
    ),
    (
      "POST", "/mutations",
      #"{"device":"e","acked_through":0,"last_seq":1,"mutations":[{"id":"n1","seq":1,"entity_type":"event","operation":"restore","entity_id":"E8","incarnation":1}]}"#
    ),
    ("POST", "/event-types", ##"{"id":"U","name":"Walk","color":"#000000","icon":"walk"}"##),
    ("DELETE", "/event-types/T", ""),
  ]
}
