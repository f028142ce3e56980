import Foundation
import Testing
import TrendyModels

/// Tests `trendyd user limit`, and the error on a device whose user has exhausted the quota.
@Suite("User quotas", .waitsForPrograms, .timeLimit(.minutes(10)))
struct QuotaTests {
  let bench: Workbench
  let hub: TestHub

  init() throws {
    bench = try Workbench()
    hub = try TestHub(bench)
    try hub.connect("phone", "laptop")
    for device in ["phone", "laptop"] { try #require(try bench.trendy("sync", store: device).status == 0) }
  }

  private func user(_ words: String...) throws -> Workbench.Result {
    try bench.run("trendyd", ["user"] + words + ["--json"] + ["--data", hub.data])
  }

  private func user() throws -> [String: JSONValue] {
    try #require(try user("list").document.objectValue?["users"]?.arrayValue?.first?.objectValue)
  }

  private func waiting(_ device: String) throws -> Int64? {
    try bench.trendy("sync", "status", "--json", store: device).document.objectValue?["sync"]?.objectValue?["waiting"]?
      .intValue
  }

  @Test func `a change beyond the quota stays pending with an error until a deletion frees space`() throws {
    defer { hub.stop() }
    let name = try #require(try user()["name"]?.stringValue)
    try #require(try bench.trendy("log", "coffee", "1", store: "phone").status == 0)
    try #require(try bench.trendy("sync", store: "phone").status == 0)
    try #require(try bench.trendy("sync", store: "laptop").status == 0)
    let rows = try #require(try user()["rows"]?.intValue)
    #expect(try user("limit", name, "--rows", "\(rows)").status == 0)
    #expect(try user()["rows_limit"] == .int(rows))

    try #require(try bench.trendy("log", "coffee", "2", store: "phone").status == 0)
    for _ in 1...2 {
      let refused = try bench.trendy("sync", store: "phone")
      #expect(refused.status != 0)
      #expect(refused.talk.contains("limit of \(rows) entries"), "\(refused.talk)")
      #expect(try waiting("phone") == 1)
    }
    #expect(try user()["rows"] == .int(rows))

    // After the other device has deleted an entry, the pending change fits into the quota.
    try #require(try bench.trendy("rm", "@1", store: "laptop").status == 0)
    try #require(try bench.trendy("sync", store: "laptop").status == 0)
    let sent = try bench.trendy("sync", store: "phone")
    #expect(sent.status == 0, "\(sent.talk)")
    #expect(try waiting("phone") == 0)
    try #require(try bench.trendy("sync", store: "laptop").status == 0)
    #expect(
      try bench.trendy("list", "--plain", store: "laptop").output
        == bench.trendy("list", "--plain", store: "phone").output)
    #expect(try bench.trendy("list", "--plain", store: "laptop").output.split(separator: "\n").count == 1)
  }

  @Test func `entries recorded and deleted offline fit into a full quota`() throws {
    defer { hub.stop() }
    let name = try #require(try user()["name"]?.stringValue)
    // Records 60 entries, more than fit into one push, both before and after the quota is reached.
    let numbers = (0..<60).map { "\($0)" }
    for number in numbers { try #require(try bench.trendy("log", "coffee", number, store: "phone").status == 0) }
    try #require(try bench.trendy("sync", store: "phone").status == 0)
    let rows = try #require(try user()["rows"]?.intValue)
    #expect(try user("limit", name, "--rows", "\(rows)").status == 0)
    for number in numbers { try #require(try bench.trendy("log", "coffee", "1\(number)", store: "phone").status == 0) }
    for _ in numbers { try #require(try bench.trendy("rm", "@61", store: "phone").status == 0) }
    let sent = try bench.trendy("sync", store: "phone")
    #expect(sent.status == 0, "\(sent.talk)")
    #expect(try waiting("phone") == 0)
    #expect(try user()["rows"] == .int(rows))
  }

  @Test func `a limit is shown and removed, and an invalid one is rejected`() throws {
    defer { hub.stop() }
    let name = try #require(try user()["name"]?.stringValue)
    #expect(try user("limit", name, "--bytes", "100000", "--rows", "500").status == 0)
    let list = try bench.run("trendyd", ["user", "list"] + ["--data", hub.data])
    #expect(list.output.contains("limit 500 entries, limit 100000 bytes"), "\(list.output)")
    #expect(try user("limit", name).document.objectValue?["bytes_limit"] == 100_000)
    #expect(try user("limit", name, "--bytes", "none", "--rows", "default").status == 0)
    #expect(try user()["rows_limit"] == .null && user()["bytes_limit"] == .null)
    let wrong = try user("limit", name, "--rows", "many")
    #expect(wrong.status == 64 && wrong.talk.contains("none or default"), "\(wrong.talk)")
    #expect(try user("limit", "Nobody", "--rows", "5").status != 0)
  }

  @Test func `a hub can start with a limit for every user`() throws {
    hub.stop()
    let wrong = try bench.trendyd("hub", "init", "--data", bench.store("other"), "--limit", "personRows=many")
    #expect(wrong.status == 64 && wrong.talk.contains("personRows=many"), "\(wrong.talk)")
    let made = try bench.trendyd("hub", "init", "--data", bench.store("other"), "--limit", "personRows=7")
    #expect(made.status == 0, "\(made.talk)")
    let list = try bench.trendyd("user", "list", "--data", bench.store("other"))
    #expect(list.output.contains("limit 7 entries"), "\(list.output)")
  }
}
