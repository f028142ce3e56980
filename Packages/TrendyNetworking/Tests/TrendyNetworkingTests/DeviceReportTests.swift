import Foundation
import Testing
import TrendyModels
import TrendyNetworking
import TrendyTesting

@Suite("DeviceReport", .timeLimit(.minutes(5)))
struct DeviceReportTests {
  private func header(_ report: DeviceReport?) async throws -> String? {
    let server = ScriptedServer([.answer(200, "[]")])
    defer { server.stop() }
    let client = try APIClient(
      baseURL: server.baseURL, token: { "secret" }, clock: ManualClock(), report: { report })
    _ = try await client.getEventTypes()
    return server.requests.first?.headers["trendy-device"]
  }

  @Test func `each request contains the number of pending mutations and the age of the oldest`() async throws {
    let oldest = Date(timeIntervalSince1970: 1_704_067_170.25)
    #expect(
      try await header(DeviceReport(version: "1.2.0", waiting: 3, oldest: oldest))
        == #"version="1.2.0", waiting=3, oldest=1704067170250, now=1704067200000"#)
    #expect(
      try await header(DeviceReport(version: "1.2.0", waiting: 0)) == #"version="1.2.0", waiting=0, now=1704067200000"#)
    #expect(try await header(nil) == nil)
  }

  @Test func `a version cannot inject a header field`() async throws {
    let long = "1\r\nX-Evil: \"1\\" + String(repeating: "0", count: 60)
    let value = try #require(try await header(DeviceReport(version: long, waiting: 0)))
    #expect(value.hasPrefix("version=\"1X-Evil: 10000") && value.hasSuffix(", waiting=0, now=1704067200000"))
    #expect(value.count < 90)
  }
}
