import Foundation
import Testing
import TrendyModels
import TrendyPersistence
import TrendyProtocols

#if canImport(Glibc)
  import Glibc
#endif

/// Tests `trendy doctor` with a hub, and `trendy sync repair`.
@Suite("Repair with a hub", .waitsForPrograms, .timeLimit(.minutes(10)))
struct RepairTests {
  let bench: Workbench
  let hub: TestHub

  init() throws {
    bench = try Workbench()
    hub = try TestHub(bench)
    try hub.connect("phone", "laptop")
    for note in ["one", "two", "three"] { try bench.trendy("log", "journal", "-n", note, store: "phone") }
    try sync("phone", "laptop")
  }

  private func sync(_ devices: String...) throws {
    for device in devices {
      let result = try bench.trendy("sync", store: device)
      try #require(result.status == 0, "\(device): \(result.talk)")
    }
  }

  private func notes(_ device: String) throws -> [String] {
    let events = try bench.trendy("list", "--limit", "0", "--json", store: device).document.objectValue?["events"]
    return (events?.arrayValue ?? []).compactMap { $0.objectValue?["notes"]?.stringValue }.sorted()
  }

  private func alter(_ device: String, _ change: (any DataStoreProtocol) throws -> Void) throws {
    let unit = try DefaultDataStoreFactory(directory: URL(filePath: bench.store(device))).makeDataStore()
    try change(unit)
    try unit.save()
  }

  private func event(_ note: String, in unit: any DataStoreProtocol) throws -> Event {
    try #require(unit.fetchAllEvents().first { $0.notes == note })
  }

  private func doctor(_ words: String...) throws -> (status: Int32, hub: [String: JSONValue]) {
    let result = try bench.run("trendy", ["doctor", "--json", "--store", bench.store("phone")] + words)
    return (result.status, try #require(result.document.objectValue?["hub"]?.objectValue, "\(result.talk)"))
  }

  private func kept() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: bench.store("phone")).filter { $0.hasPrefix("before-repair-") }
  }

  // MARK: Doctor

  @Test func `doctor reports that a store and its hub agree at a version, even with pending changes`() throws {
    try bench.trendy("log", "journal", "-n", "from the laptop", store: "laptop")
    try bench.trendy("log", "journal", "-n", "waits", store: "phone")
    try sync("laptop")
    let words = try bench.trendy("doctor", store: "phone")
    #expect(words.status == 0 && words.output.contains("agree at version"), "\(words.output)\(words.talk)")
    #expect(words.output.contains("5 events"), "synced first: \(words.output)")
    let (status, answer) = try doctor("--repair")
    #expect(status == 0 && answer["agrees"] == true && answer["repair"] == .null)
    #expect(try kept().isEmpty, "there was nothing to mend")
    #expect(try bench.trendy("doctor", "--local", "--json", store: "phone").document.objectValue?["hub"] == .null)
  }

  @Test func `rows altered outside the program are found and repaired without loss`() throws {
    try alter("phone") { unit in
      let one = try event("one", in: unit)
      let entry = try #require(try unit.heldEntry(kind: .event, id: one.id))
      try unit.insertHeldEntry(
        ChangeEntry(
          id: entry.id - 1, entityType: entry.entityType, operation: entry.operation, entityId: entry.entityId,
          incarnation: entry.incarnation, marks: entry.marks))
      try unit.upsertEvent(id: one.id) { $0.notes = "altered" }
      try unit.deleteEvent(id: try event("two", in: unit).id)
      try unit.upsertEvent(id: "stray") {
        $0 = Event(
          id: "stray", eventTypeId: one.eventTypeId, timestamp: one.timestamp, notes: "nobody knows it",
          syncStatus: .synced)
      }
    }
    let id = try #require(
      bench.trendy("list", "--grep", "three", "--plain", store: "phone").output.split(separator: "\t").first)
    try bench.trendy("edit", String(id), "-n", "three and more", store: "phone")
    let words = try bench.trendy("doctor", store: "phone")
    #expect(
      words.status == 1 && words.output.contains("- event: 2 on this device, 3 on the hub"),
      "\(words.output)\(words.talk)")
    #expect(
      words.output.contains("1 row received from the hub is missing on this device")
        && words.output.contains("1 row on this device is neither from the hub"))
    let answer = try doctor().hub
    let kinds = (answer["kinds"]?.arrayValue ?? []).compactMap(\.objectValue)
    #expect(kinds.filter { $0["agrees"] == false }.map { $0["kind"] } == ["event"])

    let healed = try doctor("--repair")
    #expect(healed.status == 0 && healed.hub["agrees"] == true, "\(healed.hub)")
    #expect(healed.hub["repair"]?.objectValue?["offered"] == 1)
    #expect(try kept().count == 1)
    #expect(try notes("phone") == ["nobody knows it", "one", "three and more", "two"])
    try sync("laptop")
    #expect(try notes("laptop") == notes("phone"))
    #expect(try doctor().status == 0)
    // The backup made before the repair is at the reported path.
    let backup = try #require(kept().first)
    try bench.trendy("restore", bench.store("phone") + "/" + backup, store: "elsewhere")
    #expect(try notes("elsewhere").contains("altered"))
  }

  @Test func `doctor without a reachable hub checks the store and reports that the comparison failed`() throws {
    hub.stop()
    let words = try bench.trendy("doctor", store: "phone")
    #expect(words.status == 0 && words.output.contains("is intact"), "\(words.output)\(words.talk)")
    #expect(words.output.contains("Cannot compare with the hub"), "\(words.output)")
    let answer = try doctor().hub
    #expect(answer["agrees"] == nil && answer["error"]?.objectValue?["code"] == "unreachable", "\(answer)")
  }

  @Test func `entries deleted at the hub stay deleted in a store restored from a backup before its first connection`()
    throws
  {
    try bench.trendy("init", store: "old")
    for note in ["kept", "deleted"] { try bench.trendy("log", "journal", "-n", note, store: "old") }
    let backup = bench.folder.appending(path: "before.backup").path
    try bench.trendy("backup", backup, store: "old")
    try hub.connect("old")
    try sync("old")
    let id = try #require(
      bench.trendy("list", "--grep", "deleted", "--plain", store: "old").output.split(separator: "\t").first)
    try bench.trendy("rm", String(id), "--yes", store: "old")
    try sync("old")
    try bench.trendy("restore", backup, store: "again")
    try hub.connect("again")
    try sync("again", "again")
    #expect(try notes("again") == ["kept", "one", "three", "two"])
    let words = try bench.trendy("doctor", store: "again")
    #expect(words.status == 0 && words.output.contains("4 events"), "\(words.output)\(words.talk)")
  }

  // MARK: Repair

  @Test func `repair without an option changes nothing and lists the options`() throws {
    let words = try bench.trendy("sync", "repair", store: "phone")
    #expect(words.status == 0 && words.output.contains("Nothing was done"), "\(words.talk)")
    for option in ["--resync", "--requeue", "--dedupe"] { #expect(words.output.contains(option)) }
    #expect(try kept().isEmpty)
    #expect(try bench.trendy("sync", "repair", "--dedupe", "--resync", store: "phone").status == 64)
    try bench.trendy("disconnect", store: "phone")
    #expect(try bench.trendy("sync", "repair", "--resync", store: "phone").status == 78)
  }

  @Test func `a resync that is killed at any time loses nothing, and the next sync completes it`() throws {
    for round in 0..<12 {
      try bench.trendy("log", "journal", "-n", "waits \(round)", store: "phone")
      let repair = try Running(
        bench, "trendyd", ["network", "sync", "repair", "--resync", "--store", bench.store("phone")])
      usleep(UInt32(round) * 12_000)
      repair.kill()
      #expect(try notes("phone").count == 4 + round, "all that was there is there")
    }
    let whole = try bench.trendy("sync", "repair", "--resync", "--json", store: "phone")
    #expect(whole.status == 0, "\(whole.talk)")
    let backup = try #require(whole.document.objectValue?["backup"]?.stringValue)
    #expect(FileManager.default.fileExists(atPath: backup))
    try sync("laptop")
    #expect(try notes("laptop").count == 15 && notes("laptop") == notes("phone"))
    #expect(try doctor().status == 0)
  }

  @Test func `an agent that syncs the store performs a requested resync`() throws {
    let agent = try Running(
      bench, "trendyd", ["run", "--role", "agent", "--store", bench.store("phone"), "--poll", "1h"])
    defer { agent.stop() }
    try alter("phone") { try $0.deleteEvent(id: try event("two", in: $0).id) }
    #expect(try bench.trendy("sync", "repair", "--resync", store: "phone").status == 0, "\(agent.text)")
    #expect(try notes("phone") == ["one", "three", "two"])
    #expect(try doctor().status == 0)
  }

  @Test func `an entry that is missing at the hub is uploaded once`() throws {
    try alter("phone") { unit in
      let one = try event("one", in: unit)
      try unit.upsertEvent(id: "lost") {
        $0 = Event(
          id: "lost", eventTypeId: one.eventTypeId, timestamp: one.timestamp, notes: "lost by the hub",
          syncStatus: .synced)
      }
      let entry = try #require(try unit.heldEntry(kind: .event, id: one.id))
      try unit.insertHeldEntry(
        ChangeEntry(
          id: entry.id, entityType: entry.entityType, operation: entry.operation, entityId: "lost", marks: entry.marks))
    }
    #expect(try doctor().status == 1)
    let offered = try bench.trendy("sync", "repair", "--requeue", store: "phone")
    #expect(
      offered.status == 0 && offered.output.contains("Uploaded 1 entries that the hub did not have."), "\(offered.talk)"
    )
    #expect(try bench.trendy("sync", "repair", "--requeue", store: "phone").output.contains("already has all entries"))
    try sync("laptop")
    #expect(try notes("laptop") == ["lost by the hub", "one", "three", "two"])
    #expect(try notes("phone") == notes("laptop"))
    #expect(try doctor().status == 0)
  }

  @Test func `duplicates are listed, deleted after confirmation on every device, and restored by undo`() throws {
    try bench.trendy("log", "coffee", "2", "--at", "2026-11-20 08:30", "-n", "oat", store: "phone")
    try bench.trendy("log", "coffee", "--at", "2026-11-20 08:30", store: "phone")
    try bench.trendy("log", "coffee", "--at", "2026-11-20 08:31", store: "phone")
    try sync("phone", "laptop")
    let shown = try bench.trendy("sync", "repair", "--dedupe", store: "phone")
    #expect(shown.status == 0 && shown.output.contains("duplicate:") && shown.output.contains("Nothing was deleted"))
    func coffees(_ device: String) throws -> Int {
      try bench.trendy("list", "--type", "coffee", "--plain", store: device).output.split(separator: "\n").count
    }
    #expect(try coffees("phone") == 3)
    let removed = try bench.trendy("sync", "repair", "--dedupe", "--yes", "--json", store: "phone")
    #expect(try removed.document.objectValue?["removed"] == true && kept().count == 1, "\(removed.talk)")
    try sync("phone", "laptop")
    #expect(try coffees("phone") == 2 && coffees("laptop") == 2)
    #expect(try bench.trendy("list", "--type", "coffee", "--plain", store: "laptop").output.contains("oat"))
    #expect(try bench.trendy("undo", store: "phone").status == 0)
    try sync("phone", "laptop")
    #expect(try coffees("laptop") == 3)
  }
}
