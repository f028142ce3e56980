import Foundation
import Testing
import TrendyModels

/// Tests a watch that the hub notifies of a phone's trips. The phone does not run Trendy and only posts positions to
/// the hub.
@Suite("A companion of a phone that posts to the hub", .waitsForPrograms, .timeLimit(.minutes(10)))
struct CompanionLinkTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
  }

  private func follow(_ names: String...) throws {
    for name in names {
      let followed = try bench.trendy("companion", "follow", name, store: "watch")
      try #require(followed.status == 0, "\(followed.talk)")
    }
  }

  private func agent(_ device: String, _ words: String...) throws -> Running {
    try Running(
      bench, "trendyd", ["run", "--role", "agent", "--store", bench.store(device), "--poll", "1s"] + words)
  }

  private struct Notice {
    var sequence: Int64
    var from: String
    var kind: String
    var data: [String: JSONValue]
  }

  private func notices() throws -> [Notice] {
    let result = try bench.trendy("companion", "notices", "--limit", "0", "--json", store: "watch")
    let all = try result.document.objectValue?["notices"]?.arrayValue ?? []
    return all.compactMap(\.objectValue).map {
      Notice(
        sequence: $0["seq"]?.intValue ?? 0, from: $0["from"]?.stringValue ?? "", kind: $0["kind"]?.stringValue ?? "",
        data: $0["data"]?.objectValue ?? [:])
    }
  }

  private func wait(for count: Int, _ watch: Running) throws -> [Notice] {
    if let all = try eventually({ try notices().count >= count ? try notices() : nil }) { return all }
    throw BenchError("\(try notices().map { "\($0.from) \($0.kind)" }) \(watch.text)")
  }

  @Test func `it is notified of a trip's start and end as the phone posts it, after it asked to follow the phone`()
    throws
  {
    let hub = try TestHub(bench)
    defer { hub.stop() }
    try hub.connect("watch")
    let phone = try HubPhone(bench, hub, name: "pixel")
    // A drive that took place before the watch followed the phone is not announced.
    try phone.post(HubPhone.drive(ago: 5000) + HubPhone.rest(seconds: 900, ago: 4100, at: 9000), to: hub)
    try follow("Pixel")
    let listed = try bench.trendy("companion", "list", store: "watch").output
    #expect(listed.contains("pixel  sends notices to this device"), "\(listed)")
    let watch = try agent("watch")
    defer { watch.stop() }
    try phone.post(HubPhone.drive(ago: 700, from: 9000), to: hub)
    let begun = try wait(for: 2, watch)
    #expect(begun.map(\.kind) == ["trip_started", "trip_active"] && begun.allSatisfy { $0.from == "pixel" })
    #expect(begun[0].data["device"] == "pixel")
    try phone.post(HubPhone.rest(ago: 100, at: 18_000), to: hub)
    let all = try wait(for: 4, watch)
    #expect(all.map(\.kind) == ["trip_started", "trip_active", "trip_ended", "trip_active"])
    #expect(all[2].data["id"] == all[0].data["id"] && all[3].data["active"] == false)
    #expect(abs((all[2].data["distance_m"]?.doubleValue ?? 0) - 9000) < 300)
    #expect(all.map(\.sequence) == all.map(\.sequence).sorted() && Set(all.map(\.sequence)).count == 4)
    // The notice contains the same trip id as the record.
    try #require(try bench.trendy("sync", store: "watch").status == 0)
    let trips = try bench.trendy("trip", "list", "--json", store: "watch").document.objectValue?["trips"]?.arrayValue
    #expect(trips?.first?.objectValue?["id"] == all[2].data["id"])

    // When the next trip starts, earlier trips are not announced again.
    try phone.post(HubPhone.drive(seconds: 90, ago: 0, from: 18_000), to: hub)
    let last = try wait(for: 6, watch)
    #expect(last.suffix(2).map(\.kind) == ["trip_started", "trip_active"])
    // After the watch has stopped following the phone, it receives no more notices.
    let ended = try bench.trendy("companion", "rm", "pixel", store: "watch")
    #expect(ended.status == 0 && ended.output.contains("have been stopped"), "\(ended.output)\(ended.talk)")
    try phone.post([HubPhone.Fix(ago: -10, northward: 19_500)], to: hub)
    #expect(try bench.trendy("companion", "status", store: "watch").output.contains("No companions"))
    #expect(try bench.trendy("companion", "rm", "pixel", store: "watch").status == 66)
    #expect(try bench.trendy("companion", "follow", "toaster", store: "watch").status == 66)
  }

  @Test func `a drive that is posted as a whole after its end is announced with its start`() throws {
    let hub = try TestHub(bench)
    defer { hub.stop() }
    try hub.connect("watch")
    let phone = try HubPhone(bench, hub, name: "pixel")
    try follow("pixel")
    let watch = try agent("watch")
    defer { watch.stop() }
    // The drive is later than the request to follow, although the phone's clock is an hour ahead.
    let start = Int(Date().timeIntervalSince1970) + 3600
    func time(_ second: Int) -> String { RFC3339.string(from: Date(timeIntervalSince1970: Double(start + second))) }
    try phone.post(
      (0...90).map { (time($0 * 10), 52 + min(Double($0) * 150, 9000) / 111_250) }, to: hub)
    let all = try wait(for: 2, watch)
    #expect(all.map(\.kind) == ["trip_started", "trip_ended"], "\(all)")
    #expect(all[0].data["id"] == all[1].data["id"])
    // Positions that are posted again do not cause further notices.
    try phone.post([(time(0), 52), (time(890), 52 + 9000 / 111_250)], to: hub)
    try phone.post([(time(900), 52 + 9000 / 111_250)], to: hub)
    #expect(try notices().count == 2)
  }

  /// Several phones drive and stop, while the hub is killed during posts and the watch is killed while receiving.
  @Test(arguments: [1, 2]) func `it receives each notice once and in order while the hub is killed`(seed: UInt64) throws
  {
    var generator = SeededGenerator(seed: seed)
    var hub = try TestHub(bench)
    try hub.connect("watch")
    let names = (0..<6).map { "phone \($0)" }
    let phones = try names.map { try HubPhone(bench, hub, name: $0) }
    for name in names { try follow(name) }
    var watch = try agent("watch")
    defer {
      watch.kill()
      hub.kill()
    }
    for round in 0..<4 {
      // The drive and the stop are each posted in two halves.
      for phone in phones {
        let fixes =
          switch round {
          case 0: HubPhone.drive(seconds: 300, ago: 1000)
          case 1: HubPhone.drive(seconds: 300, ago: 700, from: 4500)
          case 2: HubPhone.rest(seconds: 290, ago: 410, at: 9000)
          default: HubPhone.rest(seconds: 410, ago: 0, at: 9000)
          }
        let posting = try phone.posting(fixes, to: hub)
        usleep(UInt32(generator.next() % 60) * 1000)
        if generator.next() % 3 != 0 {
          hub.kill()
          hub = try TestHub(bench, port: hub.port)
        }
        if generator.next() % 4 == 0 {
          watch.kill()
          watch = try agent("watch")
        }
        posting.process.waitUntilExit()
        try #require(posting.process.terminationStatus == 0, "\(posting.text) \(hub.log)")
      }
      guard round == 1 else { continue }
      // All trips must have started before the first trip ends.
      _ = try wait(for: phones.count * 2, watch)
    }
    hub.kill()
    hub = try TestHub(bench, port: hub.port)
    _ = try wait(for: phones.count * 4, watch)
    watch.kill()
    watch = try agent("watch")
    // Notices are delivered in order. Once a notice about the last phone has arrived, no notices about the other phones
    // are outstanding.
    let last = try HubPhone(bench, hub, name: "last")
    try follow("last")
    try last.post(HubPhone.drive(ago: 0), to: hub)
    let all = try wait(for: phones.count * 4 + 2, watch)
    for name in names {
      let mine = all.filter { $0.from == name }
      #expect(
        mine.map(\.kind) == ["trip_started", "trip_active", "trip_ended", "trip_active"], "\(name): \(mine)")
      #expect(mine.map(\.sequence) == mine.map(\.sequence).sorted())
      #expect(Set(mine.compactMap { $0.data["id"]?.stringValue }).count == 1)
    }
    #expect(all.count == phones.count * 4 + 2)
  }

  @Test func `a trip that the phone's agent and the hub both detect is announced once`() throws {
    let hub = try TestHub(bench)
    defer { hub.stop() }
    try hub.connect("phone")
    try hub.connect("watch")
    try #require(try bench.trendy("companion", "pair", "watch", store: "phone").status == 0)
    let phone = try agent("phone", "--ingest", "127.0.0.1:0")
    let watch = try agent("watch")
    defer {
      phone.stop()
      watch.stop()
    }
    _ = try wait(for: 1, watch)
    let account = try WireJSON.decode(
      JSONValue.self,
      from: Data(contentsOf: URL(filePath: bench.store("phone")).appending(path: "account.json")))
    let toHub = HubPhone(bench, token: try #require(account.objectValue?["token"]?.stringValue))
    let toAgent = HubPhone(bench, token: try bench.ingestToken("phone"))
    let agentURL = try phone.ingestURL()
    // Simulates two programs on the same phone, whose positions are one second apart.
    func tell(_ fixes: [HubPhone.Fix]) throws {
      try toHub.post(fixes, to: hub.url)
      try toAgent.post(fixes.map { HubPhone.Fix(ago: $0.ago + 1, northward: $0.northward) }, to: agentURL)
    }
    try tell(HubPhone.drive(ago: 700))
    _ = try wait(for: 3, watch)
    try tell(HubPhone.rest(ago: 100, at: 9000))
    _ = try wait(for: 5, watch)
    // The second trip is posted only to the hub. Its notices follow all notices of the first trip.
    try toHub.post(HubPhone.drive(seconds: 90, ago: 0, from: 9000), to: hub.url)
    let all = try wait(for: 7, watch)
    #expect(
      all.map(\.kind) == [
        "config", "trip_started", "trip_active", "trip_ended", "trip_active", "trip_started", "trip_active",
      ], "\(all)")
    #expect(all[1].data["id"] == all[3].data["id"] && all[5].data["id"] != all[1].data["id"])
  }
}
