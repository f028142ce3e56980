import Foundation
import PostgresTesting
import Testing
import TrendyHub
import TrendyModels

@testable import TrendyHubPostgres

@Suite("Several hubs on one database, as devices see them", .onPostgres, .timeLimit(.minutes(5)))
struct HubLifeTests {
  private let cluster: PostgresCluster
  private let schema: String

  init() throws {
    cluster = try PostgresCluster.shared.get()
    schema = cluster.newSchema()
  }

  private func hub() throws -> HubServer { HubServer(storage: try cluster.storage(schema: schema)) }

  private func ask(
    _ hub: HubServer, _ method: String, _ target: String, token: String, _ body: JSONValue? = nil
  ) async throws -> (status: Int, members: [String: JSONValue]) {
    let response = await hub.handle(
      HTTPRequest(
        id: "r", method: method, target: "/api/v1\(target)",
        headers: HTTPHeaders([("Authorization", "Bearer \(token)"), ("Host", "localhost")]),
        body: try body.map { try WireJSON.encode($0) } ?? Data()))
    let json = try WireJSON.decode(JSONValue.self, from: try await response.collectedBody())
    return (response.status, json.objectValue ?? [:])
  }

  private func push(_ hub: HubServer, token: String, sequence: Int64) async throws -> [String: JSONValue] {
    let answer = try await ask(
      hub, "POST", "/mutations", token: token,
      [
        "device": "d", "acked_through": 0,
        "mutations": [
          [
            "seq": .int(sequence), "id": .string("m\(sequence)"), "entity_type": "event_type", "operation": "create",
            "entity_id": .string("t\(sequence)"),
            "payload": [
              "id": .string("t\(sequence)"), "name": .string("type \(sequence)"), "color": "#000000", "icon": "cup",
            ],
          ]
        ],
      ])
    #expect(answer.status == 200)
    return answer.members
  }

  @Test func `another hub begins no epoch, and a mutation sent to both is applied once`() async throws {
    let first = try hub()
    let user = try first.accounts.createPerson(name: "Ada")
    let token = try first.accounts.createToken(user: user.id, deviceName: "phone").token
    let told = try await push(first, token: token, sequence: 1)
    let second = try hub()
    #expect(try await push(second, token: token, sequence: 1)["outcomes"] == told["outcomes"])
    let later = try await push(second, token: token, sequence: 2)
    #expect(later["epochs"] == told["epochs"])
    #expect(try await push(first, token: token, sequence: 3)["head"] == 3)
    // A token revoked through one hub is rejected by the other.
    let device = try #require(try first.accounts.devices().first)
    try first.accounts.revoke(deviceId: device.id)
    #expect(try await ask(second, "GET", "/changes", token: token).status == 401)
  }

  @Test func `lost commits begin an epoch at running hubs, and devices that saw them get log_reset`() async throws {
    let hubs = try [hub(), hub()]
    let user = try hubs[0].accounts.createPerson(name: "Ada")
    let token = try hubs[0].accounts.createToken(user: user.id, deviceName: "phone").token
    let told = try await push(hubs[0], token: token, sequence: 1)
    _ = try await push(hubs[1], token: token, sequence: 2)
    // Reset the rows, the counter and the number of connections to their state after the first push.
    try cluster.run("DELETE FROM \(schema).entry WHERE version > 1")
    try cluster.run("DELETE FROM \(schema).outcome WHERE sequence > 1")
    try cluster.run("UPDATE \(schema).device SET mark = 1")
    try cluster.run(
      "UPDATE \(schema).counter SET head = 1, state = jsonb_set(state::jsonb, '{head}', '1')::text WHERE person <> ''")
    try cluster.run("UPDATE \(schema).witness SET count = 0")
    try cluster.endConnections(of: schema)
    // Another device writes first.
    let other = try hubs[1].accounts.createToken(user: user.id, deviceName: "laptop").token
    let made = try await ask(
      hubs[1], "POST", "/event-types", token: other,
      ["id": "x", "name": "x", "color": "#000000", "icon": "cup"])
    #expect(made.status == 201)
    let epoch = try #require(told["epoch"]?.stringValue)
    for hub in hubs {
      // A device whose version was not lost continues. A device that saw a lost version receives log_reset.
      let kept = try await ask(hub, "GET", "/changes?since=1&device=d&seen=1&epoch=\(epoch)", token: token)
      #expect(kept.status == 200)
      // Each hub notices the lower number of its connections and begins an epoch on its next read or write.
      #expect(kept.members["epochs"]?.arrayValue?.count == 3)
      let lost = try await ask(hub, "GET", "/changes?since=2&device=d&seen=2&epoch=\(epoch)", token: token)
      #expect(lost.status == 409)
      #expect(lost.members["type"] == "urn:trendy:error:log_reset")
    }
  }
}
