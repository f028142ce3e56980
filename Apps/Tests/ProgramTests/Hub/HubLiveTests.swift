import Foundation
import Testing
import TrendyModels

/// Tests the live status of a phone that posts only to the hub, as shown on a laptop without an agent.
@Suite("trip show --live without an agent", .waitsForPrograms, .timeLimit(.minutes(10)))
struct HubLiveTests {
  let bench: Workbench
  let hub: TestHub
  let phone: HubPhone

  init() throws {
    bench = try Workbench()
    hub = try TestHub(bench)
    phone = try HubPhone(bench, hub, name: "pixel")
    try hub.connect("laptop")
  }

  private func live(_ words: String...) throws -> Workbench.Result {
    try bench.run("trendy", ["trip", "show", "--live", "--store", bench.store("laptop")] + words)
  }

  @Test func `the status comes from the hub, with its source and age`() throws {
    defer { hub.stop() }
    let nothing = try live("--json")
    #expect(nothing.status == 0, "\(nothing.talk)")
    #expect(try nothing.document.objectValue?["trip"] == .null)
    #expect(try nothing.document.objectValue?["source"] == "hub")

    try phone.post(HubPhone.drive(ago: 400), to: hub)
    let shown = try live("--json")
    let document = try shown.document.objectValue
    let trip = document?["trip"]?.objectValue
    #expect(document?["source"] == "hub" && document?["hub"]?.stringValue?.hasPrefix("127.0.0.1") == true)
    #expect(trip?["device"] == "pixel" && trip?["state"] == "going")
    #expect(abs((trip?["distance_m"]?.doubleValue ?? 0) - 9000) < 300, "\(shown.output)")
    let told = try live()
    #expect(told.output.contains(" km") && told.output.contains("since"))
    #expect(
      told.talk.contains(
        "No agent is running, so this view does not update. Last known state from pixel, according to the hub 127.0.0.1"
      ),
      "\(told.talk)")
    #expect(told.talk.contains(" 6 min ago"), "\(told.talk)")
    // After its end, the trip is no longer running and is part of the record.
    try phone.post(HubPhone.rest(seconds: 400, ago: 0, at: 9000), to: hub)
    #expect(try live("--json").document.objectValue?["trip"] == .null)
  }

  @Test func `the most recent status wins, whether from the store or from the hub`() throws {
    defer { hub.stop() }
    try phone.post(HubPhone.drive(ago: 120), to: hub)
    func add(_ ago: Int) throws {
      let now = Date().timeIntervalSince1970.rounded()
      let lines = HubPhone.drive(ago: ago).map { fix in
        let time = RFC3339.string(from: Date(timeIntervalSince1970: now - Double(fix.ago)))
        return #"{"lat":\#(52 + fix.northward / 111_250),"lon":5,"time":"\#(time)","acc":5}"#
      }
      let file = bench.folder.appending(path: "own-\(ago)")
      try Data(lines.joined(separator: "\n").utf8).write(to: file)
      try #require(
        try bench.trendy("track", "add", file.path, "--device", "logger \(ago)", store: "laptop").status == 0)
    }
    try add(240)
    #expect(try live("--json").document.objectValue?["trip"]?.objectValue?["device"] == "pixel")
    try add(20)
    let own = try live("--json").document.objectValue
    #expect(own?["source"] == "store" && own?["hub"] == .null)
    #expect(own?["trip"]?.objectValue?["device"] == "logger 20")
    // If the hub cannot be reached, the status from the store is shown with a note that it may be outdated.
    hub.stop()
    let alone = try live()
    #expect(alone.status == 0 && alone.output.contains(" km"))
    #expect(alone.talk.contains("The hub did not respond") && alone.talk.contains("Last known state from logger 20"))
  }

  @Test func `an unreachable hub is an error if the store has no status`() throws {
    hub.stop()
    let asked = try live("--json")
    #expect(asked.status == 69 && asked.output == "", "\(asked.output)")
    #expect(try asked.error.objectValue?["code"] == "unreachable")
    // A store without a hub uses only its own data.
    try bench.trendy("init", store: "alone")
    let alone = try bench.trendy("trip", "show", "--live", "--json", store: "alone")
    #expect(alone.status == 0)
    #expect(try alone.document.objectValue?["source"] == "store")
  }

  @Test func `users see the live status of their own devices only`() throws {
    defer { hub.stop() }
    try phone.post(HubPhone.drive(ago: 60), to: hub)
    try #require(try bench.trendyd("user", "add", "Eve", "--data", hub.data).status == 0)
    let made = try bench.trendyd("token", "create", "hers", "--name", "Eve", "--data", hub.data, "--json")
    let token = try #require(try made.document.objectValue?["token"]?.stringValue, "\(made.talk)")
    func ask(_ method: String, _ header: String) throws -> Workbench.Result {
      try bench.shell("curl -s -w ' %{http_code}' -X \(method) -H '\(header)' \(hub.url)/api/v1/me/live")
    }
    let hers = try ask("GET", "Authorization: Bearer \(token)")
    #expect(hers.output.contains(#""trips":[]"#) && hers.output.hasSuffix(" 200"), "\(hers.output)")
    #expect(try ask("GET", "Authorization: Bearer \(phone.token)").output.contains("pixel"))
    #expect(try ask("GET", "X-None: 1").output.hasSuffix(" 401"))
    #expect(try ask("POST", "Authorization: Bearer \(token)").output.hasSuffix(" 405"))
  }
}
