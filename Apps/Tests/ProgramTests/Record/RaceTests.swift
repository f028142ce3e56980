import Foundation
import Testing
import TrendyModels
import TrendyPersistence

#if canImport(Glibc)
  import Glibc
#endif

/// Tests two processes that run the same command at the same time. The result must be the same as when they run one
/// after the other.
@Suite("Concurrent processes", .waitsForPrograms, .timeLimit(.minutes(10)))
struct RaceTests {
  private let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.trendy("init")
  }

  /// Runs two command lines so that both read the store before either of them writes.
  ///
  /// This process holds the store's write lock while the commands start. A command opens the lock file for writing only
  /// after it has decided what to write. When both commands have opened the lock file, the lock is released.
  private func atOnce(_ first: String, _ second: String, store: String = "store") throws -> [Int32] {
    let path = bench.store(store)
    let lock = try StorageEngine.open(directory: path).beginWrite()
    let both = try [first, second].map {
      try Running(bench, "/bin/bash", ["-c", "exec \(Workbench.path("trendy")) \($0) --store '\(path)'"])
    }
    _ = try eventually { both.allSatisfy { !$0.process.isRunning || $0.isWaiting(for: path + "/lock") } ? true : nil }
    lock.rollback()
    for program in both { program.process.waitUntilExit() }
    return both.map(\.process.terminationStatus)
  }

  private func atOnce(_ line: String) throws -> Set<Int32> { Set(try atOnce(line, line)) }

  private func count(_ words: String...) throws -> Int {
    try bench.run("trendy", words + ["--plain", "--store", bench.store()]).output.split(separator: "\n").count
  }

  @Test func `a name is given once`() throws {
    let types = try count("type", "list")
    #expect(try atOnce("type add walk") == [0, 64])
    #expect(try atOnce("log swim --create --at 8:30") == [0])
    #expect(try count("type", "list") == types + 2)
    #expect(try atOnce("type edit walk --name hike", "type edit swim --name hike").sorted() == [0, 64])
    #expect(try atOnce("type prop add coffee strength --kind number") == [0, 64])
    #expect(try atOnce("place add home 51.92,4.36") == [0, 64])
    #expect(try count("place", "list") == 1)
    #expect(try atOnce("vehicle add Van") == [0, 64])
    #expect(try count("vehicle", "list") == 1)
    #expect(try atOnce("trip rule add commute business --days mon") == [0, 64])
    #expect(try atOnce("skip coffee --from 2026-11-02") == [0, 64])
  }

  @Test func `a running event is started and ended once`() throws {
    #expect(try atOnce("start coffee") == [0, 77])
    #expect(try atOnce("stop coffee") == [0, 1])
    #expect(try atOnce("start headache --create") == [0, 77])
    #expect(try atOnce("trip start").contains(0))
    #expect(try atOnce("trip cancel").contains(0))
    #expect(try bench.trendy("stop").status == 0)
    #expect(try bench.trendy("stop").status == 1)
  }

  @Test func `a deleted entity is not deleted again`() throws {
    for type in ["tea", "juice", "water", "milk"] { try bench.trendy("log", type, "--create") }
    let id = try #require(bench.trendy("show", "@1", "--json").document["event"]?["id"]?.stringValue)
    #expect(try atOnce("rm \(id)") == [0, 66])
    #expect(try atOnce("restore \(id)") == [0, 66])
    #expect(try atOnce("type merge tea juice --yes") == [0, 66])
    #expect(try atOnce("type rm water --yes") == [0, 66])
    // Each process deletes the entry that is the last one when the process writes.
    let entries = try count("list")
    #expect(try atOnce("rm @1") == [0])
    #expect(try count("list") == entries - 2)
    #expect(try atOnce("undo") == [0])
    #expect(try count("list") == entries)
  }

  @Test func `changes of different fields are both kept`() throws {
    try bench.trendy("log", "coffee")
    #expect(try atOnce("edit @1 -n oat", "edit @1 count=3") == [0, 0])
    let event = try #require(bench.trendy("show", "@1", "--json").document["event"])
    #expect(event["notes"] == "oat" && event["properties"]?["count"]?["value"]?.doubleValue == 3)
    #expect(try atOnce("config set day_starts_at 04:00", "config set week_starts_on sunday") == [0, 0])
    #expect(try bench.trendy("config", "get", "day_starts_at").output == "04:00\n")
    #expect(try bench.trendy("config", "get", "week_starts_on").output == "sunday\n")
  }

  @Test func `a file is imported once`() throws {
    let file = bench.folder.appending(path: "swims.csv")
    try Data("type,start,note,count\nswim,2026-11-01T08:00:00Z,a,1\n".utf8).write(to: file)
    #expect(try atOnce("import '\(file.path)'") == [0])
    #expect(try bench.trendy("list", "swim", "--plain").output.split(separator: "\n").count == 1)
  }

  @Test func `a hub has one first user, and user names are unique`() throws {
    let data = bench.store("hub")
    func twice(_ words: String) throws -> [String] {
      let line = "trendyd \(words) --data '\(data)' >/dev/null 2>&1; echo $?"
      return try bench.shell("( \(line) ) & ( \(line) ) & wait").output.split(separator: "\n").map(String.init).sorted()
    }
    #expect(try twice("hub init --name Ada") == ["0", "73"])
    for round in 1...5 { #expect(try twice("user add user\(round)") == ["0", "73"]) }
    #expect(try twice("token create phone --name Ada") == ["0", "0"])
    let tokens = try bench.run("trendyd", ["token", "list", "--data", data]).output
    #expect(tokens.contains("  phone  ") && tokens.contains("  phone 2  "), "\(tokens)")
    let users = try bench.run("trendyd", ["user", "list", "--data", data]).output.split(separator: "\n")
    #expect(users.filter { !$0.hasPrefix(" ") }.count == 6, "\(users)")
  }
}

extension Running {
  /// Whether the program has opened a lock file for writing, which happens before the program waits for the lock.
  fileprivate func isWaiting(for path: String) -> Bool {
    let process = "/proc/\(process.processIdentifier)"
    let files = (try? FileManager.default.contentsOfDirectory(atPath: "\(process)/fd")) ?? []  // it may have exited
    return files.contains { file in
      guard (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(process)/fd/\(file)")) == path,
        let info = try? String(contentsOfFile: "\(process)/fdinfo/\(file)", encoding: .utf8),
        let flags = info.firstMatch(of: #/flags:\s+([0-7]+)/#)
      else { return false }
      return Int32(flags.1, radix: 8).map { $0 & O_ACCMODE == O_RDWR } ?? false
    }
  }
}
