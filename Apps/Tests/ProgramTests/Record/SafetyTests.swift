import Foundation
import Testing
import TrendyModels

#if canImport(Glibc)
  import Glibc
#endif

/// Tests backup, restore and `doctor`, and common disk failures.
@Suite("Safety", .waitsForPrograms, .timeLimit(.minutes(10)))
struct SafetyTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.trendy("init")
  }

  private func counts(_ store: String = "store") throws -> [Int] {
    let events = try bench.trendy("list", "--limit", "0", "--json", store: store).document.objectValue?["events"]
    return (events?.arrayValue ?? []).compactMap {
      $0.objectValue?["properties"]?.objectValue?["count"]?.objectValue?["value"]?.intValue
    }.map { Int($0) }.sorted()
  }

  private var backup: String { bench.folder.appending(path: "trendy.backup").path }

  // MARK: Backup and restore

  @Test func `a backup can be restored in place and elsewhere, and the replaced store is kept`() throws {
    for number in 1...5 { try bench.trendy("log", "coffee", "\(number)") }
    let made = try bench.trendy("backup", backup)
    #expect(made.status == 0 && made.output.contains("Backed up") && made.output.contains("trendy restore"))
    #expect(try bench.trendy("backup", backup).status == 73)
    #expect(try bench.trendy("backup", backup, "--yes").status == 0)
    try bench.trendy("log", "coffee", "6")

    let refused = try bench.trendy("restore", backup)
    #expect(refused.status == 73 && refused.talk.contains("--yes"))
    #expect(try counts() == Array(1...6))
    let restored = try bench.trendy("restore", backup, "--yes", "--json")
    #expect(restored.status == 0, "\(restored.talk)")
    #expect(try counts() == Array(1...5))
    #expect(try bench.trendy("doctor").status == 0)
    let kept = try #require(restored.document.objectValue?["kept"]?.arrayValue?.first?.stringValue)
    #expect(try bench.trendy("restore", kept, "--yes").status == 0)
    #expect(try counts() == Array(1...6))

    #expect(try bench.trendy("restore", backup, store: "elsewhere").status == 0)
    #expect(try counts("elsewhere") == Array(1...5))
    try bench.trendy("log", "coffee", "9", store: "elsewhere")
    #expect(try bench.trendy("doctor", store: "elsewhere").status == 0)
  }

  @Test func `a truncated, altered or unrelated file is rejected as a backup, and nothing is changed`() throws {
    try bench.trendy("log", "coffee", "1")
    try bench.trendy("backup", backup)
    try bench.trendy("log", "coffee", "2")
    let whole = try Data(contentsOf: URL(filePath: backup))
    var altered = whole
    altered[whole.count / 2] ^= 1
    for data in [whole.prefix(whole.count - 1), altered, Data("Date,Value\n".utf8), Data()] {
      try data.write(to: URL(filePath: backup))
      let refused = try bench.trendy("restore", backup, "--yes")
      #expect(refused.status == 65, "\(refused.talk)")
      #expect(refused.talk.contains("not a valid backup") && refused.talk.contains("Nothing was changed"))
      #expect(try bench.trendy("restore", backup, "--yes", "--json").error.objectValue?["code"] == "bad_data")
    }
    #expect(try bench.trendy("restore", backup + "-none", "--yes").status == 66)
    #expect(try counts() == [1, 2])
    #expect(try bench.trendy("backup", bench.folder.path).status == 64)
    #expect(try bench.trendy("backup", backup + "-2", store: "nowhere").status == 66)
  }

  @Test func `a backup made while another program logs is a consistent snapshot`() throws {
    let writer = try Running(
      bench, "/bin/bash",
      [
        "-c",
        "for i in $(seq 200); do '\(Workbench.path("trendy"))' log coffee $i -q --store '\(bench.store())' || exit 1; done",
      ])
    defer { writer.stop() }
    var seen: [Int] = []
    for number in 1...6 {
      try #require(bench.trendy("backup", backup, "--yes").status == 0)
      try #require(bench.trendy("restore", backup, store: "copy-\(number)").status == 0)
      let held = try counts("copy-\(number)")
      #expect(held == Array(1...max(held.count, 1)).prefix(held.count).map(\.self))
      #expect(held.count >= seen.count)
      #expect(try bench.trendy("doctor", store: "copy-\(number)").status == 0)
      seen = held
    }
    writer.process.waitUntilExit()
    #expect(writer.process.terminationStatus == 0, "\(writer.text)")
    #expect(try counts() == Array(1...200))
  }

  @Test func `a restored device receives the current state from the hub without loss or duplicates`()
    throws
  {
    let hub = try TestHub(bench)
    defer { hub.stop() }
    try bench.trendy("init", store: "laptop")
    for device in ["store", "laptop"] {
      try #require(bench.trendy("connect", hub.url, hub.code(), "--name", device, store: device).status == 0)
    }
    func sync(_ devices: String...) throws {
      for device in devices {
        let result = try bench.trendy("sync", store: device)
        try #require(result.status == 0, "\(device): \(result.talk)")
      }
    }
    for number in 1...4 { try bench.trendy("log", "coffee", "\(number)") }
    try sync("store")
    // This event is still pending when the backup is made.
    try bench.trendy("log", "coffee", "5")
    try bench.trendy("backup", backup)
    try sync("store")
    // Deletes the first event, which is now the fifth most recent.
    try bench.trendy("rm", "@5")
    for number in 6...8 { try bench.trendy("log", "coffee", "\(number)") }
    try sync("store", "laptop")
    try #require(counts("laptop") == Array(2...8))
    // After the restore, this event is only in the store that was replaced and kept.
    try bench.trendy("log", "coffee", "9")

    try #require(bench.trendy("restore", backup, "--yes").status == 0)
    #expect(try counts() == Array(1...5))
    try bench.trendy("log", "coffee", "10")
    try sync("store", "laptop", "store")
    #expect(try counts() == Array(2...8) + [10])
    #expect(try counts("laptop") == Array(2...8) + [10])
    let doctor = try bench.trendy("doctor")
    #expect(doctor.status == 0, "\(doctor.output)")
    let status = try bench.trendy("sync", "status", "--json").document.objectValue?["sync"]?.objectValue
    #expect(status?["waiting"] == 0)
  }

  @Test func `an agent continues with a store that was restored while it runs`() throws {
    let hub = try TestHub(bench)
    defer { hub.stop() }
    try #require(bench.trendy("connect", hub.url, hub.code()).status == 0)
    let agent = try Running(
      bench, "trendyd", ["run", "--role", "agent", "--store", bench.store(), "--poll", "1s"])
    defer { agent.stop() }
    try #require(try eventually { agent.text.contains("syncs with") ? true : nil } == true)
    func waiting() throws -> Int64? {
      try bench.trendy("sync", "status", "--json").document.objectValue?["sync"]?.objectValue?["waiting"]?.intValue
    }
    try bench.trendy("log", "coffee", "1")
    try #require(try eventually { try waiting() == 0 ? true : nil } == true, "\(agent.text)")
    try bench.trendy("backup", backup)
    try bench.trendy("log", "coffee", "2")
    try #require(try eventually { try waiting() == 0 ? true : nil } == true, "\(agent.text)")
    try #require(bench.trendy("restore", backup, "--yes").status == 0)
    try bench.trendy("log", "coffee", "3")
    #expect(
      try eventually { try waiting() == 0 && counts() == [1, 2, 3] ? true : nil } == true, "\(agent.text)")
    #expect(agent.process.isRunning)
  }

  @Test func `events logged while the programs are killed repeatedly arrive exactly once`() throws {
    let script = Samples.drive.deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Tools/torture-programs").path
    let result = try bench.shell("'\(script)' '\(Workbench.programs.path)' 4")
    #expect(result.status == 0 && result.output.contains("no data lost"), "\(result.output)\(result.talk)")
  }

  // MARK: Doctor

  @Test func `doctor reports a store without a manifest, and repairs it`() throws {
    for number in 1...3 { try bench.trendy("log", "coffee", "\(number)") }
    try FileManager.default.removeItem(atPath: bench.store() + "/manifest")
    let ill = try bench.trendy("doctor")
    #expect(ill.status == 1 && ill.output.contains("manifest") && ill.output.contains("missing"))
    #expect(try bench.trendy("doctor", "--repair").status == 0)
    #expect(try counts() == [1, 2, 3])
    #expect(try bench.trendy("doctor", store: "nowhere").status == 66)
  }

  // MARK: Disks

  /// Runs a script in a mount namespace. Returns `nil` if the system does not allow mount namespaces.
  private func mounting(_ script: String) throws -> Workbench.Result? {
    let allowed = try bench.shell("unshare -rm mount -t tmpfs tmpfs /mnt")
    guard allowed.status == 0 else {
      print("Not run: this system lets nobody mount a small disk here (\(allowed.talk))")
      return nil
    }
    return try bench.shell("unshare -rm bash -c '\(script)'")
  }

  @Test
  func `a full disk rejects saves and backups, still allows reading, and recovers when there is space`()
    throws
  {
    let script = #"""
      set -o pipefail
      mount -t tmpfs -o size=4m tmpfs /mnt && cd /mnt || exit 90
      export HOME=/mnt
      note=$(head -c 30000 /dev/zero | tr "\0" x)
      trendy init -q --store s || exit 91
      head -c 1800000 /dev/zero > ballast
      saved=0
      for i in $(seq 200); do
        trendy log journal -q -n "$note" --store s 2> talk; status=$?
        [ $status = 0 ] || break
        saved=$((saved + 1))
      done
      echo "log $status"; cat talk
      shown=$(trendy list --limit 0 --plain --store s | wc -l) || exit 92
      echo "shown $((shown - saved))"
      cat /dev/zero > more 2> /dev/null
      trendy backup b --store s 2> talk; echo "backup $?"; cat talk
      ls b b.part 2> /dev/null
      trendy doctor --store s > /dev/null; echo "doctor $?"
      rm ballast more
      trendy log journal -q -n "$note" --store s; echo "again $?"
      shown=$(trendy list --limit 0 --plain --store s | wc -l) || exit 93
      echo "shown $((shown - saved))"
      trendy doctor --store s > /dev/null; echo "doctor $?"
      """#
    guard let result = try mounting(script) else { return }
    let lines = result.output.split(separator: "\n").map(String.init)
    #expect(
      lines.filter { !$0.hasPrefix("Error") && !$0.hasPrefix("Hint") } == [
        "log 74", "shown 0", "backup 74", "doctor 0", "again 0", "shown 1", "doctor 0",
      ], "\(result.output)\(result.talk)")
    let errors = lines.filter { $0.hasPrefix("Error") }
    #expect(errors.count == 2 && errors.allSatisfy { $0.contains("No space left") }, "\(errors)")
  }

  @Test func `a sync through an agent reports a full disk, and succeeds when there is space`() throws {
    let script = #"""
      mount -t tmpfs -o size=4m tmpfs /mnt && cd /mnt || exit 90
      export HOME=/mnt
      hub=$(mktemp -d)
      trap "kill \$(jobs -p); wait; rm -rf $hub" EXIT
      trendyd hub init -q --data $hub --listen 127.0.0.1:0
      trendyd run --role hub --data $hub --listen 127.0.0.1:0 > $hub/out 2>&1 &
      until grep -q listening $hub/out; do sleep 0.1; done
      trendy init -q --store s || exit 91
      code=$(trendyd pair --data $hub --json | grep -o "\"code\":\"[^\"]*" | cut -d \" -f 4)
      trendy connect -q "$(grep -o "http://127.0.0.1:[0-9]*" $hub/out | head -n 1)" $code --store s || exit 92
      trendyd run --role agent --store s > $hub/agent 2>&1 &
      trendy sync -q --store s
      until trendy sync -q --store s && grep -q syncs $hub/agent; do sleep 0.1; done
      cat /dev/zero > ballast 2> /dev/null
      trendy sync --store s 2> $hub/talk; echo "full $?"; cat $hub/talk
      rm ballast
      until trendy sync -q --store s 2> /dev/null; do sleep 0.1; done
      echo "again $?"
      """#
    guard let result = try mounting(script) else { return }
    let lines = result.output.split(separator: "\n").map(String.init)
    #expect(lines.first == "full 74" && lines.last == "again 0", "\(result.output)\(result.talk)")
    #expect(result.output.contains("sync-history.json: No space left on device"), "\(result.output)")
    #expect(result.output.contains("Free some space"), "\(result.output)")
  }

  @Test
  func `a disk that is mounted read-only allows reading, checks and backups, and rejects saves`()
    throws
  {
    let script = #"""
      mount -t tmpfs tmpfs /mnt || exit 90
      trendy init -q --store /mnt/s && trendy log coffee 1 -q --store /mnt/s || exit 91
      mount -o remount,ro /mnt || exit 92
      trendy log coffee 2 --store /mnt/s; echo "log $?"
      trendy list --plain --store /mnt/s | wc -l
      trendy doctor --store /mnt/s > /dev/null; echo "doctor $?"
      trendy backup "$HOME/ro.backup" -q --store /mnt/s; echo "backup $?"
      trendy restore "$HOME/ro.backup" --yes --store /mnt/s; echo "restore $?"
      """#
    guard let result = try mounting(script) else { return }
    #expect(
      result.output == "log 74\n1\ndoctor 0\nbackup 0\nrestore 74\n", "\(result.output)\(result.talk)")
    #expect(result.talk.contains("mounted read-only") && result.talk.contains("Hint:  "))
  }

  @Test func `a store without write permission can be read, and one without read permission is reported`() throws {
    try bench.trendy("log", "coffee", "1")
    let store = bench.store()
    // Run the commands as a different user, because file permissions do not apply to root.
    let prefix = getuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : ""
    if getuid() == 0 { _ = try bench.shell("chmod 755 '\(bench.folder.path)'; chown -R 65534 '\(store)'") }
    guard try bench.shell(prefix + "trendy list --store '\(store)'").status == 0 else {
      print("Not run: this system lets no program give up its rights, or run from here without them")
      return
    }
    _ = try bench.shell("chmod 500 '\(store)'; chmod 400 '\(store)'/*")
    let refused = try bench.shell(prefix + "trendy log coffee 2 --store '\(store)'")
    #expect(refused.status == 73, "\(refused.talk)")
    #expect(refused.talk.contains("No permission to access") && refused.talk.contains("Hint:  "))
    #expect(try bench.shell(prefix + "trendy list --plain --store '\(store)'").output.split(separator: "\n").count == 1)
    #expect(try bench.shell(prefix + "trendy doctor --store '\(store)'").status == 0)
    _ = try bench.shell("chmod 000 '\(store)'/log-1")
    for command in ["list", "doctor", "backup '\(store)-b'"] {
      let unread = try bench.shell(prefix + "trendy \(command) --store '\(store)'")
      #expect(unread.status == 73 && unread.talk.contains("No permission to access"), "\(command): \(unread.talk)")
    }
    _ = try bench.shell("chmod 000 '\(store)'")
    for command in ["list", "log coffee", "init", "doctor", "today"] {
      let shut = try bench.shell(prefix + "trendy \(command) --store '\(store)'")
      #expect(shut.status == 73 && shut.talk.contains("No permission to access \(store)"), "\(command): \(shut.talk)")
    }
    _ = try bench.shell("chmod 700 '\(store)'; chmod 600 '\(store)'/*")
    #expect(try bench.shell(prefix + "trendy log coffee 2 --store '\(store)'").status == 0)
  }
}
