import Foundation
import Testing
import TrendyModels

/// Tests that importing a file on a device and on the hub's dashboard has the same result.
@Suite("Imports on a device and at the hub", .waitsForPrograms, .timeLimit(.minutes(10)))
struct HubImportTests {
  private let bench: Workbench
  private let hub: TestHub
  private let browser: HubPhone

  init() throws {
    bench = try Workbench()
    hub = try TestHub(bench)
    browser = try HubPhone(bench, hub, name: "browser")
    try bench.trendy("init", store: "laptop")
    let connected = try bench.trendy("connect", hub.url, hub.code(), "--name", "laptop", store: "laptop")
    try #require(connected.status == 0, "\(connected.talk)")
  }

  private func file(_ name: String, _ text: String) throws -> String {
    let url = bench.folder.appending(path: name)
    try Data(text.utf8).write(to: url)
    return url.path
  }

  @discardableResult
  private func ask(_ words: String) throws -> [String: JSONValue] {
    let result = try bench.shell("curl -s --fail-with-body -H 'Authorization: Bearer \(browser.token)' \(words)")
    try #require(result.status == 0, "\(result.output)")
    return try WireJSON.decode(JSONValue.self, from: Data(result.output.utf8)).objectValue ?? [:]
  }

  /// Imports a file through the API that the dashboard uses.
  private func bringIn(_ path: String, as id: String) throws -> [String: JSONValue] {
    let imports = "\(hub.url)/api/v1/imports"
    let size = try #require(
      FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    let name = URL(filePath: path).lastPathComponent
    try ask("-d '{\"id\":\"\(id)\",\"name\":\"\(name)\",\"size\":\(size)}' \(imports)")
    try ask("-T '\(path)' '\(imports)/\(id)/content?offset=0'")
    try ask("-d '{\"zone\":\"UTC\"}' \(imports)/\(id)/commit")
    return try #require(
      try eventually {
        let state = try ask("\(imports)/\(id)")
        return state["state"] == "writing" ? nil : state
      })
  }

  @Test func `a table imported again in another time zone is rejected on the device and at the hub unless confirmed`()
    throws
  {
    defer { hub.stop() }
    let path = try file("gym.csv", "type,start,note\nGym,2026-11-01 08:00,a\nGym,2026-11-02 08:00,b\n")
    #expect(try bench.trendy("import", path, "--zone", "Europe/Paris", store: "laptop").status == 0)
    let preview = try bench.trendy(
      "import", path, "--zone", "America/New_York", "--dry-run", "--json", store: "laptop")
    #expect(try preview.document.objectValue?["other_zone"] == "Europe/Paris", "\(preview.talk)")
    let refused = try bench.trendy("import", path, "--zone", "America/New_York", store: "laptop")
    #expect(refused.status == 77 && refused.talk.contains("Europe/Paris") && refused.talk.contains("--other-zone"))
    let accepted = try bench.trendy(
      "import", path, "--zone", "America/New_York", "--other-zone", store: "laptop")
    #expect(accepted.status == 0 && accepted.output.contains("2 events new"), "\(accepted.talk)")

    let imports = "\(hub.url)/api/v1/imports"
    _ = try bringIn(path, as: "first")
    func again(_ id: String, _ step: String, _ body: String) throws -> [String: JSONValue] {
      let size = try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
      try ask("-d '{\"id\":\"\(id)\",\"name\":\"gym.csv\",\"size\":\(size)}' \(imports)")
      try ask("-T '\(path)' '\(imports)/\(id)/content?offset=0'")
      try ask("-d '\(body)' \(imports)/\(id)/\(step)")
      return try #require(
        try eventually {
          let state = try ask("\(imports)/\(id)")
          return state["state"] == "writing" || state["state"] == "reading" ? nil : state
        })
    }
    let seen = try again("second", "preview", #"{"zone":"Asia/Tokyo"}"#)
    #expect(seen["preview"]?.objectValue?["other_zone"] == "UTC", "\(seen)")
    let failed = try again("third", "commit", #"{"zone":"Asia/Tokyo"}"#)
    #expect(failed["problem"]?.objectValue?["type"] == "urn:trendy:error:other_zone", "\(failed)")
    let taken = try again("fourth", "commit", #"{"zone":"Asia/Tokyo","other_zone":true}"#)
    #expect(taken["state"] == "done" && taken["result"]?.objectValue?["new"]?.objectValue?["event"] == 2, "\(taken)")
  }

  private func sync() throws {
    let synced = try bench.trendy("sync", store: "laptop")
    try #require(synced.status == 0, "\(synced.talk)")
  }

  private func importHere(_ path: String) throws -> [String: JSONValue] {
    let result = try bench.trendy("import", path, "--json", "--utc", store: "laptop")
    return try #require(try result.document.objectValue, "\(result.talk)")
  }

  private static let calendar = """
    BEGIN:VCALENDAR\r
    VERSION:2.0\r
    BEGIN:VEVENT\r
    UID:one\r
    DTSTART:20260301T090000\r
    DTEND:20260301T100000\r
    SUMMARY:Dentist\r
    END:VEVENT\r
    BEGIN:VEVENT\r
    UID:two\r
    DTSTART:20260302T090000\r
    RRULE:FREQ=DAILY;COUNT=5\r
    SUMMARY:Gym session\r
    END:VEVENT\r
    END:VCALENDAR\r

    """

  private static let table = """
    date,type,note,cups
    2026-03-01 08:00,Coffee,oat,2
    2026-03-01 08:00,Coffee,oat,2
    2026-03-02 09:00,Tea,,1

    """

  @Test("a second import on the other side adds nothing", arguments: [true, false])
  func once(isHubFirst: Bool) throws {
    defer { hub.stop() }
    for (name, text, count) in [("days.ics", Self.calendar, 6), ("cups.csv", Self.table, 3)] {
      let path = try file(name, text)
      let bringing = { try bringIn(path, as: name) }
      if isHubFirst {
        let first = try bringing()["result"]?.objectValue
        #expect(first?["new"]?.objectValue?["event"] == .int(Int64(count)), "\(name)")
        try sync()
        let second = try importHere(path)
        #expect(second["new"] == [:] && second["known"]?.intValue ?? 0 >= count, "\(name): \(second)")
      } else {
        let first = try importHere(path)
        #expect(first["new"]?.objectValue?["event"] == .int(Int64(count)), "\(name)")
        try sync()
        let second = try bringing()["result"]?.objectValue
        #expect(second?["new"] == [:] && second?["known"]?.intValue ?? 0 >= count, "\(name)")
      }
    }
    try sync()
    let here = try bench.trendy("list", "--limit", "0", "--plain", store: "laptop").output.split(separator: "\n").count
    #expect(here == 9)
  }

  @Test func `imports on both sides before the first sync merge into one`() throws {
    defer { hub.stop() }
    let path = try file("days.ics", Self.calendar)
    #expect(try importHere(path)["new"]?.objectValue?["event"] == 6)
    #expect(try bringIn(path, as: "i")["result"]?.objectValue?["new"]?.objectValue?["event"] == 6)
    try sync()
    let here = try bench.trendy("list", "--limit", "0", "--plain", store: "laptop").output.split(separator: "\n").count
    #expect(here == 6)
    // A track imported on the device and at the hub also becomes only one trip.
    let track = Samples.drive.path
    #expect(try bringIn(track, as: "t")["result"]?.objectValue?["new"]?.objectValue?["event"] == 1)
    _ = try bench.trendy("import", track, "--json", store: "laptop")
    try sync()
    let trips = try bench.trendy("list", "--type", "Trip", "--limit", "0", "--plain", store: "laptop").output
    #expect(trips.split(separator: "\n").count == 1, "\(trips)")
  }
}
