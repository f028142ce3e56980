import Foundation
import Testing
import TrendyHub
import TrendyModels
import TrendyProtocols
import TrendyTesting

/// Directory for uploads, deleted at the end of the test.
final class TemporaryFiles: Sendable {
  let folder = FileManager.default.temporaryDirectory.appending(path: "trendy-files-\(UUID().uuidString)")

  var intake: FileIntake { FileIntake(importer: LineImporter(), folder: folder, largestFile: 1000, partBytes: 64) }

  var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] }

  deinit { try? FileManager.default.removeItem(at: folder) }  // if it fails, the directory only takes up space
}

/// Importer for lines such as `Tea|1`, an event with its type and minute. `?` is an invalid line, and `!` aborts the
/// import.
private struct LineImporter: FileImporting {
  func read(
    _ file: ImportFile, into desk: HubImportWriter, onProgress: (Int64) throws -> Void
  ) throws -> ImportSummary {
    var summary = ImportSummary(format: "lines", formatName: "Lines")
    desk.setFormat("lines")
    var read: Int64 = 0
    for line in try String(contentsOf: URL(filePath: file.path), encoding: .utf8).split(separator: "\n") {
      read += Int64(line.utf8.count + 1)
      try onProgress(read)
      if line == "!" { throw Problem("unreadable", status: 422, title: "Unreadable", detail: "it breaks off") }
      let parts = line.split(separator: "|").map(String.init)
      guard parts.count == 2, let minute = Double(parts[1]) else {
        summary.badCount += 1
        continue
      }
      guard file.onlyTypes.isEmpty || file.onlyTypes.contains(parts[0].lowercased()) else {
        summary.skipped["event not selected", default: 0] += 1
        continue
      }
      try take(parts[0], minute, file, desk, &summary)
    }
    return summary
  }

  private func take(
    _ name: String, _ minute: Double, _ file: ImportFile, _ desk: HubImportWriter, _ summary: inout ImportSummary
  ) throws {
    let type = "type-\(name.lowercased())"
    let event = "event-\(name.lowercased())-\(minute)"
    let time = RFC3339.string(from: Date(timeIntervalSince1970: 1_700_000_000 + minute * 60))
    let entities: [HubImportWriter.Entity] = [
      (.eventType, type, ["name": .string(name), "color": "#000000", "icon": "cup"]),
      (.event, event, ["event_type_id": .string(type), "timestamp": .string(time), "notes": .string(file.name)]),
    ]
    let outcomes: [HubImportWriter.Outcome] =
      try file.isDryRun
      ? entities.map { entity in
        switch try desk.standing(of: entity.kind.name, id: entity.id) {
        case .unknown, .takenBack: .made
        case .living, .deleted: .known
        }
      } : desk.save(entities)
    for (entity, outcome) in zip(entities, outcomes) {
      switch outcome {
      case .made: summary.new[entity.kind.name, default: 0] += 1
      case .known: summary.known += entity.kind == .event ? 1 : 0
      case .refused(let reason):
        summary.badCount += 1
        summary.problems.append(reason)
      }
    }
  }
}

@Suite("Imports of users", .timeLimit(.minutes(10)))
struct ImportTests {
  private let files = TemporaryFiles()
  private let hub: TestHub

  init() throws { hub = try TestHub(files: files.intake) }

  private func begin(_ id: String, size: Int, name: String = "tea.txt") async throws -> TestHub.Answer {
    try await hub.send("POST", "/imports", ["id": .string(id), "name": .string(name), "size": .int(Int64(size))])
  }

  private func send(_ text: String, as id: String) async throws {
    try await #require(begin(id, size: text.utf8.count).status == 201)
    try await #require(hub.put(Data(text.utf8), to: "/imports/\(id)/content?offset=0").status == 200)
  }

  private static let choice: JSONValue = ["zone": "UTC"]

  @discardableResult
  private func take(_ text: String, as id: String) async throws -> TestHub.Answer {
    try await send(text, as: id)
    return try await hub.send("POST", "/imports/\(id)/commit", Self.choice)
  }

  private func events() async throws -> [JSONValue] {
    try await hub.send("GET", "/events").json.arrayValue ?? []
  }

  private func typeNames() async throws -> [String] {
    try await (hub.send("GET", "/event-types").json.arrayValue ?? []).compactMap { $0["name"].stringValue }.sorted()
  }

  @Test func `an upload counts as stored bytes from its start`() async throws {
    let files = TemporaryFiles()
    let hub = try TestHub(configuration: HubConfiguration(quota: HubQuota(bytes: 200)), files: files.intake)
    func begin(_ size: Int64) async throws -> TestHub.Answer {
      try await hub.send("POST", "/imports", ["id": .string("i\(size)"), "name": "tea.txt", "size": .int(size)])
    }
    let refused = try await begin(201)
    #expect(refused.status == 507 && refused.problem == "quota_exceeded")
    #expect(refused.detail.contains("201 bytes") && refused.detail.contains("space for 200"), "\(refused.detail)")
    #expect(try await begin(200).status == 201)
    // The record's entities count towards the quota.
    try await hub.makeType()
    #expect(try await begin(199).status == 507)
    // The same upload may be started again.
    #expect(try await begin(200).status == 201)
  }

  @Test func `uploads of all users share a limit until they are imported`() async throws {
    let other = try hub.server.accounts.createPerson(name: "Bert")
    let third = try hub.server.accounts.createPerson(name: "Carl")
    let tokens = try [hub.user, other, third].map {
      try hub.server.accounts.createToken(user: $0.id, deviceName: "d").token
    }
    func begin(_ user: Int, size: Int64) async throws -> TestHub.Answer {
      try await hub.send(
        "POST", "/imports", ["id": "i", "name": "tea.txt", "size": .int(size)], token: tokens[user])
    }
    // 1,000 bytes per file, so 2,000 for all users together.
    #expect(try await begin(0, size: 1000).status == 201)
    #expect(try await begin(1, size: 994).status == 201)
    let refused = try await begin(2, size: 7)
    #expect(refused.status == 503 && refused.problem == "uploads_full" && refused.headers["Retry-After"] == "600")
    #expect(try await begin(2, size: 6).status == 201)
    try await #require(hub.put(Data("Tea|1\n".utf8), to: "/imports/i/content?offset=0", token: tokens[2]).status == 200)
    #expect(try await hub.send("POST", "/imports/i/commit", Self.choice, token: tokens[2])["state"] == "done")
    #expect(files.names.isEmpty)
    #expect(try await hub.send("DELETE", "/imports/i", token: tokens[1]).status == 204)
    #expect(try await begin(2, size: 1000).status == 409, "an import of this id was taken in")
  }

  @Test func `an import id is separate for each user and does not reveal those of others`() async throws {
    let other = try hub.server.accounts.createPerson(name: "Bert")
    let token = try hub.server.accounts.createToken(user: other.id, deviceName: "d").token
    try await send("Tea|1\n", as: "i")
    let theirs = try await hub.send(
      "POST", "/imports", ["id": "i", "name": "other.txt", "size": 6], token: token)
    #expect(theirs.status == 201 && theirs["received"] == 0)
    #expect(try await hub.send("DELETE", "/imports/i", token: token).status == 204)
    #expect(try await hub.send("POST", "/imports/i/commit", Self.choice)["state"] == "done")
  }

  @Test func `reading the status of an upload does not keep it longer than an hour`() async throws {
    try await send("Tea|1\n", as: "i")
    for _ in 1...2 {
      await hub.clock.advance(by: .seconds(1900))
      _ = try await hub.send("GET", "/imports/i")
    }
    _ = try hub.server.compact()
    #expect(files.names.isEmpty)
    #expect(try await hub.send("GET", "/imports/i").status == 404)
  }

  @Test func `an import beyond the quota fails with a reason and can be undone`() async throws {
    let files = TemporaryFiles()
    let hub = try TestHub(configuration: HubConfiguration(quota: HubQuota(rows: 3)), files: files.intake)
    let text = "Tea|1\nTea|2\nTea|3\n"
    _ = try await hub.send("POST", "/imports", ["id": "i", "name": "tea.txt", "size": .int(Int64(text.utf8.count))])
    try await #require(hub.put(Data(text.utf8), to: "/imports/i/content?offset=0").status == 200)
    let failed = try await hub.send("POST", "/imports/i/commit", Self.choice)
    #expect(failed["state"] == "failed")
    #expect(failed["problem"]["type"] == "urn:trendy:error:quota_exceeded", "\(failed.json)")
    #expect(failed["problem"]["detail"].stringValue?.contains("3 entries") == true)
    #expect(try await hub.send("GET", "/events").json.arrayValue?.count == 2)
    #expect(try await hub.send("POST", "/imports/i/undo").status == 202)
    #expect(try await hub.send("GET", "/events").json.arrayValue?.isEmpty == true)
  }

  @Test func `a preview writes nothing, and the import creates each event once`() async throws {
    let head = try await hub.changes().nextCursor
    try await send("Tea|1\nTea|2\n?\nRun|3\n", as: "i")
    let preview = try await hub.send("POST", "/imports/i/preview", Self.choice)
    #expect(preview.status == 202 && preview["state"] == "ready")
    #expect(preview["preview"]["new"]["event"] == 3 && preview["preview"]["bad"] == 1)
    #expect(try await hub.changes().nextCursor == head, "nothing is written")
    #expect(try await hub.send("GET", "/imports").json[0]["import"].isNull, "it waits")

    let taken = try await hub.send("POST", "/imports/i/commit", ["zone": "UTC", "types": ["tea"]])
    #expect(taken.status == 202 && taken["state"] == "done")
    #expect(taken["result"]["new"] == ["event": 2, "event_type": 1])
    #expect(taken["result"]["skipped"] == ["event not selected": 1])
    #expect(taken["import"]["format"] == "lines" && taken["import"]["made"] == ["event": 2, "event_type": 1])
    #expect(try await typeNames() == ["Tea"])
    #expect(try await events().count == 2)
    #expect(files.names == [], "the file is not kept")
    #expect(try await hub.send("POST", "/imports/i/commit", Self.choice).status == 409)

    // The same file is imported again.
    let second = try await take("Tea|1\nTea|2\n", as: "j")
    #expect(second["result"]["new"] == [:] && second["result"]["known"] == 2)
    #expect(second["import"].isNull, "what brought nothing is in no list")
    #expect(try await events().count == 2)
  }

  @Test func `a file is sent in parts, each of which may be repeated`() async throws {
    #expect(try await begin("i", size: 12)["part_bytes"] == 64)
    #expect(try await hub.put(Data("Tea|1\n".utf8), to: "/imports/i/content")["received"] == 6)
    let gap = try await hub.put(Data("x".utf8), to: "/imports/i/content?offset=7")
    #expect(gap.status == 400 && gap.detail.contains("expected at most 6"))
    #expect(try await hub.send("POST", "/imports/i/preview", Self.choice).status == 409, "it is not whole")
    // Assume that the response was lost, so the client sends the part again, with more data.
    #expect(try await hub.put(Data("Tea|1\nTe".utf8), to: "/imports/i/content?offset=0")["received"] == 8)
    #expect(try await begin("i", size: 12)["received"] == 8, "where it goes on is told")
    #expect(
      try await hub.put(Data("a|2\n!".utf8), to: "/imports/i/content?offset=8").status == 400, "more than was said")
    #expect(try await hub.put(Data("a|2\n".utf8), to: "/imports/i/content?offset=8")["received"] == 12)
    let preview = try await hub.send("POST", "/imports/i/preview", Self.choice)
    #expect(preview["preview"]["new"]["event"] == 2)
  }

  @Test("a file beyond the size limit is rejected with the limit", arguments: [(1000, 201), (1001, 413), (0, 400)])
  func sizes(size: Int, status: Int) async throws {
    let answer = try await begin("i", size: size)
    #expect(answer.status == status)
    if status == 413 { #expect(answer.detail.contains("at most 1000") && answer.detail.contains("trendy import")) }
  }

  @Test func `no user can read or change the upload of another`() async throws {
    let ben = try hub.server.accounts.createPerson(name: "Ben")
    let token = try hub.server.accounts.createToken(user: ben.id, deviceName: "phone").token
    try await send("Tea|1\n", as: "waits")
    for (method, path, body) in [
      ("GET", "", nil), ("POST", "/preview", Self.choice), ("POST", "/commit", Self.choice), ("POST", "/undo", nil),
      ("DELETE", "", nil),
    ] as [(String, String, JSONValue?)] {
      let answer = try await hub.send(method, "/imports/waits\(path)", body, token: token)
      #expect(answer.status == 404, "\(method) \(path)")
    }
    #expect(try await hub.put(Data("x".utf8), to: "/imports/waits/content", token: token).status == 404)
    let same: JSONValue = ["id": "waits", "name": "tea.txt", "size": 6]
    #expect(try await hub.send("POST", "/imports", same, token: token)["received"] == 0)
    #expect(try await hub.send("DELETE", "/imports/waits", token: token).status == 204)
    #expect(try await hub.send("POST", "/imports/waits/commit", Self.choice)["state"] == "done")
    #expect(try await hub.send("POST", "/imports/waits/undo", token: token).status == 404)
    #expect(try await hub.send("GET", "/imports", token: token).json == [])
    #expect(try await events().count == 1)
  }

  @Test func `an undone import keeps edited and used entities and can be repeated`() async throws {
    try await take("Tea|1\nTea|2\nTea|3\nRun|4\n", as: "i")
    let ids = try await events().compactMap { $0["id"].stringValue }
    let tea = try #require(
      try await hub.send("GET", "/event-types").json.arrayValue?.first { $0["name"] == "Tea" }?["id"].stringValue)
    // The list is sorted latest first.
    _ = try await hub.send("PATCH", "/events/\(ids[2])", ["notes": "mine"])
    _ = try await hub.send("DELETE", "/events/\(ids[1])")
    _ = try await hub.makeEvent("own", type: tea)

    let undone = try await hub.send("POST", "/imports/i/undo")
    #expect(undone.status == 202 && undone["state"] == "undone" && undone["import"]["undone_at"].stringValue != nil)
    // The import created six entities. One was edited, one was deleted, and the type of the remaining events is in use.
    #expect(undone["removed"] == 3 && undone["left"] == 3)
    #expect(try await Set(events().compactMap { $0["id"].stringValue }) == ["own", ids[2]])
    #expect(try await typeNames() == ["Tea"])
    #expect(try await hub.send("POST", "/imports/i/undo").status == 202, "once more is nothing more")

    // Events removed by the undo are imported again with their type, but the event that the user deleted is not.
    let again = try await take("Tea|1\nTea|2\nTea|3\nRun|4\n", as: "j")
    #expect(again["result"]["new"] == ["event": 2, "event_type": 1])
    #expect(try await Set(events().compactMap { $0["id"].stringValue }) == Set(["own", ids[0], ids[2], ids[3]]))
    #expect(try await hub.send("POST", "/imports/j/undo")["removed"] == 3)
    #expect(try await Set(events().compactMap { $0["id"].stringValue }) == ["own", ids[2]])
  }

  @Test func `an event deleted and restored since stays when its import is undone`() async throws {
    try await take("Tea|1\nTea|2\n", as: "i")
    let ids = try await events().compactMap { $0["id"].stringValue }
    _ = try await hub.send("DELETE", "/events/\(ids[0])")
    #expect(try await hub.send("POST", "/events/\(ids[0])/restore").status == 200)
    #expect(try await hub.send("POST", "/imports/i/undo")["removed"] == 1)
    #expect(try await events().compactMap { $0["id"].stringValue } == [ids[0]])
  }

  @Test func `an event deleted by the user during an undo is not imported again`() async throws {
    try await take("Tea|1\n", as: "i")
    let type = try await hub.send("GET", "/event-types").json[0]["id"].stringValue ?? ""
    _ = try await hub.makeEvent("event-tea-9.0", type: type)
    // State of a hub that stopped while undoing the import.
    try hub.storage.write(user: hub.user.id) { transaction in
      var entry = try #require(try transaction.imports().first)
      entry.undoneAt = hub.clock.now
      try transaction.put(entry)
    }
    #expect(try await hub.send("DELETE", "/events/event-tea-9.0").status == 204)
    let again = try await take("Tea|9\nTea|8\n", as: "j")
    #expect(again["result"]["new"] == ["event": 1] && again["result"]["known"] == 1)
    #expect(try await events().compactMap { $0["id"].stringValue }.sorted() == ["event-tea-1.0", "event-tea-8.0"])
  }

  @Test func `an aborted import can be undone`() async throws {
    let broken = try await take("Tea|1\nTea|2\n!\nTea|3\n", as: "i")
    #expect(broken["state"] == "failed" && broken["problem"]["detail"] == "it breaks off")
    #expect(try await events().count == 2)
    let restarted = HubServer(storage: TestHub.openStorage(hub.disk), files: files.intake, clock: hub.clock)
    let list = await restarted.handle(
      HTTPRequest(
        id: "x", method: "GET", target: "/api/v1/imports",
        headers: HTTPHeaders([("Authorization", "Bearer \(hub.token)")])))
    let entries = try WireJSON.decode(JSONValue.self, from: try await list.collectedBody())
    #expect(entries[0]["state"] == "interrupted" && entries[0]["import"]["made"]["event"] == 2)
    #expect(try await hub.send("POST", "/imports/i/undo")["removed"] == 3)
    #expect(try await events().isEmpty)
    #expect(try await typeNames().isEmpty)
  }

  @Test func `an unreadable file writes nothing and can be read with other options`() async throws {
    try await send("Tea|1\n!\n", as: "i")
    let failed = try await hub.send("POST", "/imports/i/preview", Self.choice)
    #expect(failed["state"] == "failed" && failed["problem"]["type"] == "urn:trendy:error:unreadable")
    #expect(try await events().isEmpty)
    #expect(try await hub.send("POST", "/imports/i/commit", Self.choice).status == 409)
    #expect(try await hub.send("POST", "/imports/i/preview", ["zone": "UTC", "date_format": "ymd"]).status == 400)
    for names: JSONValue in [["Tea"], ["Tea": 1], ["Tea": ""], .null] {
      let answer = try await hub.send("POST", "/imports/i/preview", ["zone": "UTC", "type_map": names])
      #expect(answer.status == 400 && answer.detail.hasPrefix("type_map"), "\(names): \(answer.detail)")
    }
    #expect(try await hub.send("POST", "/imports/i/preview", ["zone": "UTC", "date_format": "dmy"]).status == 202)
  }

  @Test func `an unused upload is deleted after an hour, and a replaced one at once`() async throws {
    try await send("Tea|1\n", as: "first")
    try await send("Tea|2\n", as: "second")
    #expect(files.names.count == 1)
    #expect(try await hub.send("GET", "/imports/first").status == 404)
    await hub.clock.advance(by: .seconds(3500))
    #expect(try await hub.send("GET", "/imports/second").status == 200)
    await hub.clock.advance(by: .seconds(3601))
    _ = try hub.server.compact()
    #expect(files.names == [])
    let late = try await hub.send("POST", "/imports/second/commit", Self.choice)
    #expect(late.status == 404 && late.detail.contains("send the file again"))
    try await send("Tea|3\n", as: "third")
    #expect(try await hub.send("DELETE", "/imports/third").status == 204)
    #expect(files.names == [])
  }

  @Test func `a hub without imports answers 404`() async throws {
    let hub = try TestHub()
    let answer = try await hub.send("GET", "/imports")
    #expect(answer.status == 404 && answer.detail.contains("does not accept imports"))
  }
}
