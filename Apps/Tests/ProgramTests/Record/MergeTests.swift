import Foundation
import Testing
import TrendyModels

/// Tests merging event types and places while another device is using them, and merging types with the same name.
@Suite("Merged types", .waitsForPrograms, .timeLimit(.minutes(10)))
struct MergeTests {
  private let bench: Workbench
  private let hub: TestHub

  init() throws {
    bench = try Workbench()
    hub = try TestHub(bench)
    try hub.connect("phone", "laptop")
  }

  private func sync(_ devices: String...) throws {
    for device in devices {
      let result = try bench.trendy("sync", store: device)
      try #require(result.status == 0, "\(device): \(result.talk)")
    }
  }

  /// Returns the type and note of each event, sorted.
  private func rows(_ device: String) throws -> [String] {
    try bench.trendy("list", "--limit", "0", "--json", store: device).document["events"]?.arrayValue?.map {
      "\($0["event_type"]?["name"]?.stringValue ?? "?") \($0["notes"]?.stringValue ?? "")"
    }.sorted() ?? []
  }

  private func typeCount(_ name: String, _ device: String) throws -> Int {
    try bench.trendy("type", "list", "--plain", store: device).output.split(separator: "\n")
      .filter { $0.contains("\t\(name)\t") }.count
  }

  private func isClean(_ device: String) throws -> Bool {
    let conflicts = try bench.trendy("sync", "conflicts", "--json", store: device).document["conflicts"]?.arrayValue
    return try conflicts?.isEmpty == true && bench.trendy("doctor", store: device).status == 0
  }

  @Test("events that another device records under a merged type move to the remaining type", arguments: [true, false])
  func forwards(mergeIsFirst: Bool) throws {
    for name in ["kaffee", "espresso"] {
      try bench.trendy("log", name, "--create", "-n", "shared \(name)", store: "phone")
    }
    try sync("phone", "laptop")
    // Both devices make changes while offline.
    #expect(try bench.trendy("type", "merge", "kaffee", "coffee", "--yes", store: "phone").status == 0)
    #expect(try bench.trendy("log", "kaffee", "-n", "laptop's", store: "laptop").status == 0)
    #expect(try bench.trendy("skip", "kaffee", "--from", "2026-11-02", store: "laptop").status == 0)
    let order = mergeIsFirst ? ["phone", "laptop"] : ["laptop", "phone"]
    try sync(order[0])
    try sync(order[1])
    try sync("phone", "laptop")
    let expected = ["coffee laptop's", "coffee shared kaffee", "espresso shared espresso"]
    for device in ["phone", "laptop"] {
      #expect(try rows(device) == expected, "\(device)")
      #expect(try typeCount("kaffee", device) == 0 && isClean(device), "\(device)")
    }
    #expect(try bench.trendy("skip", "--plain", store: "phone").output.contains("coffee"))
    // After the merge is undone, the type has the events that the merge had moved.
    #expect(try bench.trendy("undo", store: "phone").status == 0)
    try sync("phone", "laptop")
    let parted = ["coffee laptop's", "espresso shared espresso", "kaffee shared kaffee"]
    for device in ["phone", "laptop"] { #expect(try rows(device) == parted, "\(device)") }
    // After the merge is redone, events recorded in the meantime also belong to the remaining type.
    #expect(try bench.trendy("log", "kaffee", "-n", "late", store: "laptop").status == 0)
    #expect(try bench.trendy("redo", store: "phone").status == 0)
    try sync("phone", "laptop", "phone")
    for device in ["phone", "laptop"] { #expect(try rows(device).contains("coffee late"), "\(device)") }
  }

  @Test func `two types with the same name are ambiguous until they are merged`() throws {
    for device in ["phone", "laptop"] {
      #expect(try bench.trendy("log", "walk", "--create", "-n", device, store: device).status == 0)
    }
    try sync("phone", "laptop", "phone")
    #expect(try typeCount("walk", "phone") == 2)
    #expect(try bench.trendy("type", "list", store: "phone").talk.contains("trendy type merge walk walk"))
    let asked = try bench.trendy("log", "walk", store: "phone")
    #expect(asked.status == 64 && asked.talk.contains("trendy type merge walk walk"), "\(asked.talk)")
    let id = try #require(asked.talk.firstMatch(of: #/named 'walk': ([0-9a-f-]+), /#)?.1)
    #expect(try bench.trendy("log", String(id), "-n", "by id", store: "phone").status == 0)
    #expect(try bench.trendy("type", "rm", "walk", "--yes", store: "phone").status == 64)
    #expect(try bench.trendy("list", "walk", "--plain", store: "phone").output.split(separator: "\n").count == 3)
    #expect(try bench.trendy("rm", "--type", "walk", "--grep", "by id", "--yes", store: "phone").status == 0)
    #expect(try bench.trendy("type", "merge", "walk", "walk", "--yes", store: "phone").status == 0)
    try bench.trendy("log", "walk", "-n", "one type", store: "phone")
    try sync("phone", "laptop")
    for device in ["phone", "laptop"] {
      #expect(try rows(device) == ["walk laptop", "walk one type", "walk phone"], "\(device)")
      #expect(try typeCount("walk", device) == 1 && isClean(device))
    }
    #expect(try bench.trendy("type", "merge", "walk", "walk", "--yes", store: "phone").status == 64)
    #expect(try bench.trendy("rm", "--type", "walk", "--yes", store: "phone").status == 0)
    #expect(try rows("phone").isEmpty)
  }

  @Test func `both devices merge the two types`() throws {
    for device in ["phone", "laptop"] { try bench.trendy("log", "walk", "--create", "-n", device, store: device) }
    try sync("phone", "laptop", "phone")
    for device in ["phone", "laptop"] {
      #expect(try bench.trendy("type", "merge", "walk", "walk", "--yes", store: device).status == 0)
      try bench.trendy("log", "walk", "-n", "\(device) later", store: device)
    }
    try sync("phone", "laptop", "phone", "laptop")
    for device in ["phone", "laptop"] {
      #expect(try rows(device) == ["walk laptop", "walk laptop later", "walk phone", "walk phone later"], "\(device)")
      #expect(try typeCount("walk", device) == 1, "\(device)")
    }
  }

  @Test func `types that are merged into each other keep all entries`() throws {
    for name in ["tea", "chai"] { try bench.trendy("log", name, "--create", "-n", name, store: "phone") }
    try sync("phone", "laptop")
    #expect(try bench.trendy("type", "merge", "tea", "chai", "--yes", store: "phone").status == 0)
    #expect(try bench.trendy("type", "merge", "chai", "tea", "--yes", store: "laptop").status == 0)
    try sync("phone", "laptop", "phone", "laptop")
    for device in ["phone", "laptop"] { #expect(try rows(device) == ["chai chai", "chai tea"], "\(device)") }
  }

  @Test func `two places with the same name are ambiguous until they are merged`() throws {
    for device in ["phone", "laptop"] {
      #expect(try bench.trendy("place", "add", "home", "51.92,4.36", store: device).status == 0)
      #expect(try bench.trendy("log", "coffee", "--place", "home", "-n", device, store: device).status == 0)
    }
    try sync("phone", "laptop", "phone")
    #expect(try bench.trendy("place", "list", store: "phone").talk.contains("trendy place merge home home"))
    #expect(try bench.trendy("place", "rm", "home", store: "phone").status == 64)
    #expect(try bench.trendy("log", "coffee", "--place", "home", store: "phone").status == 64)
    #expect(try bench.trendy("place", "merge", "home", "home", store: "phone").status == 0)
    #expect(try bench.trendy("place", "merge", "home", "home", store: "phone").status == 64)
    // A position denotes the place that contains it.
    #expect(try bench.trendy("place", "merge", "home", "51.92,4.36", store: "phone").status == 64)
    #expect(try bench.trendy("place", "merge", "51.92,4.36", "home", store: "phone").status == 64)
    try sync("phone", "laptop")
    let places = try bench.trendy("place", "list", "--plain", store: "laptop").output.split(separator: "\n")
    #expect(places.count == 1)
    let id = places[0].split(separator: "\t")[0]
    let events = try bench.trendy("list", "coffee", "--json", store: "laptop").document["events"]?.arrayValue ?? []
    #expect(events.count == 2 && events.allSatisfy { $0["geofence_id"]?.stringValue == String(id) }, "\(events)")
    try bench.trendy("undo", store: "phone")
    #expect(try bench.trendy("place", "list", "--plain", store: "phone").output.split(separator: "\n").count == 2)
  }
}
