import Foundation
import Testing
import TrendyModels

@Suite("Device reports", .waitsForPrograms, .timeLimit(.minutes(10)))
struct DeviceReportTests {
  let bench: Workbench
  let hub: TestHub
  let phone: HubPhone

  init() throws {
    bench = try Workbench()
    hub = try TestHub(bench)
    phone = try HubPhone(bench, hub, name: "pixel")
    try hub.connect("laptop")
  }

  @Test func `after a sync the report contains no pending changes, a correct clock and the program's version`() throws {
    defer { hub.stop() }
    try bench.trendy("type", "add", "coffee", store: "laptop")
    try bench.trendy("log", "coffee", store: "laptop")
    try #require(try bench.trendy("sync", store: "laptop").status == 0)
    let asked = try bench.shell("curl -s -H 'Authorization: Bearer \(phone.token)' \(hub.url)/api/v1/me/devices")
    let devices = try WireJSON.decode(JSONValue.self, from: Data(asked.output.utf8)).arrayValue ?? []
    let laptop = devices.first { $0.objectValue?["name"] == "laptop" }?.objectValue
    let report = try #require(laptop?["report"]?.objectValue, "\(asked.output)")
    #expect(report["waiting"] == 0 && report["oldest_at"] == .null)
    let version = try bench.run("trendyd", ["--version"]).output.split(separator: " ").last.map(String.init) ?? ""
    #expect(report["version"]?.stringValue == version.trimmingCharacters(in: .whitespacesAndNewlines))
    #expect(abs(report["clock_ahead_s"]?.doubleValue ?? 99) < 30)
  }
}
