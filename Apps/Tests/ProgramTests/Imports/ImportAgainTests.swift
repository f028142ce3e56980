import Foundation
import Testing
import TrendyModels

/// Tests repeating an import that was undone, on a device whose hub is unreachable.
@Suite("A repeated import", .waitsForPrograms, .timeLimit(.minutes(10)))
struct ImportAgainTests {
  private let bench: Workbench

  init() throws { bench = try Workbench() }

  private func notes(_ device: String) throws -> [String] {
    try bench.trendy("list", "--limit", "0", "--plain", store: device).output.split(separator: "\n").map { line in
      let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
      return "\(columns[3]) \(columns[4])"
    }.sorted()
  }

  private func table(_ name: String, _ rows: String...) throws -> String {
    let file = bench.folder.appending(path: name)
    try Data("type,start,note,count\n\(rows.joined(separator: "\n"))\n".utf8).write(to: file)
    return file.path
  }

  @Test func `it restores all events although the delete of the first import was sent and not acknowledged`() throws {
    let hub = try TestHub(bench)
    try hub.connect("phone", "laptop")
    try bench.trendy("sync", store: "phone")
    hub.stop()
    let first = try table("first.csv", "swim,2026-11-01T08:00:00Z,a,1", "swim,2026-11-02T08:00:00Z,b,2")
    let second = try table("second.csv", "swim,2026-11-03T08:00:00Z,c,3")
    try bench.trendy("import", first, store: "phone")
    try bench.trendy("undo", store: "phone")
    #expect(try bench.trendy("sync", store: "phone").status == 69)
    try bench.trendy("import", second, store: "phone")
    #expect(try notes("phone") == ["swim c"])
    let again = try bench.trendy("import", first, store: "phone")
    #expect(again.status == 0 && again.output.contains("2 events new"), "\(again.output)")
    #expect(try notes("phone") == ["swim a", "swim b", "swim c"])
    #expect(try bench.trendy("doctor", "--json", store: "phone").status == 0)

    let restarted = try TestHub(bench, port: hub.port)
    for device in ["phone", "laptop", "phone"] {
      let synced = try bench.trendy("sync", "--json", store: device)
      #expect(try synced.status == 0 && synced.document.objectValue?["conflicts"] == 0, "\(synced.output)")
    }
    for device in ["phone", "laptop"] {
      #expect(try notes(device) == ["swim a", "swim b", "swim c"], "\(device)")
      #expect(try bench.trendy("doctor", store: device).status == 0)
    }
    restarted.stop()
  }

  @Test func `an import that was undone on one device can be repeated on another, with the hub`() throws {
    let hub = try TestHub(bench)
    try hub.connect("phone", "laptop")
    func sync(_ devices: String...) throws {
      for device in devices { #expect(try bench.trendy("sync", store: device).status == 0, "\(device)") }
    }
    let file = try table(
      "swims.csv", "swim,2026-11-01T08:00:00Z,a,1", "swim,2026-11-02T08:00:00Z,b,2", "swim,2026-11-03T08:00:00Z,c,3")
    try bench.trendy("import", file, store: "phone")
    try sync("phone", "laptop")
    // Repeating the import must not restore an event that the user has deleted.
    let id = try #require(
      bench.trendy("list", "--grep", "c", "--plain", store: "laptop").output.split(separator: "\t").first)
    try bench.trendy("rm", String(id), "--yes", store: "laptop")
    try sync("laptop", "phone")
    try bench.trendy("undo", store: "phone")
    try sync("phone", "laptop")
    #expect(try notes("laptop").isEmpty)

    let again = try bench.trendy("import", file, store: "laptop")
    #expect(
      again.status == 0 && again.output.contains("2 events, 1 event type, 1 property new"),
      "\(again.output)\(again.talk)")
    try sync("laptop", "phone", "laptop")
    for device in ["phone", "laptop"] {
      #expect(try notes(device) == ["swim a", "swim b"], "\(device)")
      #expect(try bench.trendy("doctor", store: device).status == 0)
    }
    // After the user deletes an event on the device that repeated the import, importing the file on the device that
    // undid the import must not restore the event.
    let other = try #require(
      bench.trendy("list", "--grep", "b", "--plain", store: "laptop").output.split(separator: "\t").first)
    try bench.trendy("rm", String(other), "--yes", store: "laptop")
    try sync("laptop", "phone")
    try bench.trendy("import", file, store: "phone")
    #expect(try notes("phone") == ["swim a"])
    hub.stop()
  }
}
