import Foundation
import Testing
import TrendyHub
import TrendyModels
import TrendyTesting

/// A hub position is valid only for one user's record.
@Suite("Epochs of a record", .timeLimit(.minutes(10)))
struct RecordEpochTests {
  private static let type = TestHub.mutation(1, "create", "event_type", "t", TestHub.typePayload)

  private func push(_ hub: TestHub, token: String, seen: Int64, epoch: String) async throws -> TestHub.Answer {
    try await hub.send(
      "POST", "/mutations",
      ["device": "d", "seen": .int(seen), "epoch": .string(epoch), "acked_through": 0, "mutations": []], token: token)
  }

  @Test func `a device of a user who was erased and created again gets log_reset`()
    async throws
  {
    let hub = try TestHub()
    let first = try await hub.push([Self.type], device: "d", lastSequence: 1)
    let epoch = try #require(first["epoch"].stringValue)
    #expect(try await push(hub, token: hub.token, seen: 1, epoch: epoch).status == 200)

    try hub.server.accounts.remove(user: hub.user.id, isErasing: true)
    let again = try hub.server.accounts.createPerson(name: "Anna again")
    let token = try hub.server.accounts.createToken(user: again.id, deviceName: "phone").token
    let created = try await hub.send(
      "POST", "/event-types", ["id": "other", "name": "Tea", "color": "#000000", "icon": "cup"], token: token)
    #expect(created.status == 201, "the new record stands at the same version")
    let answer = try await push(hub, token: token, seen: 1, epoch: epoch)
    #expect(answer.status == 409 && answer.problem == "log_reset")
  }
}
