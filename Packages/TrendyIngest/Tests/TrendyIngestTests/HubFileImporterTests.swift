import Foundation
import HubTesting
import Testing
import TrendyHub
import TrendyIngest
import TrendyModels
import TrendyTesting

@Suite("Files uploaded to a hub", .timeLimit(.minutes(10)))
struct HubFileImporterTests {
  private let server: HubServer
  private let folder = FileManager.default.temporaryDirectory.appending(path: "uploads-\(UUID().uuidString)")

  init() throws {
    let clock = ManualClock(now: DeterministicDate.jan1_2024.addingTimeInterval(86_400))
    let storage = MemoryHubStorage()
    let ingest = HubIngest(storage: storage, clock: clock, openTracks: 2)
    server = HubServer(
      storage: storage, ingest: ingest,
      files: FileIntake(
        importer: HubFileImporter(storage: storage, ingest: ingest, clock: clock), folder: folder), clock: clock)
  }

  private func token(_ name: String) throws -> String {
    let user = try server.accounts.createPerson(name: name)
    return try server.accounts.createToken(user: user.id, deviceName: "phone").token
  }

  private func ask(
    _ method: String, _ path: String, _ body: Data = Data(), token: String
  ) async throws -> (status: Int, body: Data) {
    let response = await server.handle(
      HTTPRequest(
        id: "x", method: method, target: "/api/v1\(path)",
        headers: HTTPHeaders([("Authorization", "Bearer \(token)")]), body: body))
    return (response.status, try await response.collectedBody())
  }

  private func ask(
    _ method: String, _ path: String, _ body: JSONValue? = nil, token: String
  ) async throws -> [String: JSONValue] {
    let (_, data) = try await ask(method, path, try body.map { try WireJSON.encode($0) } ?? Data(), token: token)
    return try WireJSON.decode(JSONValue.self, from: data).objectValue ?? [:]
  }

  /// Uploads a file, performs one step of its import, and returns the import.
  private func take(_ file: Data, _ step: String, token: String) async throws -> [String: JSONValue] {
    defer { try? FileManager.default.removeItem(at: folder) }  // a directory left behind in /tmp is harmless
    _ = try await ask(
      "POST", "/imports", ["id": "i", "name": "file", "size": .int(Int64(file.count))], token: token)
    #expect(try await ask("PUT", "/imports/i/content", file, token: token).status == 200)
    _ = try await ask("POST", "/imports/i/\(step)", ["zone": "UTC"], token: token)
    return try await ask("GET", "/imports/i", token: token)
  }

  private func export(token: String) async throws -> Data {
    let event: JSONValue = ["id": "e", "event_type_id": "t", "timestamp": "2024-01-01T08:00:00Z", "notes": "oat"]
    _ = try await ask(
      "POST", "/event-types", ["id": "t", "name": "Coffee", "color": "#000000", "icon": "cup"], token: token)
    _ = try await ask("POST", "/events", event, token: token)
    return try await ask("GET", "/export?form=csv", token: token).body
  }

  private func notes(token: String) async throws -> [String] {
    let events = try await ask("GET", "/events", token: token).body
    return try WireJSON.decode(JSONValue.self, from: events).arrayValue?
      .compactMap { $0.objectValue?["notes"]?.stringValue } ?? []
  }

  @Test func `an export of one user is imported by another`() async throws {
    let file = try await export(token: token("Ada"))
    let ben = try token("Ben")
    let imported = try await take(file, "commit", token: ben)
    #expect(imported["state"] == "done", "\(imported)")
    #expect(imported["result"]?.objectValue?["new"] == ["event": 1, "event_type": 1])
    #expect(try await notes(token: ben) == ["oat"])
  }

  @Test func `a preview counts the events and writes none`() async throws {
    let file = try await export(token: token("Ada"))
    let ben = try token("Ben")
    let preview = try await take(file, "preview", token: ben)
    #expect(preview["state"] == "ready" && preview["preview"]?.objectValue?["new"]?.objectValue?["event"] == 1)
    #expect(try await notes(token: ben).isEmpty)
  }

  @Test(
    "a file that cannot be read is reported with the reason",
    arguments: [("\u{1}\u{2}\u{3}", "which cannot be imported"), ("PK\u{3}\u{4}", "is truncated")])
  func unreadable(text: String, reason: String) async throws {
    let failed = try await take(Data(text.utf8), "preview", token: token("Ada"))
    let problem = failed["problem"]?.objectValue ?? [:]
    #expect(failed["state"] == "failed" && problem["type"] == "urn:trendy:error:unreadable", "\(failed)")
    #expect(problem["detail"]?.stringValue?.contains(reason) == true, "\(problem)")
  }
}
