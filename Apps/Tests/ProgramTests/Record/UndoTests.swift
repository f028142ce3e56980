import Foundation
import Testing
import TrendyModels

@Suite("trendy undo and redo", .waitsForPrograms, .timeLimit(.minutes(10)))
struct UndoTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.trendy("init")
  }

  /// Notes of all events, oldest first.
  private var notes: [String] {
    get throws {
      let list = try bench.trendy("list", "--json").document.objectValue?["events"]?.arrayValue ?? []
      return list.compactMap { $0.objectValue?["notes"]?.stringValue }.reversed()
    }
  }

  private func told(_ words: String...) throws -> String {
    let result = try bench.run("trendy", words + ["--store", bench.store()])
    #expect(result.status == 0, "\(words) \(result.talk)")
    return result.output
  }

  @Test func `records, edits and deletions can be undone and redone`() throws {
    _ = try told("log", "coffee", "-n", "one", "--at", "2026-11-20 8:00")
    _ = try told("log", "coffee", "-n", "two", "--at", "2026-11-20 9:00")
    _ = try told("edit", "@1", "-n", "three")
    _ = try told("rm", "@1", "@2")
    #expect(try notes == [])
    #expect(try told("undo").contains("Undone: delete 2 events"))
    #expect(try notes == ["one", "three"])
    #expect(try told("undo").contains("Undone: edit "))
    #expect(try notes == ["one", "two"])
    #expect(try told("undo").contains("Undone: log coffee "))
    #expect(try notes == ["one"])
    #expect(try told("redo", "2").split(separator: "\n").count == 2)
    #expect(try notes == ["one", "three"])
    let list = try told("undo", "--list", "--plain").split(separator: "\n").map { $0.split(separator: "\t") }
    #expect(list.map { $0[0] } == ["redo", "undo", "undo", "undo"])
    #expect(list.last?[2].hasPrefix("log coffee ") == true)
    // A new change discards the steps that could be redone.
    _ = try told("log", "mood", "3", "-n", "four", "--at", "2026-11-20 10:00")
    #expect(try bench.trendy("redo").status == 1)
    #expect(try notes == ["one", "three", "four"])
  }

  @Test func `entries deleted here are listed and restored without a hub`() throws {
    _ = try told("log", "coffee", "-n", "one")
    let id = try #require(try told("list", "--plain").split(separator: "\t").first.map(String.init))
    _ = try told("rm", "@1")
    _ = try told("log", "coffee", "-n", "two")
    #expect(try told("list", "--deleted").contains("\"one\""))
    _ = try told("restore", String(id.prefix(13)))
    #expect(try Set(notes) == ["one", "two"])
    _ = try told("undo")
    #expect(try notes == ["two"])
  }

  @Test func `a type is created together with its first event or not at all`() throws {
    let types = try told("type", "list", "--plain")
    let refused = try bench.trendy("log", "coffe", "2", "--create")
    #expect(refused.status == 64, "\(refused.output)")
    #expect(try told("type", "list", "--plain") == types)
    _ = try told("log", "walk", "--create")
    #expect(try told("type", "list", "--plain") != types)
    _ = try told("undo")
    #expect(try told("type", "list", "--plain") == types)
    _ = try told("redo")
    #expect(try told("list", "--plain").contains("walk"))
    #expect(try told("type", "list", "--plain").contains("walk"))
  }

  @Test func `types, properties and places can be undone`() throws {
    _ = try told("type", "add", "run")
    _ = try told("type", "prop", "add", "run", "dose", "--kind", "number")
    _ = try told("place", "add", "Home", "52.1,4.3")
    for label in ["place add Home", "type prop add run dose"] {
      #expect(try told("undo").contains("Undone: \(label)"))
    }
    #expect(try told("place", "list", "--plain").isEmpty)
    _ = try told("log", "run", "-n", "far")
    _ = try told("undo")
    _ = try told("redo")
    _ = try told("undo")
    #expect(try told("undo").contains("Undone: type add run"))
    #expect(try !told("type", "list", "--plain").contains("run"))
  }

  @Test func `an import is one undo step, and a deletion is another`() throws {
    let imported = try told("import", Samples.forms.appending(path: "track.gpx").path)
    #expect(imported.contains("Undo with: trendy undo"), "\(imported)")
    let trips = try told("trip", "list", "--plain")
    #expect(!trips.isEmpty)
    _ = try told("rm", "@1")
    #expect(try told("trip", "list", "--plain").isEmpty)
    #expect(try told("undo", "2").contains("Undone: import track.gpx"))
    #expect(try told("list", "--plain").isEmpty)
    #expect(try told("import", Samples.forms.appending(path: "track.gpx").path).contains("Trips: 1 new"))
    #expect(try told("trip", "list", "--plain") == trips)
  }

  @Test func `an import of records is undone before earlier changes`() throws {
    let file = bench.folder.appending(path: "water.csv")
    try Data("type,start,note\nwater,2026-01-01T08:00:00Z,a\nwater,2026-01-02T08:00:00Z,b\n".utf8).write(to: file)
    _ = try told("log", "coffee", "-n", "one")
    _ = try told("import", file.path)
    #expect(try told("undo", "--list", "--plain").contains("\timport water.csv\n"))
    #expect(try told("undo").contains("Undone: import water.csv"))
    #expect(try notes == ["one"])
    #expect(try told("import", "list").contains("undone"))
    // If the command is repeated, it imports the records again. `trendy undo` does not undo an import that was already
    // undone by its id.
    _ = try told("import", file.path)
    let id = try told("import", "list", "--plain").split(separator: "\t")[0]
    _ = try told("import", "undo", String(id))
    #expect(try told("undo").contains("Undone: log coffee"))
    #expect(try notes == [])
  }

  @Test func `undo and redo of one field restore its values in order`() throws {
    _ = try told("log", "coffee", "1", "-n", "one")
    _ = try told("edit", "@1", "-n", "two", "count=2")
    _ = try told("edit", "@1", "-n", "three")
    _ = try told("undo")
    #expect(try notes == ["two"])
    _ = try told("redo")
    #expect(try told("undo", "--list", "--plain").split(separator: "\n").count == 3)
  }
}
