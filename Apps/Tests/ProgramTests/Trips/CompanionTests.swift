import Foundation
import Testing
import TrendyModels

/// Tests a phone that notifies a watch of its trips through a hub.
@Suite("A companion", .waitsForPrograms, .timeLimit(.minutes(10)))
struct CompanionTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
  }

  private func agent(_ device: String, _ words: String...) throws -> Running {
    try Running(
      bench, "trendyd", ["run", "--role", "agent", "--store", bench.store(device), "--poll", "1s"] + words)
  }

  private func notices(_ device: String) throws -> [[String: JSONValue]] {
    let result = try bench.trendy("companion", "notices", "--limit", "0", "--json", store: device)
    let document = try result.document.objectValue
    return (document?["notices"]?.arrayValue ?? []).compactMap(\.objectValue)
  }

  private func kinds(_ notices: [[String: JSONValue]]) -> [String] { notices.compactMap { $0["kind"]?.stringValue } }

  /// Adds positions of a drive that ended `ago` seconds ago.
  private func drive(_ device: String, name: String, seconds: Int = 600, ago: Int) throws {
    let end = Date().timeIntervalSince1970.rounded() - Double(ago)
    let lines = stride(from: -seconds, through: 0, by: 10).map { second in
      let time = RFC3339.string(from: Date(timeIntervalSince1970: end + Double(second)))
      let latitude = 52 + Double(second + seconds) * 15 / 111_250
      return #"{"lat":\#(latitude),"lon":4,"time":"\#(time)","acc":5}"#
    }
    try tell(device, name: name, lines)
  }

  /// Adds positions without movement at the end of the drive.
  private func rest(_ device: String, name: String, seconds: Int = 600, driven: Int = 600, from ago: Int) throws {
    let start = Date().timeIntervalSince1970.rounded() - Double(ago)
    let lines = stride(from: 10, through: seconds, by: 10).map { second in
      let time = RFC3339.string(from: Date(timeIntervalSince1970: start + Double(second)))
      return #"{"lat":\#(52 + Double(driven) * 15 / 111_250),"lon":4,"time":"\#(time)","acc":5}"#
    }
    try tell(device, name: name, lines)
  }

  private func tell(_ device: String, name: String, _ lines: [String]) throws {
    let file = bench.folder.appending(path: "fixes-\(UUID().uuidString)")
    try Data(lines.joined(separator: "\n").utf8).write(to: file)
    let result = try bench.trendy("track", "add", file.path, "--device", name, "-q", store: device)
    try #require(result.status == 0, "\(result.talk)")
  }

  @Test func `it is notified of the start and the end of a trip and displays them`() throws {
    let hub = try TestHub(bench)
    defer { hub.stop() }
    try hub.connect("phone", "watch")
    let paired = try bench.trendy("companion", "pair", "Watch", store: "phone")
    try #require(paired.status == 0, "\(paired.talk)")
    #expect(try bench.trendy("companion", "list", store: "watch").output.contains("sends notices to this device"))
    let hooks = bench.folder.appending(path: "hooks")
    try FileManager.default.createDirectory(at: hooks, withIntermediateDirectories: true)
    let (hook, received) = (hooks.appending(path: "on-notice"), bench.folder.appending(path: "received"))
    try Data("#!/bin/sh\ncat >>'\(received.path)'\n".utf8).write(to: hook)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: hook.path)
    let (phone, watch) = (try agent("phone"), try agent("watch", "--hooks", hooks.path))
    defer {
      phone.stop()
      watch.stop()
    }
    let config = try eventually { try notices("watch").first }
    #expect(
      config?["kind"] == "config" && config?["data"]?.objectValue?["hub_url"]?.stringValue?.hasPrefix(hub.url) == true,
      "\(watch.text)")
    try drive("phone", name: "car", ago: 700)
    let started = try eventually {
      try kinds(notices("watch")) == ["config", "trip_started", "trip_active"] ? true : nil
    }
    #expect(started == true, "\(phone.text)")
    try rest("phone", name: "car", from: 700)
    let ended = try eventually { try notices("watch").count == 5 ? try notices("watch") : nil }
    #expect(kinds(ended ?? []) == ["config", "trip_started", "trip_active", "trip_ended", "trip_active"])
    #expect(ended?.compactMap { $0["seq"]?.intValue } == [1, 2, 3, 4, 5])
    let hooked = try eventually { () -> [[String: JSONValue]]? in
      let text = (try? String(contentsOf: received, encoding: .utf8)) ?? ""  // missing before the first notice
      guard text.hasSuffix("\n"), text.split(separator: "\n").count == 5 else { return nil }
      return try text.split(separator: "\n").compactMap {
        try WireJSON.decode(JSONValue.self, from: Data($0.utf8)).objectValue
      }
    }
    for name in ["seq", "from", "kind", "at"] {
      #expect(hooked?.map { $0[name] } == ended?.map { $0[name] }, "\(name) \(watch.text)")
    }
    #expect(hooked?.allSatisfy { $0["data"]?.objectValue?["token"] == nil } == true)
    let data = ended?[3]["data"]?.objectValue
    #expect(abs((data?["distance_m"]?.doubleValue ?? 0) - 9000) < 300 && data?["duration_s"] == 600)
    // The notice contains the same trip id as the record.
    try #require(try bench.trendy("sync", store: "watch").status == 0)
    let trips = try bench.trendy("trip", "list", "--json", store: "watch").document.objectValue?["trips"]?.arrayValue
    #expect(trips?.first?.objectValue?["id"] == data?["id"])
    #expect(try bench.trendy("companion", "rm", "phone", store: "watch").status == 0)
    let none = try eventually {
      try bench.trendy("companion", "status", store: "phone").output.contains("No companions") ? true : nil
    }
    #expect(none == true)
    #expect(try bench.trendy("companion", "rm", "phone", store: "watch").status == 66)
    #expect(try bench.trendy("companion", "pair", "toaster", store: "phone").status == 66)
  }

  /// Ten trips start and end while the agents and the hub are killed repeatedly.
  @Test(arguments: [1, 2]) func `it receives each notice once and in order while programs are killed`(seed: UInt64)
    throws
  {
    var generator = SeededGenerator(seed: seed)
    var hub = try TestHub(bench)
    try hub.connect("phone", "watch")
    try #require(try bench.trendy("companion", "pair", "watch", store: "phone").status == 0)
    var phone = try agent("phone")
    var watch = try agent("watch")
    defer {
      phone.kill()
      watch.kill()
      hub.kill()
    }
    let trips = 10
    for trip in 0..<trips {
      try drive("phone", name: "car \(trip)", ago: 700)
      usleep(UInt32(generator.next() % 400) * 1000)
      watch.kill()
      if trip % 3 == 0 { phone.kill() }
      if trip % 4 == 1 {
        hub.kill()
        hub = try TestHub(bench, port: hub.port)
      }
      watch = try agent("watch")
      if trip % 3 == 0 { phone = try agent("phone") }
      // The start of a trip is announced only if an agent was running at that time.
      let isTold = try eventually {
        try bench.trendy("companion", "status", "--json", store: "phone").document.objectValue?["companions"]?
          .arrayValue?.first?.objectValue?["last_seq"]?.intValue ?? 0 >= Int64(1 + trip + 1) ? true : nil
      }
      #expect(isTold == true, "\(trip): \(phone.text)")
      usleep(UInt32(generator.next() % 300) * 1000)
      watch.kill()
      watch = try agent("watch")
    }
    for trip in 0..<trips { try rest("phone", name: "car \(trip)", from: 700) }
    usleep(UInt32(generator.next() % 500) * 1000)
    phone.kill()
    phone = try agent("phone")
    let wanted = 1 + 2 * trips + 2
    let all = try eventually { try notices("watch").count >= wanted ? try notices("watch") : nil } ?? []
    #expect(all.compactMap { $0["seq"]?.intValue } == Array(1...Int64(wanted)), "\(kinds(all)) \(watch.text)")
    for kind in ["trip_started", "trip_ended"] {
      let ids = all.filter { $0["kind"]?.stringValue == kind }.compactMap {
        $0["data"]?.objectValue?["id"]?.stringValue
      }
      #expect(ids.count == trips && Set(ids).count == trips, "\(kind): \(ids)")
    }
    #expect(
      all.filter { $0["kind"] == "trip_active" }.compactMap { $0["data"]?.objectValue?["active"]?.boolValue } == [
        true, false,
      ])
    // All notices have been delivered.
    let isEmpty = try eventually {
      try bench.trendy("companion", "status", "--json", store: "phone").document.objectValue?["companions"]?
        .arrayValue?.first?.objectValue?["waiting"] == 0 ? true : nil
    }
    #expect(isEmpty == true)
  }

  @Test(.enabled(if: TestHub.isInFolder))
  func `it loses no notice when the hub is restored from an older backup`() throws {
    let hub = try TestHub(bench)
    try hub.connect("phone", "watch")
    try #require(try bench.trendy("companion", "pair", "watch", store: "phone").status == 0)
    let backup = bench.folder.appending(path: "hub.backup").path
    try #require(try bench.trendyd("hub", "backup", backup, "--data", hub.data).status == 0)
    let (phone, watch) = (try agent("phone"), try agent("watch"))
    defer {
      phone.stop()
      watch.stop()
    }
    try drive("phone", name: "car", ago: 700)
    let told = try eventually { try notices("watch").count == 3 ? true : nil }
    #expect(told == true, "\(phone.text)")
    hub.kill()
    let restored = try bench.trendyd("hub", "restore", backup, "--data", hub.data, "--yes")
    try #require(restored.status == 0, "\(restored.talk)")
    let again = try TestHub(bench, port: hub.port)
    defer { again.stop() }
    try rest("phone", name: "car", from: 700)
    let all = try eventually { try notices("watch").count >= 5 ? try notices("watch") : nil } ?? []
    #expect(all.compactMap { $0["seq"]?.intValue } == [1, 2, 3, 4, 5], "\(kinds(all)) \(phone.text)")
  }

  @Test func `it follows its tracker to another address of the same hub and to no other hub`() throws {
    let hub = try TestHub(bench)
    try hub.connect("phone", "watch")
    try #require(try bench.trendy("companion", "pair", "watch", store: "phone").status == 0)
    let watch = try agent("watch")
    defer { watch.stop() }
    _ = try eventually { try notices("watch").first }
    // Connects the phone to the same hub under a different host name.
    let account = URL(filePath: bench.store("phone")).appending(path: "account.json")
    var members = try #require(
      WireJSON.decode(JSONValue.self, from: Data(contentsOf: account)).objectValue)
    let present = try #require(members["hub"]?.stringValue)
    members["hub"] = .string(present.replacing("127.0.0.1", with: "localhost"))
    try WireJSON.encode(JSONValue.object(members)).write(to: account)
    let phone = try agent("phone")
    defer {
      phone.stop()
      hub.stop()
    }
    let moved = try eventually {
      try String(contentsOf: URL(filePath: bench.store("watch")).appending(path: "account.json"), encoding: .utf8)
        .contains("localhost") ? true : nil
    }
    #expect(moved == true, "\(phone.text)")
    try bench.trendy("log", "coffee", store: "watch")
    let synced = try eventually { try bench.trendy("sync", store: "watch").status == 0 ? true : nil }
    #expect(synced == true)
  }
}
