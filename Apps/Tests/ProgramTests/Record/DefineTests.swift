import Foundation
import Testing
import TrendyModels

/// Tests editing, merging, deleting and restoring event types, properties and places.
@Suite("Types and places", .waitsForPrograms, .timeLimit(.minutes(10)))
struct DefineTests {
  private let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.trendy("init")
  }

  private func types(_ store: String = "store") throws -> [String] {
    try bench.trendy("type", "list", "--plain", store: store).output.split(separator: "\n").map {
      String($0.split(separator: "\t")[1])
    }.sorted()
  }

  private func events(_ store: String = "store") throws -> Set<String> {
    Set(
      try bench.trendy("list", "--limit", "0", "--plain", store: store).output.split(separator: "\n").map(String.init))
  }

  @Test func `a type can be shown, renamed and restyled, and undo restores it`() throws {
    try bench.trendy("log", "coffee", "2")
    let shown = try bench.trendy("type", "show", "coffee").output
    #expect(shown.hasPrefix("☕ coffee  #7B4F2E  1 event  "), "\(shown)")
    #expect(shown.contains("\n  count  number  Cups\n  size   select  (small, large)  Cup size\n"), "\(shown)")
    try bench.trendy("type", "edit", "coffee", "--name", "espresso", "--color", "#112233", "--icon", "E")
    #expect(try bench.trendy("list").output.contains("espresso  count 2"))
    #expect(try bench.trendy("type", "show", "espresso").output.hasPrefix("E espresso  #112233"))
    try bench.trendy("undo")
    // Phone apps use symbol names as icons, which text output cannot display.
    try bench.trendy("type", "edit", "coffee", "--icon", "cup.and.saucer")
    #expect(try bench.trendy("type", "list").output.contains("• coffee  count"))
    #expect(try bench.trendy("type", "show", "coffee").output.hasPrefix("• coffee  #7B4F2E"))
    try bench.trendy("undo")
    #expect(try types() == ["coffee", "journal", "medication", "mood", "workout"])
    let taken = try bench.trendy("type", "edit", "coffee", "--name", "Mood")
    #expect(taken.status == 64 && taken.talk.contains("trendy type merge coffee Mood"), "\(taken.talk)")
    #expect(try bench.trendy("type", "edit", "coffee").status == 64)
    #expect(try bench.trendy("type", "edit", "coffee", "--name", "a=b").status == 64)
    #expect(try bench.trendy("type", "show", "tea").status == 66)
  }

  @Test func `merging two types moves the events with their properties`() throws {
    try bench.trendy("type", "add", "kaffee")
    try bench.trendy("type", "prop", "add", "kaffee", "count", "--kind", "number")
    try bench.trendy("type", "prop", "add", "kaffee", "milk", "--kind", "boolean")
    try bench.trendy("log", "kaffee", "3", "milk=yes", "--at", "2026-11-01 8:00")
    try bench.trendy("log", "coffee", "1", "--at", "2026-11-02 8:00")
    let before = try events()
    let asked = try bench.trendy("type", "merge", "kaffee", "coffee")
    #expect(asked.status == 64 && asked.talk.contains("Move 1 event to 'coffee'"), "\(asked.talk)")
    #expect(try events() == before)
    let merged = try bench.trendy("type", "merge", "kaffee", "coffee", "--yes")
    #expect(merged.status == 0, "\(merged.talk)")
    #expect(try types() == ["coffee", "journal", "medication", "mood", "workout"])
    #expect(try bench.trendy("list").output.contains("coffee  count 3  milk yes"))
    #expect(try bench.trendy("type", "show", "coffee").output.contains("milk   boolean"))
    #expect(try bench.trendy("undo").status == 0)
    #expect(try events() == before)
    #expect(try bench.trendy("type", "show", "kaffee").output.contains("milk"))
    #expect(try !bench.trendy("type", "show", "coffee").output.contains("milk"))
    #expect(try bench.trendy("redo").status == 0)
    #expect(try types() == ["coffee", "journal", "medication", "mood", "workout"])
    try bench.trendy("type", "add", "tea")
    try bench.trendy("type", "prop", "add", "tea", "count", "--kind", "text")
    #expect(try bench.trendy("type", "merge", "tea", "coffee", "--yes").status == 77)
    #expect(try bench.trendy("type", "merge", "coffee", "coffee", "--yes").status == 64)
  }

  @Test func `skips and place rules of a merged type move to the remaining type`() throws {
    try bench.trendy("type", "add", "kaffee")
    try bench.trendy("skip", "kaffee", "--from", "2026-11-02", "--to", "2026-11-04", "-n", "flu")
    try bench.trendy("skip", "coffee", "--from", "2026-11-03")
    try bench.trendy("place", "add", "bar", "52.1,4.3", "--enter", "kaffee", "--exit", "kaffee")
    let before = try (bench.trendy("skip", "--plain").output, bench.trendy("place", "show", "bar").output)
    try bench.trendy("type", "merge", "kaffee", "coffee", "--yes")
    let skips = try bench.trendy("skip", "--plain").output.split(separator: "\n").map {
      $0.split(separator: "\t", omittingEmptySubsequences: false).dropFirst().joined(separator: " ")
    }
    #expect(skips == ["coffee 2026-11-02 2026-11-04 flu", "coffee 2026-11-03 2026-11-03 "])
    let place = try bench.trendy("place", "show", "bar").output
    #expect(place.contains("entry     records coffee\n") && place.contains("exit      records coffee\n"), "\(place)")
    try bench.trendy("undo")
    #expect(try bench.trendy("skip", "--plain").output == before.0)
    #expect(try bench.trendy("place", "show", "bar").output == before.1)
  }

  @Test func `the goal of a merged type moves to the remaining type unless that one has a goal`() throws {
    func shown(_ type: String, _ goal: String) throws -> Bool {
      try bench.trendy("type", "show", type).output.contains("goal \(goal)")
    }
    try bench.trendy("type", "add", "kaffee", "--goal", "at most 2/day")
    try bench.trendy("type", "add", "tea", "--goal", "3 a week")
    let merged = try bench.trendy("type", "merge", "kaffee", "coffee", "--yes")
    #expect(merged.output.contains("goal at most 2/day"), "\(merged.output)")
    #expect(try shown("coffee", "at most 2/day"))
    try bench.trendy("undo")
    #expect(try !shown("coffee", "") && shown("kaffee", "at most 2/day"))
    try bench.trendy("type", "merge", "kaffee", "tea", "--yes")
    #expect(try shown("tea", "3/week"))
  }

  @Test func `deleting a type deletes its events, and undo restores both`() throws {
    for day in 1...3 { try bench.trendy("log", "coffee", "2", "--at", "2026-11-0\(day) 8:00") }
    try bench.trendy("log", "mood", "4")
    let before = try events()
    #expect(try bench.trendy("type", "rm", "coffee").status == 64)
    #expect(try events() == before)
    #expect(
      try bench.trendy("type", "rm", "coffee", "--yes").output
        == "Deleted: coffee with 3 events. Undo with: trendy undo\n")
    #expect(try events().count == 1)
    #expect(try bench.trendy("undo").status == 0)
    #expect(try events() == before)
    #expect(try bench.trendy("type", "show", "coffee").output.contains("size"))
    // Deleting an event type without events requires no confirmation.
    #expect(try bench.trendy("type", "rm", "journal").status == 0)
    #expect(try bench.trendy("doctor").status == 0)
  }

  @Test func `a property can be edited and deleted, and renaming its key updates the events`() throws {
    try bench.trendy("log", "coffee", "2", "size=large")
    let edited = try bench.trendy(
      "type", "prop", "edit", "coffee", "size", "--key", "cup", "--options", "small,large,huge", "--default", "small")
    #expect(
      edited.output.contains("Renamed the key in 1 event.") && edited.output.contains("default small"),
      "\(edited.output)")
    #expect(try bench.trendy("list", "--plain").output.contains("cup=large"))
    #expect(try bench.trendy("log", "coffee", "cup=huge").status == 0)
    #expect(try bench.trendy("type", "prop", "edit", "coffee", "cup", "--no-default").status == 0)
    #expect(try bench.trendy("log", "coffee", "size=huge").status == 64)
    #expect(try bench.trendy("type", "prop", "edit", "coffee", "cup", "--key", "Count").status == 64)
    #expect(try bench.trendy("type", "prop", "edit", "coffee", "cap").talk.contains("Did you mean 'cup'?"))
    #expect(try bench.trendy("type", "prop", "rm", "coffee", "cup").status == 0)
    #expect(try bench.trendy("list", "--plain").output.contains("cup=large"))
    #expect(try bench.trendy("log", "coffee", "cup=huge").status == 64)
    try bench.trendy("undo")
    #expect(try bench.trendy("log", "coffee", "cup=huge").status == 0)
  }

  @Test func `role and colour of a place sync to other devices, also when they are set later`() throws {
    let hub = try TestHub(bench)
    for store in ["store", "other"] {
      if store != "store" { try bench.trendy("init", store: store) }
      #expect(try bench.trendy("connect", hub.url, hub.code(), store: store).status == 0)
    }
    func place(_ store: String) throws -> [String: JSONValue] {
      try bench.trendy("sync")
      try bench.trendy("sync", store: "other")
      return try #require(
        bench.trendy("place", "show", "home", "--json", store: store).document.objectValue?["place"]?.objectValue)
    }
    try bench.trendy("place", "add", "Home", "52.0,4.0", "--color", "#4a7fc1")
    #expect(try place("other")["color"] == "#4A7FC1")
    try bench.trendy("place", "edit", "home", "--role", "office")
    #expect(try place("other")["role"] == "office")
    try bench.trendy("place", "edit", "home", "--clear", "role", "--clear", "colour", store: "other")
    try bench.trendy("sync", store: "other")
    #expect(try place("store")["role"] == .null && place("store")["color"] == .null)
    try bench.trendy("undo", store: "other")
    try bench.trendy("sync", store: "other")
    #expect(try place("store")["role"] == "office")
    #expect(try bench.trendy("place", "edit", "home", "--color", "blue").status == 64)
  }

  @Test func `a position may be one argument or two`() throws {
    #expect(try bench.trendy("place", "add", "Work", "52.37", "4.89").output.hasPrefix("Work  52.37, 4.89"))
    #expect(try bench.trendy("place", "add", "Gym", "52.37,", "4.89").output.hasPrefix("Gym  52.37, 4.89"))
    let three = try bench.trendy("place", "add", "Park", "52.37,4.89", "100")
    #expect(three.status == 64 && three.talk.contains("latitude,longitude"), "\(three.talk)")
  }

  @Test func `a place can be shown by name or position, edited and deleted`() throws {
    try bench.trendy("place", "add", "Home", "52.0,4.0", "--notify", "both")
    let shown = try bench.trendy("place", "show", "52.0001,4.0001").output
    #expect(shown.hasPrefix("Home  52.0, 4.0  100 m"), "\(shown)")
    #expect(shown.contains("entry     records Visit\n") && shown.contains("notifies  on entry and exit\n"), "\(shown)")
    #expect(try bench.trendy("place", "show", "10,10").talk.contains("trendy place add NAME 10,10"))
    let edited = try bench.trendy(
      "place", "edit", "home", "--name", "Old home", "--radius", "150", "--at", "52.1,4.1", "--role", "office",
      "--notify", "none", "--inactive", "--json")
    let place = try #require(edited.document.objectValue?["place"]?.objectValue, "\(edited.talk)")
    #expect(place["name"] == "Old home" && place["radius"] == 150 && place["latitude"] == 52.1)
    #expect(place["role"] == "office" && place["is_active"] == false && place["notify_on_entry"] == false)
    try bench.trendy("place", "edit", "old", "--active", "--clear", "role")
    #expect(try bench.trendy("place", "list").output.hasPrefix("Old home  52.1, 4.1  150 m  01"))
    for wrong in [["--radius", "5"], ["--notify", "maybe"], ["--relabel"], []] {
      #expect(
        try bench.run("trendy", ["place", "edit", "old", "--store", bench.store()] + wrong).status == 64, "\(wrong)")
    }
    try bench.trendy("place", "rm", "old")
    #expect(try bench.trendy("place", "list", "--plain").output == "")
    try bench.trendy("undo")
    #expect(try bench.trendy("place", "list", "--plain").output.contains("Old home"))
  }

  @Test func `renaming a place relabels past visits on request`() throws {
    try bench.trendy("init", store: "other")
    try bench.trendy("import", Samples.drive.path, store: "other")
    let trip = try #require(
      bench.trendy("trip", "list", "--json", store: "other").document.objectValue?["trips"]?.arrayValue?.first?
        .objectValue)
    let (latitude, longitude) = (trip["start_latitude"]?.doubleValue ?? 0, trip["start_longitude"]?.doubleValue ?? 0)
    try bench.trendy("place", "add", "Home", "\(latitude),\(longitude)", "--radius", "400")
    try bench.trendy("import", Samples.drive.path)
    let visits = try bench.trendy("list", "--type", "visit", "--plain").output
    try #require(visits.contains("\tHome\t"), "\(visits)")
    #expect(
      try bench.trendy("place", "edit", "Home", "--name", "Nest", "--relabel").output.contains("Renamed 1 visit."))
    #expect(try bench.trendy("list", "--type", "visit", "--plain").output.contains("\tNest\t"))
    try bench.trendy("undo")
    #expect(try bench.trendy("list", "--type", "visit", "--plain").output.contains("\tHome\t"))
  }

  @Test func `merging, deleting and undo of types sync to every device`() throws {
    let hub = try TestHub(bench)
    for store in ["store", "laptop"] {
      try bench.trendy("init", store: store)
      #expect(try bench.trendy("connect", hub.url, hub.code(), store: store).status == 0)
    }
    func sync() throws {
      for store in ["store", "laptop", "store"] { #expect(try bench.trendy("sync", store: store).status == 0) }
    }
    func agree(_ what: String) throws {
      try sync()
      #expect(try events() == events("laptop"), "\(what)")
      #expect(try types() == types("laptop"), "\(what)")
      #expect(try bench.trendy("doctor").status == 0, "\(what)")
    }
    try bench.trendy("type", "add", "kaffee")
    for day in 1...4 {
      try bench.trendy("log", day < 3 ? "kaffee" : "coffee", "--at", "2026-11-0\(day) 8:00", store: "store")
    }
    try agree("recorded")
    let before = try events()
    try bench.trendy("type", "merge", "kaffee", "coffee", "--yes")
    try agree("joined")
    #expect(
      try bench.trendy("list", "--type", "coffee", "--plain", store: "laptop").output.split(separator: "\n").count == 4)
    #expect(try bench.trendy("undo").status == 0)
    try agree("joined and taken back")
    #expect(try events() == before)
    try bench.trendy("type", "rm", "coffee", "--yes", store: "laptop")
    try agree("deleted")
    #expect(try events("laptop").count == 2)
    #expect(try bench.trendy("undo", store: "laptop").status == 0)
    try agree("deleted and taken back")
    #expect(try events().count == 4)
  }
}
