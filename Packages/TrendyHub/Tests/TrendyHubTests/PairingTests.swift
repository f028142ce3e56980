import Foundation
import Testing
import TrendyHub
import TrendyModels
import TrendyProtocols
import TrendyTesting

@Suite("Pairing", .timeLimit(.minutes(2)))
struct PairingTests {
  private func pair(_ hub: TestHub, _ code: String, from address: String) async throws -> TestHub.Answer {
    try await hub.send(
      "POST", "/pair", ["code": .string(code), "device_name": "tablet"], token: "", address: address)
  }

  @Test func `of 120 concurrent wrong codes five are compared, and another hub counts them too`()
    async throws
  {
    let hub = try TestHub()
    let kinds = try await withThrowingTaskGroup(of: String?.self) { group in
      for number in 0..<120 {
        group.addTask { try await pair(hub, "0000-\(1000 + number)", from: "192.0.2.1").problem }
      }
      return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }
    #expect(kinds == ["pairing_code_invalid": 5, "rate_limited": 115])
    let other = hub.withNothingRead
    let code = try hub.server.accounts.createPairingCode(user: hub.user.id)
    #expect(try await pair(other, code, from: "192.0.2.1").status == 429)
    #expect(try await pair(other, code, from: "192.0.2.2").status == 201)
  }

  @Test func `a device that is paired again replaces its row, but no device of another user`() async throws {
    let hub = try TestHub()
    let accounts = hub.server.accounts
    let other = try accounts.createPerson(name: "Bea")
    func paired(_ user: String, replacing former: String?) throws -> HubDevice {
      let code = try accounts.createPairingCode(user: user)
      return try accounts.pair(code: code, deviceName: "Firefox", replacing: former).device
    }
    let first = try paired(hub.user.id, replacing: nil)
    let second = try paired(hub.user.id, replacing: first.id)
    #expect(second.name == first.name && second.id != first.id)
    _ = try paired(other.id, replacing: second.id)
    let kept = try accounts.devices(user: hub.user.id).filter { $0.name == "Firefox" && $0.revokedAt == nil }
    #expect(kept.map(\.id) == [second.id])
  }

  @Test func `a code may be tried five times from any address`() async throws {
    let hub = try TestHub()
    let code = try hub.server.accounts.createPairingCode(user: hub.user.id)
    let body: JSONValue = ["code": .string(code), "device_name": "tablet", "person": "somebody else"]
    for number in 1...5 {
      let answer = try await hub.send("POST", "/pair", body, token: "", address: "192.0.2.\(number)")
      #expect(answer.problem == "other_person")
    }
    let refused = try await pair(hub, code, from: "192.0.2.9")
    #expect(refused.status == 429 && refused.headers["Retry-After"] == "600")
  }

  @Test func `the wait ends ten minutes after the first attempt, and a success does not count`() async throws {
    let hub = try TestHub()
    for _ in 1...8 {
      let code = try hub.server.accounts.createPairingCode(user: hub.user.id)
      #expect(try await pair(hub, code, from: "192.0.2.1").status == 201)
    }
    for number in 1...5 {
      #expect(try await pair(hub, "0000-000\(number)", from: "192.0.2.1").status == 403)
      await hub.clock.advance(by: .seconds(60))
    }
    let refused = try await pair(hub, "0000-0009", from: "192.0.2.1")
    #expect(refused.status == 429 && refused.headers["Retry-After"] == "300")
    await hub.clock.advance(by: .seconds(300))
    #expect(try await pair(hub, "0000-0009", from: "192.0.2.1").status == 403)
    #expect(try await pair(hub, "0000-0010", from: "192.0.2.1").status == 429)
  }

  @Test func `addresses of one IPv6 subscriber count together`() async throws {
    let hub = try TestHub()
    for number in 1...5 { _ = try await pair(hub, "0000-000\(number)", from: "2001:db8::\(number)") }
    #expect(try await pair(hub, "0000-0009", from: "2001:db8::9").status == 429)
    #expect(try await pair(hub, "0000-0009", from: "2001:db8:0:1::9").status == 403)
  }

  @Test func `an expired code gets the same response as an unknown one`() async throws {
    let hub = try TestHub()
    let code = try hub.server.accounts.createPairingCode(user: hub.user.id)
    await hub.clock.advance(by: .seconds(600))
    let expired = try await pair(hub, code, from: "192.0.2.1")
    let unknown = try await pair(hub, "0000-0001", from: "192.0.2.1")
    #expect(expired.status == 403 && expired.body == unknown.body)
  }
}
