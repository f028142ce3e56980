import Foundation
import Testing
import TrendyHub
import TrendyModels
import TrendyTesting

/// A device's report is shown on the user's other devices and has no other effect.
@Suite("Device reports", .timeLimit(.minutes(5)))
struct DeviceReportTests {
  private let hub: TestHub

  init() throws { hub = try TestHub() }

  private func report(_ id: String) async throws -> JSONValue {
    let devices = try await hub.send("GET", "/me/devices").json.arrayValue ?? []
    return devices.first { $0["id"] == .string(id) }?["report"] ?? .null
  }

  @Test func `other devices see pending changes, their age, the clock offset and the version`() async throws {
    let (token, laptop) = try hub.server.accounts.createToken(user: hub.user.id, deviceName: "laptop")
    func ask(_ header: String?) async throws {
      let headers = header.map { [("Trendy-Device", $0)] } ?? []
      #expect(try await hub.send("GET", "/events", headers: headers, token: token).status == 200)
    }
    try await ask(nil)
    #expect(try await report(laptop.id).isNull, "an older one says nothing")
    try await ask(#"version="1.2.0", waiting=3, oldest=1704067170000, now=1704067200400, later=1"#)
    #expect(
      try await report(laptop.id) == [
        "version": "1.2.0", "waiting": 3, "oldest_at": "2023-12-31T23:59:30.000Z", "clock_ahead_s": 0.4,
        "at": "2024-01-01T00:00:00.000Z",
      ])
    // A request without a report, such as one for the stream, keeps the previous report.
    try await ask(nil)
    #expect(try await report(laptop.id)["waiting"] == 3)
    try await ask("waiting=0")
    #expect(try await report(laptop.id)["waiting"] == 0)
    #expect(try await report(laptop.id)["oldest_at"].isNull)
    // A device does not receive its own report.
    _ = try await hub.send("GET", "/events", headers: [("Trendy-Device", "waiting=1")])
    let own = try await hub.send("GET", "/me/devices").json.arrayValue?.first { $0["current"] == true }
    #expect(own?["report"].isNull == true)
  }

  @Test(arguments: [
    "", "waiting", "waiting=", "waiting=-1", "waiting=many", "waiting=99999999999999999999", "version=1.2.0",
    "version=\"\"", "version=\"a\\\"b\"", "version=\"\(String(repeating: "x", count: 41))\"", "=3", ",,,",
    "now=\"now\"",
  ]) func `an invalid report is ignored, and the request is answered`(header: String) async throws {
    let (token, laptop) = try hub.server.accounts.createToken(user: hub.user.id, deviceName: "laptop")
    let answer = try await hub.send("GET", "/events", headers: [("Trendy-Device", header)], token: token)
    #expect(answer.status == 200)
    #expect(try await report(laptop.id).isNull)
  }
}
