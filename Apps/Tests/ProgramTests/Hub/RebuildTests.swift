import Foundation
import Testing
import TrendyModels

/// Tests rebuilding a lost hub from the stores of the user's devices.
@Suite("Rebuilding a lost hub", .waitsForPrograms, .timeLimit(.minutes(10)))
struct RebuildTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  private func sync(_ devices: String...) throws {
    for device in devices {
      let result = try bench.trendy("sync", store: device)
      try #require(result.status == 0, "\(device): \(result.talk)")
    }
  }

  private func notes(_ device: String) throws -> [String] {
    let events = try bench.trendy("list", "--limit", "0", "--json", store: device).document.objectValue?["events"]
    return (events?.arrayValue ?? []).compactMap { $0["notes"]?.stringValue }.sorted()
  }

  /// Connects two devices and records four entries, one of which is deleted and one edited.
  private func prepare(_ hub: TestHub) throws {
    try hub.connect("phone", "laptop")
    for note in ["one", "two", "three", "four"] {
      #expect(try bench.trendy("log", "coffee", "-n", note, store: "phone").status == 0)
    }
    try sync("phone", "laptop")
    #expect(try bench.trendy("rm", "@1", "--yes", store: "laptop").status == 0)
    #expect(try bench.trendy("edit", "@1", "-n", "three, edited", store: "laptop").status == 0)
    try sync("laptop", "phone")
    try bench.trendy("log", "coffee", "-n", "on the phone", store: "phone")
    try bench.trendy("log", "coffee", "-n", "on the laptop", store: "laptop")
  }

  private func rebuild(_ url: String, _ code: () throws -> String) throws {
    for device in ["phone", "laptop"] {
      let refused = try bench.trendy("connect", url, code(), store: device)
      #expect(refused.status == 77 && refused.talk.contains("connect --rebuild URL CODE"), "\(refused.talk)")
      let connected = try bench.trendy("connect", "--rebuild", url, code(), "--name", device, store: device)
      #expect(
        connected.status == 0 && connected.output.contains("Nothing pending"), "\(connected.output)\(connected.talk)")
    }
    try sync("phone", "laptop", "phone")
    let expected = ["on the laptop", "on the phone", "one", "three, edited", "two"]
    for device in ["phone", "laptop"] {
      #expect(try notes(device) == expected)
      #expect(try bench.trendy("sync", "conflicts", "--json", store: device).document["conflicts"] == [])
      #expect(try bench.trendy("type", "list", "--plain", store: device).output.split(separator: "\n").count == 5)
    }
    // The rebuilt hub has the record without the deleted entry.
    let third = try bench.trendy("connect", url, code(), store: "tablet")
    #expect(third.status == 0, "\(third.talk)")
    #expect(try notes("tablet") == expected)
  }

  @Test func `a hub set up again without a backup recovers the record without deleted entries`() throws {
    let lost = try TestHub(bench)
    try prepare(lost)
    lost.stop()
    let hub = try TestHub(bench, name: "again")
    defer { hub.stop() }
    try rebuild(hub.url) { try hub.code() }
  }

  @Test func `an erased and recreated user gets the record back from the devices`() throws {
    let hub = try TestHub(bench)
    defer { hub.stop() }
    try prepare(hub)
    func hubCommand(_ words: String...) throws -> Workbench.Result {
      try bench.run("trendyd", words + ["--data", hub.data])
    }
    let users = try hubCommand("user", "list", "--json").document["users"]?.arrayValue ?? []
    let name = try #require(users.first?["name"]?.stringValue)
    #expect(try hubCommand("user", "rm", name, "--erase", "--yes").status == 0)
    #expect(try hubCommand("user", "add", "Again").status == 0)
    try rebuild(hub.url) {
      try #require(hubCommand("pair", "--name", "Again", "--json").document["code"]?.stringValue)
    }
  }
}
