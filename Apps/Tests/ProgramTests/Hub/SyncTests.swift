import Foundation
import Testing
import TrendyModels

@Suite("Devices and a hub", .waitsForPrograms, .timeLimit(.minutes(10)))
struct SyncTests {
  let bench: Workbench
  let hub: TestHub

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

  /// Returns the events without fields that differ between devices.
  private func timeline(_ device: String) throws -> [JSONValue] {
    let events = try bench.trendy("list", "--limit", "0", "--json", store: device).document.objectValue?["events"]
    return (events?.arrayValue ?? []).map { event in
      var members = event.objectValue ?? [:]
      members["sync_status"] = nil
      return .object(members)
    }
  }

  @Test func `two devices that started with the same types share them`() throws {
    try sync("phone", "laptop", "phone")
    #expect(try bench.trendy("type", "list", "--plain", store: "laptop").output.split(separator: "\n").count == 5)
    #expect(
      try bench.trendy("type", "list", "--plain", store: "phone").output
        == bench.trendy("type", "list", "--plain", store: "laptop").output)
  }

  @Test func `today ends with the sync state`() throws {
    try sync("phone")
    let name = "127.0.0.1:\(try #require(URL(string: hub.url)?.port))"
    #expect(try bench.trendy("today", store: "phone").output.contains("\n  Synced with \(name) at "))
    try bench.trendy("log", "coffee", store: "phone")
    #expect(try bench.trendy("today", store: "phone").output.contains("\n  1 change pending for \(name); last sync "))
    try bench.trendy("init", store: "alone")
    #expect(try !bench.trendy("today", store: "alone").output.contains("hub"))
  }

  @Test func `a note beyond the size limit is rejected when it is logged`() throws {
    let file = bench.folder.appending(path: "long.jsonl")
    try Data("{\"event_type\":\"coffee\",\"notes\":\"\(String(repeating: "x", count: 262_145))\"}\n".utf8).write(
      to: file)
    let logged = try bench.shell("trendy log - -q --store '\(bench.store("phone"))' < '\(file.path)'")
    #expect(logged.status == 65 && logged.talk.contains("notes: expected a string of up to 262144 bytes"), "\(logged)")
    #expect(try timeline("phone").isEmpty)
    try sync("phone")
  }

  @Test func `a note of the maximum size reaches the other device`() throws {
    // Each quotation mark is escaped as two bytes in JSON.
    let file = bench.folder.appending(path: "quotes.jsonl")
    let note = String(repeating: "\\\"", count: 262_144)
    try Data("{\"event_type\":\"coffee\",\"notes\":\"\(note)\"}\n".utf8).write(to: file)
    #expect(try bench.shell("trendy log - -q --store '\(bench.store("phone"))' < '\(file.path)'").status == 0)
    try sync("phone", "laptop")
    let notes = try timeline("laptop").map { $0.objectValue?["notes"]?.stringValue?.utf8.count }
    #expect(notes == [262_144])
  }

  @Test func `a change that exceeds the request size becomes a conflict, and the others are sent`() throws {
    let bench = try Workbench()
    let hub = try TestHub(bench, options: ["--limit", "bodyBytes=65536"])
    try hub.connect("phone", "laptop")
    let note = String(repeating: "x", count: 200_000)
    let file = bench.folder.appending(path: "long.jsonl")
    try Data("{\"event_type\":\"coffee\",\"notes\":\"\(note)\"}\n".utf8).write(to: file)
    #expect(try bench.shell("trendy log - -q --store '\(bench.store("phone"))' < '\(file.path)'").status == 0)
    try bench.trendy("log", "coffee", "-n", "short", store: "phone")
    let round = try bench.trendy("sync", store: "phone")
    #expect(round.status == 0 && round.output.contains("Nothing pending."), "\(round.output)")
    #expect(round.talk.contains("1 conflict needs your decision: trendy sync conflicts"))
    try bench.trendy("sync", store: "laptop")
    let shown = try bench.trendy("list", "--limit", "0", "--json", store: "laptop").document.objectValue?["events"]
    #expect(shown?.arrayValue?.map { $0.objectValue?["notes"] } == ["short"])
    let list = try bench.trendy("sync", "conflicts", store: "phone").output
    #expect(list.contains("Content too large") && list.contains("xxx…") && list.utf8.count < 2000)
    let ids = try bench.trendy("sync", "conflicts", "--json", store: "phone").document.objectValue?["conflicts"]
    let id = try #require(ids?.arrayValue?.first?.objectValue?["id"]?.stringValue)
    #expect(try bench.trendy("sync", "conflicts", "show", id, store: "phone").output.contains(note))
  }

  @Test func `an edit, a cleared field and a delete reach the other device`() throws {
    try bench.trendy("log", "coffee", "1", "-n", "first", store: "phone")
    try bench.trendy("log", "coffee", "2", "-n", "second", "--for", "5m", store: "phone")
    try sync("phone", "laptop")
    #expect(try timeline("phone") == timeline("laptop"))
    try bench.trendy("edit", "@1", "--clear", "note", "--clear", "end", "count=3", store: "laptop")
    try bench.trendy("rm", "@2", store: "laptop")
    try sync("laptop", "phone")
    let events = try timeline("phone")
    #expect(events.count == 1)
    #expect(events.first?.objectValue?["notes"] == .null)
    #expect(events.first?.objectValue?["end_date"] == .null)
    #expect(events.first?.objectValue?["properties"]?.objectValue?["count"]?.objectValue?["value"] == 3)
    #expect(try timeline("laptop") == events)
  }

  @Test func `synced changes can be undone and redone, and a field changed by another device is reported and kept`()
    throws
  {
    try bench.trendy("log", "coffee", "1", "-n", "first", store: "phone")
    try bench.trendy("edit", "@1", "-n", "second", "count=2", store: "phone")
    try bench.trendy("rm", "@1", store: "phone")
    try sync("phone", "laptop")
    #expect(try timeline("laptop").isEmpty)
    #expect(try bench.trendy("undo", store: "phone").status == 0)
    try sync("phone", "laptop")
    #expect(try timeline("laptop") == timeline("phone") && timeline("phone").count == 1)
    try bench.trendy("edit", "@1", "-n", "theirs", store: "laptop")
    try sync("laptop", "phone")
    let undone = try bench.trendy("undo", store: "phone")
    #expect(undone.status == 0 && undone.talk.contains("notes of event"), "\(undone.talk)")
    try sync("phone", "laptop")
    let event = try timeline("laptop").first?.objectValue
    #expect(event?["notes"] == "theirs")
    #expect(event?["properties"]?.objectValue?["count"]?.objectValue?["value"] == 1)
    // Redo skips the deletion, because the event has been changed since.
    let redone = try bench.trendy("redo", "2", store: "phone")
    #expect(redone.output.contains("Redone: edit") && redone.talk.contains("have been changed since"), "\(redone.talk)")
    try sync("phone", "laptop")
    #expect(try timeline("laptop").count == 1 && timeline("laptop") == timeline("phone"))
  }

  @Test func `a delete wins over a concurrent edit, and the edit becomes a conflict`()
    throws
  {
    try bench.trendy("log", "journal", "-n", "draft", store: "phone")
    try sync("phone", "laptop")
    try bench.trendy("rm", "@1", store: "laptop")
    try bench.trendy("edit", "@1", "-n", "final words", store: "phone")
    try sync("laptop", "phone", "laptop", "phone")
    #expect(try timeline("phone").isEmpty)
    #expect(try timeline("laptop").isEmpty)
    let status = try bench.trendy("sync", "status", "--json", store: "phone").document.objectValue?["sync"]?.objectValue
    #expect(status?["conflicts"] == 1)
    #expect(status?["waiting"] == 0)
  }

  private func conflicts(_ device: String) throws -> [[String: JSONValue]] {
    let document = try bench.trendy("sync", "conflicts", "--json", store: device).document
    return (document.objectValue?["conflicts"]?.arrayValue ?? []).compactMap(\.objectValue)
  }

  @Test func `conflicting values of a field are offered on every device until one is chosen`() throws {
    try bench.trendy("log", "journal", "-n", "draft", store: "phone")
    try sync("phone", "laptop")
    try bench.trendy("edit", "@1", "-n", "from the laptop", store: "laptop")
    try bench.trendy("edit", "@1", "-n", "from the phone", store: "phone")
    try sync("laptop", "phone", "laptop")
    #expect(try timeline("laptop").first?.objectValue?["notes"] == "from the phone", "the later")
    for device in ["phone", "laptop"] {
      let conflict = try #require(conflicts(device).first)
      #expect(conflict["kept"] == ["notes": "from the laptop"] && conflict["shown"] == ["notes": "from the phone"])
      #expect(conflict["kept_by"] == "hub")
    }
    let words = try bench.trendy("sync", "conflicts", store: "phone").output
    #expect(words.contains("notes: now \"from the phone\", other value \"from the laptop\""), "\(words)")
    let id = try #require(conflicts("phone").first?["id"]?.stringValue)
    #expect(try bench.trendy("sync", "conflicts", "retry", String(id.prefix(12)), store: "phone").status == 0)
    try sync("phone", "laptop")
    #expect(try timeline("laptop").first?.objectValue?["notes"] == "from the laptop")
    #expect(try timeline("phone") == timeline("laptop"))
    #expect(try conflicts("phone").isEmpty && conflicts("laptop").isEmpty)
    #expect(try bench.trendy("sync", "conflicts", "drop", id, store: "phone").status == 66, "it is decided")
    // Undoing the resolution reopens the conflict on all devices.
    let shown = try timeline("phone").first?.objectValue?["notes"]
    let undone = try bench.trendy("undo", store: "phone")
    #expect(undone.status == 0, "\(undone.talk)")
    #expect(try timeline("phone").first?.objectValue?["notes"] != shown)
    try sync("phone", "laptop")
    #expect(try conflicts("phone").count == 1 && conflicts("laptop").count == 1)
    #expect(try timeline("phone") == timeline("laptop"))
    #expect(try bench.trendy("redo", store: "phone").status == 0)
    #expect(try conflicts("phone").isEmpty && timeline("phone").first?.objectValue?["notes"] == shown)
    #expect(try bench.trendy("sync", "history", "--plain", store: "phone").output.split(separator: "\n").count == 5)
  }

  @Test func `a conflict is resolved with keep mine or keep theirs, one at a time or all at once`() throws {
    for text in ["one", "two"] { try bench.trendy("log", "journal", "-n", text, store: "phone") }
    try sync("phone", "laptop")
    for device in ["laptop", "phone"] {
      for event in ["@1", "@2"] { try bench.trendy("edit", event, "-n", "from the \(device)", store: device) }
    }
    try sync("laptop", "phone", "laptop")
    let first = try #require(conflicts("laptop").first)
    #expect(first["mine"] == "kept")
    let id = try #require(first["id"]?.stringValue)
    let shown = try bench.trendy("sync", "conflicts", "show", id, store: "laptop").output
    #expect(shown.contains("other value: \"from the laptop\", written on this device"), "\(shown)")
    #expect(shown.contains("now:         \"from the phone\", written on another device"), "\(shown)")
    #expect(try bench.trendy("sync", "conflicts", "keep", "mine", store: "laptop").status == 64, "which?")
    #expect(try bench.trendy("sync", "conflicts", "keep", "mine", id, store: "laptop").status == 0)
    try sync("laptop", "phone")
    #expect(try conflicts("phone").first?["mine"] == "shown", "what the phone wrote has replaced the other")
    let kept = try bench.trendy("sync", "conflicts", "keep", "theirs", "--all", store: "phone")
    #expect(kept.status == 0 && kept.output.contains("Kept theirs: notes"), "\(kept.talk)")
    try sync("phone", "laptop", "phone")
    #expect(try timeline("laptop").map { $0.objectValue?["notes"] } == ["from the laptop", "from the laptop"])
    #expect(try timeline("phone") == timeline("laptop"))
    #expect(try conflicts("phone").isEmpty && conflicts("laptop").isEmpty)
  }

  @Test func `an event deleted on one device is listed and restored on another`() throws {
    try bench.trendy("log", "journal", "-n", "gone too soon", store: "phone")
    try sync("phone", "laptop")
    try bench.trendy("rm", "@1", store: "laptop")
    try bench.trendy("edit", "@1", "-n", "edited meanwhile", store: "phone")
    try sync("laptop", "phone")
    let list = try bench.trendy("list", "--deleted", "--plain", store: "phone").output
    #expect(list.contains("gone too soon") && list.split(separator: "\n").count == 1, "\(list)")
    // Resolves a conflict from the conflict journal of this device.
    let id = try #require(conflicts("phone").first?["id"]?.stringValue)
    #expect(try bench.trendy("sync", "conflicts", "restore", id, store: "phone").status == 0)
    try sync("phone", "laptop")
    #expect(try timeline("laptop").map { $0.objectValue?["notes"] } == ["edited meanwhile"])
    #expect(try conflicts("phone").isEmpty)
    // Restores the event by its id from the list of deleted events.
    try bench.trendy("rm", "@1", store: "laptop")
    try sync("laptop", "phone")
    let event = try #require(
      bench.trendy("list", "--deleted", "--plain", store: "phone").output.split(separator: "\t").first)
    #expect(try bench.trendy("restore", String(event.prefix(13)), store: "phone").status == 0)
    try sync("phone", "laptop")
    #expect(try timeline("laptop").count == 1 && timeline("phone") == timeline("laptop"))
    let unknown = try bench.trendy("restore", "0000-no-such", store: "phone")
    #expect(unknown.status == 66 && unknown.talk.contains("trendy list --deleted"), "\(unknown.talk)")
  }

  private func status(_ device: String) throws -> [String: JSONValue] {
    let document = try bench.trendy("sync", "status", "--json", store: device).document
    return try #require(document.objectValue?["sync"]?.objectValue)
  }

  @Test func `sync status reports all known state, even without a hub or after an agent was killed`() throws {
    try bench.trendy("log", "coffee", store: "phone")
    try sync("phone")
    try bench.trendy("log", "coffee", store: "phone")
    var status = try status("phone")
    #expect(status["waiting"] == 1 && status["in_flight"] == 0 && status["key_ok"] == true)
    #expect(status["head"] == status["cursor"] && status["behind"] == 0 && status["last_error"] == .null)
    #expect(status["breaker"] == "closed" && status["agent"] == false && status["next_try"] == .null)
    let agent = try Running(
      bench, "trendyd", ["run", "--role", "agent", "--store", bench.store("phone"), "--poll", "1h"])
    defer { agent.stop() }
    #expect(try eventually { try self.status("phone")["next_try"] == .null ? nil : true } == true, "\(agent.text)")
    try #require(try self.status("phone")["waiting"] == 0)

    hub.kill()
    try bench.trendy("log", "coffee", store: "phone")
    #expect(try eventually { try self.status("phone")["last_error"] == .null ? nil : true } == true)
    status = try self.status("phone")
    #expect(status["waiting"] == 1 && status["in_flight"] == 1 && status["agent"] == true)
    #expect(status["next_try"] != .null && status["head"] != .null)
    var words = try bench.trendy("sync", "status", store: "phone").output
    for part in [
      "1 change pending", "as of", "Tried:    1 pending change sent without a response from the hub", "Last try:",
      "did not respond", "Sync retries automatically", "Next try: ",
    ] {
      #expect(words.contains(part), "\(part): \(words)")
    }

    agent.kill()
    status = try self.status("phone")
    #expect(status["agent"] == false && status["next_try"] == .null, "nobody will try")
    words = try bench.trendy("sync", "status", store: "phone").output
    #expect(words.contains("no agent is running") && words.contains("Last try:"), "\(words)")
  }

  @Test func `the command line and the agent use one store at the same time`() throws {
    let agent = try Running(
      bench, "trendyd", ["run", "--role", "agent", "--store", bench.store("phone"), "--poll", "1s"])
    defer { agent.stop() }
    let written = try bench.shell(
      "for i in $(seq 40); do trendy log coffee $i --store '\(bench.store("phone"))' -q || exit 1; done")
    #expect(written.status == 0, "\(written.talk)")
    // A sync requested while the agent is syncing waits for a sync that starts after the request.
    try sync("phone", "laptop")
    let events = try timeline("laptop")
    #expect(events.count == 40)
    #expect(try timeline("phone") == events)
    #expect(agent.process.isRunning, "\(agent.text)")
  }

  @Test func `a change synced on one device appears on the other without a request`() throws {
    let agent = try Running(
      bench, "trendyd", ["run", "--role", "agent", "--store", bench.store("laptop"), "--poll", "1h"])
    defer { agent.stop() }
    // The first change may arrive with the agent's initial sync. The next poll would be an hour later, so the remaining
    // changes must arrive through signals.
    for count in 1...3 {
      try bench.trendy("log", "coffee", store: "phone")
      try sync("phone")
      let seen = try eventually { try timeline("laptop").count == count ? true : nil }
      #expect(seen == true, "\(count): \(agent.text)")
    }
  }

  @Test func `a hub killed during a sync causes no duplicates`() throws {
    for round in 1...3 {
      let writer = try bench.shell(
        "for i in $(seq 5); do trendy log coffee $i -n 'round \(round)' --store '\(bench.store("phone"))' -q || exit 1; done"
      )
      #expect(writer.status == 0)
      let syncing = try Running(bench, "trendyd", ["network", "sync", "--store", bench.store("phone")])
      if round == 2 { hub.kill() } else { syncing.process.waitUntilExit() }
      syncing.process.waitUntilExit()
    }
    let again = try TestHub(bench, port: hub.port)
    defer { again.stop() }
    try sync("phone", "laptop")
    #expect(try timeline("laptop").count == 15)
    #expect(try timeline("laptop") == timeline("phone"))
  }

  @Test func `a revoked token loses no data, and the error explains how to reconnect`() throws {
    try bench.trendy("log", "coffee", "-n", "kept", store: "phone")
    let account = URL(filePath: bench.store("phone")).appending(path: "account.json")
    let text = try String(contentsOf: account, encoding: .utf8)
    let token = try #require(WireJSON.decode(JSONValue.self, from: Data(text.utf8)).objectValue?["token"]?.stringValue)
    try text.replacing(token, with: "no-such-token").write(to: account, atomically: true, encoding: .utf8)
    let refused = try bench.trendy("sync", store: "phone")
    #expect(refused.status == 77)
    #expect(refused.talk.contains("Pair the device again"))
    #expect(try timeline("phone").count == 1)
    #expect(try bench.trendy("connect", hub.url, hub.code(), store: "phone").status == 0)
    try sync("laptop")
    #expect(try timeline("laptop").count == 1)
  }

  @Test func `a disconnected store keeps its data and reconnects only to the same account`() throws {
    try sync("phone", "laptop", "phone")
    try bench.trendy("log", "coffee", "-n", "before", store: "phone")
    let left = try bench.trendy("disconnect", store: "phone")
    #expect(
      left.status == 0 && left.output.contains("1 change pending; to be sent when you connect again"),
      "\(left.output)\(left.talk)")
    #expect(try bench.trendy("disconnect", store: "phone").output.contains("not connected to a hub"))
    let account = try String(
      contentsOf: URL(filePath: bench.store("phone")).appending(path: "account.json"), encoding: .utf8)
    #expect(!account.contains("token") && !account.contains(hub.port), "\(account)")
    #expect(try bench.trendy("sync", store: "phone").status == 78)
    try bench.trendy("log", "coffee", "-n", "meanwhile", store: "phone")

    let other = try bench.trendyd("hub", "init", "--data", bench.store("other"), "--name", "Eve", "--json")
    try #require(other.status == 0)
    let elsewhere = try TestHub(bench, name: "other")
    defer { elsewhere.stop() }
    let code = try elsewhere.code()
    for _ in 0..<2 {
      let refused = try bench.trendy("connect", elsewhere.url, code, store: "phone")
      #expect(refused.status == 77 && refused.talk.contains("belongs to another user"), "\(refused.talk)")
    }
    #expect(try bench.trendy("connect", elsewhere.url, code, store: "new").status == 0, "the code was not used up")

    let connected = try bench.trendy("connect", hub.url, hub.code(), store: "phone")
    #expect(connected.status == 0, "\(connected.talk)")
    try sync("laptop")
    #expect(try timeline("laptop").count == 2)
    #expect(try timeline("laptop") == timeline("phone"))
  }

  @Test func `an agent keeps waiting while its store is disconnected, and syncs after reconnecting`() throws {
    let agent = try Running(
      bench, "trendyd", ["run", "--role", "agent", "--store", bench.store("phone"), "--poll", "1h"])
    defer { agent.stop() }
    try #require(try eventually { agent.text.contains("syncs with") ? true : nil } == true)
    try bench.trendy("disconnect", store: "phone")
    #expect(
      try eventually { agent.text.contains("is not connected to a hub yet") ? true : nil } == true, "\(agent.text)")
    try bench.trendy("log", "coffee", store: "phone")
    #expect(try bench.trendy("connect", hub.url, hub.code(), store: "phone").status == 0)
    try sync("laptop")
    #expect(try timeline("laptop").count == 1, "\(agent.text)")
  }

  @Test func `the hub's operator can list devices and revoke their tokens`() throws {
    func tokens() throws -> [[String: JSONValue]] {
      let list = try bench.trendyd("token", "list", "--data", hub.data, "--json").document
      return (list.objectValue?["tokens"]?.arrayValue ?? []).compactMap(\.objectValue)
    }
    #expect(try tokens().compactMap { $0["name"]?.stringValue } == ["laptop", "phone"])
    #expect(try bench.trendyd("token", "revoke", "phone", "--data", hub.data).status == 0)
    #expect(try tokens().map { $0["revoked_at"] != .null } == [false, true])
    let refused = try bench.trendy("sync", store: "phone")
    #expect(refused.status == 77 && refused.talk.contains("Pair the device again"), "\(refused.talk)")
    #expect(try bench.trendyd("token", "revoke", "tablet", "--data", hub.data).status == 66)
    let made = try bench.trendyd("token", "create", "sensor", "--data", hub.data, "--json").document.objectValue
    let token = try #require(made?["token"]?.stringValue)
    let asked = try bench.shell(
      "curl -s -o /dev/null -w '%{http_code}' -H 'Authorization: Bearer \(token)' \(hub.url)/api/v1/me/sync")
    #expect(asked.output == "200")

    #expect(try bench.trendyd("user", "add", "Eve", "--data", hub.data).status == 0)
    let users = try bench.trendyd("user", "list", "--data", hub.data).output
    #expect(users.split(separator: "\n").filter { !$0.hasPrefix(" ") }.count == 2, "\(users)")
    #expect(users.contains("Eve  0 devices") && users.contains("  laptop  seen "), "\(users)")
    #expect(try bench.trendyd("token", "create", "x", "--data", hub.data).status == 64, "whose?")
    // There is a token with this name, but it belongs to another user.
    #expect(try bench.trendyd("user", "add", "Bea", "--data", hub.data).status == 0)
    #expect(try bench.trendyd("token", "revoke", "sensor", "--name", "Bea", "--data", hub.data).status == 66)
    #expect(try bench.trendyd("token", "revoke", "sensor", "--data", hub.data).status == 0)
  }

  @Test func `a requested sync during a backoff fails immediately with the time of its end`() throws {
    let agent = try Running(
      bench, "trendyd", ["run", "--role", "agent", "--store", bench.store("phone"), "--poll", "1h"])
    defer { agent.stop() }
    try #require(try eventually { agent.text.contains("syncs with") ? true : nil } == true)
    try sync("phone")
    // Simulates the history entry that an agent writes after a response with a `Retry-After` header.
    let path = bench.store("phone") + "/sync-history.json"
    var runs = try #require(try WireJSON.decode(JSONValue.self, from: Data(contentsOf: URL(filePath: path))).arrayValue)
    var last = try #require(runs.popLast()?.objectValue)
    last["error"] = "The hub asked this device to back off."
    last["pausedUntil"] = .double(Date().timeIntervalSinceReferenceDate + 3600)
    runs.append(.object(last))
    try WireJSON.encode(JSONValue.array(runs)).write(to: URL(filePath: path))
    let asked = try bench.trendy("sync", store: "phone")
    #expect(asked.status == 75)
    #expect(asked.talk.contains("back off until") && asked.talk.contains("No data was lost"), "\(asked.talk)")
  }

  @Test func `the hub's operator can remove a user, restore the user and erase all of the user's data`() throws {
    func hubCommand(_ words: String...) throws -> Workbench.Result {
      try bench.run("trendyd", words + ["--data", hub.data])
    }
    let users = try hubCommand("user", "list", "--json").document.objectValue?["users"]?.arrayValue ?? []
    let owner = try #require(users.first?.objectValue)
    let (name, id) = (try #require(owner["name"]?.stringValue), try #require(owner["id"]?.stringValue))
    try bench.trendy("log", "coffee", store: "phone")
    try sync("phone")
    #expect(try hubCommand("user", "rm", "nobody").status == 66)
    #expect(try hubCommand("user", "rm", name).status == 0)
    #expect(try bench.trendy("sync", store: "phone").status == 77)
    #expect(try hubCommand("user", "list").output.contains("removed"))
    #expect(try hubCommand("user", "restore", name).status == 0)
    #expect(try bench.trendy("connect", hub.url, hub.code(), store: "phone").status == 0)

    let unsure = try hubCommand("user", "rm", name, "--erase")
    #expect(unsure.status == 64 && unsure.talk.contains("--yes"), "\(unsure.talk)")
    // A running hub erases the data in the background. If the command is repeated after the hub has stopped, the
    // command erases the data itself.
    #expect(try hubCommand("user", "rm", name, "--erase", "--yes").status == 0)
    #expect(try bench.trendy("sync", store: "phone").status == 77)
    hub.stop()
    let again = try hubCommand("user", "rm", name, "--erase", "--yes", "--json")
    // The user is not found if the hub had already erased the data.
    let isErased = try again.status == 66 || again.document.objectValue?["erased"] == true
    #expect(isErased, "\(again.talk)")
    let rest = try hubCommand("user", "list", "--json")
    // A database without users does not count as a hub.
    #expect(try TestHub.isInFolder ? rest.document.objectValue?["users"] == [] : rest.status == 66, "\(rest.talk)")
    let left = try bench.shell("find '\(hub.data)' -path '*\(id)*' -type f")
    #expect(left.output.isEmpty, "\(left.output)")
    // The data on the device is not erased.
    #expect(try timeline("phone").count == 1)
  }

  @Test func `a recorded drive becomes one trip and two visits, even after repeated imports`() throws {
    let drive = Samples.drive.path
    let first = try bench.trendy("import", "gpx", drive, "--dry-run", "--json", store: "phone").document.objectValue
    let trip = try #require(first?["trips"]?.objectValue?["found"]?.arrayValue?.first?.objectValue)
    func place(_ end: String) throws -> String {
      let latitude = try #require(trip["\(end)_latitude"]?.doubleValue)
      let longitude = try #require(trip["\(end)_longitude"]?.doubleValue)
      return "\(latitude),\(longitude)"
    }
    #expect(try timeline("phone").isEmpty, "a dry run writes nothing")
    #expect(try bench.trendy("place", "add", "home", place("start"), "--radius", "150", store: "phone").status == 0)
    #expect(try bench.trendy("place", "add", "office", place("end"), "--radius", "150", store: "phone").status == 0)
    for expected in [1, 0] {
      let imported = try bench.trendy("import", "gpx", drive, "--json", store: "phone").document.objectValue
      #expect(imported?["trips"]?.objectValue?["new"] == .int(Int64(expected)))
      #expect(imported?["visits"]?.objectValue?["new"] == .int(Int64(expected * 2)))
    }
    try bench.trendy("import", "gpx", drive, store: "laptop")
    try sync("phone", "laptop", "phone")
    #expect(try timeline("phone").count == 3)
    #expect(try timeline("laptop") == timeline("phone"))
    // A trip that was deleted on one device is not created again by importing the file on any device.
    let trips = try bench.trendy("trip", "list", "--plain", store: "laptop").output.split(separator: "\t")
    #expect(try bench.trendy("rm", String(try #require(trips.first)), store: "laptop").status == 0)
    try sync("laptop", "phone")
    for device in ["phone", "laptop"] {
      let imported = try bench.trendy("import", "gpx", drive, "--json", store: device).document.objectValue
      #expect(imported?["trips"]?.objectValue?["new"] == 0)
    }
    try sync("phone", "laptop")
    #expect(try timeline("phone").count == 2)
    #expect(try timeline("laptop") == timeline("phone"))
  }

  @Test func `a trip with extreme numbers from another program is displayed without a crash`() throws {
    let text = try String(
      contentsOf: URL(filePath: bench.store("phone")).appending(path: "account.json"), encoding: .utf8)
    let token = try #require(WireJSON.decode(JSONValue.self, from: Data(text.utf8)).objectValue?["token"]?.stringValue)
    try bench.trendy("log", "coffee", store: "phone")
    try sync("phone")
    let type = try #require(
      try bench.trendy("type", "list", "--plain", store: "phone").output.split(separator: "\n").first?
        .split(separator: "\t").first)
    let body =
      #"{"id":"huge","event_type_id":"\#(type)","timestamp":"2026-11-20T08:00:00Z","source_type":"trip","#
      + #""properties":{"distance":{"type":"number","value":1e300},"top_speed":{"type":"number","value":-1e300},"#
      + #""long":{"type":"duration","value":1e300}}}"#
    let posted = try bench.shell(
      "curl -sf -o /dev/null -H 'Authorization: Bearer \(token)' -d '\(body)' \(hub.url)/api/v1/events")
    try #require(posted.status == 0, "\(posted.talk)")
    try sync("laptop")
    for words in [["list", "--limit", "0"], ["trip", "list"], ["trip", "show", "huge"], ["show", "huge"]] {
      let result = try bench.run("trendy", words + ["--store", bench.store("laptop")])
      #expect(result.status == 0, "\(words): \(result.talk)")
      #expect(!result.output.isEmpty)
    }
  }

  @Test func `an agent notices that its store was paired with another address, and uses the new one`()
    throws
  {
    let agent = try Running(
      bench, "trendyd", ["run", "--role", "agent", "--store", bench.store("phone"), "--poll", "1h"])
    defer { agent.stop() }
    try #require(try eventually { agent.text.contains("syncs with") ? true : nil } == true)
    hub.stop()
    let moved = try TestHub(bench)
    defer { moved.stop() }
    try bench.trendy("log", "coffee", "-n", "before the move", store: "phone")
    let connected = try bench.trendy("connect", moved.url, moved.code(), store: "phone")
    #expect(connected.status == 0, "\(connected.talk)")
    try bench.trendy("log", "coffee", "-n", "after the move", store: "phone")
    let waiting = try eventually {
      try bench.trendy("sync", "status", "--json", store: "phone").document.objectValue?["sync"]?.objectValue?[
        "waiting"]
        == 0 ? true : nil
    }
    #expect(waiting == true, "\(agent.text)")
    #expect(agent.text.contains(moved.port))
  }

  @Test(.enabled(if: TestHub.isInFolder))
  func `a hub is backed up while it serves, and restored only when stopped`() throws {
    try bench.trendy("log", "coffee", "-n", "in the backup", store: "phone")
    try sync("phone")
    let file = bench.store("hub.backup")
    let backup = try bench.run("trendyd", ["hub", "backup", file, "--data", hub.data])
    #expect(backup.status == 0 && backup.output.contains("Backed up"), "\(backup.talk)")
    #expect(try bench.run("trendyd", ["hub", "backup", file, "--data", hub.data]).status == 73)
    let restore = ["hub", "restore", file, "--data", hub.data]
    #expect(try bench.run("trendyd", restore).status == 73)
    #expect(try bench.run("trendyd", restore + ["--yes"]).status == 75, "while it serves")
    hub.stop()
    let restored = try bench.run("trendyd", restore + ["--yes", "--json"])
    #expect(restored.status == 0, "\(restored.talk)")
    let kept = try restored.document.objectValue?["kept"]?.arrayValue?.compactMap(\.stringValue) ?? []
    #expect(kept.count == 1)
    // The replaced data is still a complete hub, which can be backed up.
    let former = ["hub", "backup", bench.store("former.backup"), "--data", kept.first ?? ""]
    #expect(try bench.run("trendyd", former).status == 0)
    // A backup can also be restored on a machine without a hub.
    let other = bench.store("other-hub")
    #expect(try bench.run("trendyd", ["hub", "restore", file, "--data", other]).status == 0)
    let next = try TestHub(bench, name: "other-hub")
    defer { next.stop() }
    try bench.trendy("init", store: "tablet")
    #expect(try bench.trendy("connect", next.url, next.code(), "--name", "tablet", store: "tablet").status == 0)
    try sync("tablet")
    #expect(try bench.trendy("list", "--plain", store: "tablet").output.contains("in the backup"))
  }

  @Test(.enabled(if: TestHub.isInFolder))
  func `a restore with a key accepts only backups signed with it`() throws {
    defer { hub.stop() }
    try bench.trendy("log", "coffee", store: "phone")
    let (key, short) = (bench.store("backup.key"), bench.store("short.key"))
    try Data(repeating: 7, count: 32).write(to: URL(filePath: key))
    try Data(repeating: 7, count: 31).write(to: URL(filePath: short))
    let (plain, signed) = (bench.store("plain.backup"), bench.store("signed.backup"))
    #expect(try bench.run("trendyd", ["hub", "backup", signed, "--data", hub.data, "--sign", short]).status == 65)
    #expect(
      try bench.run("trendyd", ["hub", "backup", signed, "--data", hub.data, "--sign", short + "-none"]).status == 66)
    #expect(try bench.run("trendyd", ["hub", "backup", plain, "--data", hub.data]).status == 0)
    #expect(try bench.run("trendyd", ["hub", "backup", signed, "--data", hub.data, "--sign", key]).status == 0)
    let other = bench.store("signed-hub")
    let refused = try bench.run("trendyd", ["hub", "restore", plain, "--data", other, "--sign", key])
    #expect(refused.status == 65 && refused.talk.contains("not signed"), "\(refused.talk)")
    #expect(!FileManager.default.fileExists(atPath: other + "/directory"))
    #expect(try bench.run("trendyd", ["hub", "restore", signed, "--data", other, "--sign", key]).status == 0)
    // A device backup cannot be restored to a hub, nor a hub backup to a device.
    #expect(try bench.trendy("restore", plain, "--yes", store: "phone").status == 65)
    let own = bench.store("own.backup")
    #expect(try bench.trendy("backup", own, "--sign", key, store: "phone").status == 0)
    #expect(try bench.run("trendyd", ["hub", "restore", own, "--data", bench.store("third-hub")]).status == 65)
    #expect(try bench.trendy("restore", own, "--sign", key, store: "copy").status == 0)
  }

  @Test func `a failed connect leaves no store, and init completes an empty one`() throws {
    let refused = try bench.trendy("connect", "http://127.0.0.1:1", "1234-5678", store: "new")
    #expect(refused.status == 69, "\(refused.talk)")
    #expect(!FileManager.default.fileExists(atPath: bench.store("new")))
    // The agent creates an empty store.
    let agent = try Running(bench, "trendyd", ["run", "--store", bench.store("new")])
    let manifest = bench.store("new") + "/manifest"
    #expect(try eventually { FileManager.default.fileExists(atPath: manifest) ? true : nil } == true, "\(agent.text)")
    agent.stop()
    #expect(try bench.trendy("init", store: "new").output.contains("Store ready."))
    #expect(try bench.trendy("log", "coffee", store: "new").status == 0)
    // Types that the user has deleted are not created again.
    try bench.trendy("undo", store: "new")
    for type in ["coffee", "mood", "workout", "medication", "journal"] {
      try bench.trendy("type", "rm", type, "--yes", store: "new")
    }
    #expect(try bench.trendy("init", store: "new").output.contains("already exists"))
    #expect(try bench.trendy("type", "list", "--plain", store: "new").output.isEmpty)
    #expect(try bench.trendy("connect", hub.url, "0000-0000", "--name", "new", store: "newer").status != 0)
    #expect(!FileManager.default.fileExists(atPath: bench.store("newer")))
    #expect(try bench.trendy("connect", hub.url, hub.code(), "--name", "newer", store: "newer").status == 0)
    #expect(try bench.trendy("init", store: "newer").output.contains("already exists"))
  }
}
