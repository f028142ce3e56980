import Foundation
import StorageTesting
import Testing
import TrendyHub
import TrendyModels
import TrendyTesting

@Suite("Accounts and access", .timeLimit(.minutes(10)))
struct HubAccountTests {
  private func pair(_ hub: TestHub, _ code: String, address: String = "10.0.0.1") async throws -> TestHub.Answer {
    try await hub.send("POST", "/pair", ["code": .string(code), "device_name": "laptop"], token: "", address: address)
  }

  @Test func `a code pairs one device once`() async throws {
    let hub = try TestHub(configuration: HubConfiguration(name: "attic"))
    let code = try hub.server.accounts.createPairingCode(user: hub.user.id)
    #expect(code.wholeMatch(of: /[0-9]{4}-[0-9]{4}/) != nil)
    let answer = try await pair(hub, code)
    #expect(answer.status == 201)
    #expect(answer["hub"] == "attic")
    let response: PairResponse = try answer.decoded()
    #expect(response.user == hub.user.id)
    #expect(response.token.utf8.count == 43)
    #expect(try await hub.send("GET", "/changes", token: response.token).status == 200)
    let again = try await pair(hub, code)
    #expect(again.status == 403)
    #expect(again.problem == "pairing_code_invalid")
    #expect(again.detail.contains("trendyd pair"))
    let devices = try hub.server.accounts.devices(user: hub.user.id)
    #expect(devices.map(\.name) == ["laptop", "phone"])
    #expect(devices.contains { $0.id == response.deviceId })
    // Neither the token nor the code may occur in any file.
    let digits = Array(code.replacing("-", with: "").utf8)
    for file in hub.disk.files {
      let contents = try #require(hub.disk.contents(file))
      #expect(!contents.contains(sequence: Array(response.token.utf8)), "\(file)")
      #expect(!contents.contains(sequence: digits), "\(file)")
    }
  }

  @Test func `a code that is rejected for a device of another user is not used up`() async throws {
    let hub = try TestHub()
    let code = try hub.server.accounts.createPairingCode(user: hub.user.id)
    func pair(as holder: String) async throws -> TestHub.Answer {
      try await hub.send(
        "POST", "/pair", ["code": .string(code), "device_name": "laptop", "person": .string(holder)], token: "")
    }
    for _ in 1...4 {
      let refused = try await pair(as: "somebody else")
      #expect(refused.status == 409 && refused.problem == "other_person")
    }
    #expect(try hub.server.accounts.devices().map(\.name) == ["phone"])
    #expect(try await pair(as: hub.user.id).status == 201)
    #expect(try await pair(as: hub.user.id).problem == "pairing_code_invalid")
  }

  @Test(arguments: [(599, 201), (600, 403)])
  func `a code is valid for ten minutes`(seconds: Int, status: Int) async throws {
    let hub = try TestHub()
    let code = try hub.server.accounts.createPairingCode(user: hub.user.id)
    await hub.clock.advance(by: .seconds(seconds))
    #expect(try await pair(hub, code.replacing("-", with: "")).status == status)
  }

  @Test func `an address with wrong codes has to wait, other addresses do not`() async throws {
    let hub = try TestHub()
    for _ in 0..<5 { #expect(try await pair(hub, "0000-0000").status == 403) }
    let code = try hub.server.accounts.createPairingCode(user: hub.user.id)
    let refused = try await pair(hub, code)
    #expect(refused.status == 429)
    #expect(refused.headers["Retry-After"] == "600")
    await hub.clock.advance(by: .seconds(599))
    let fresh = try hub.server.accounts.createPairingCode(user: hub.user.id)
    #expect(try await pair(hub, fresh).headers["Retry-After"] == "1")
    #expect(try await pair(hub, fresh, address: "10.0.0.2").status == 201)
    await hub.clock.advance(by: .seconds(1))
    #expect(try await pair(hub, try hub.server.accounts.createPairingCode(user: hub.user.id)).status == 201)
  }

  @Test func `clients of a trusted proxy are counted separately, and others cannot forge addresses`()
    async throws
  {
    let hub = try TestHub(configuration: HubConfiguration(trustedProxies: ["10.0.0.9"]))
    var code = 1000
    func guess(from sender: String, through address: String) async throws -> Int {
      code += 1
      return try await hub.send(
        "POST", "/pair", ["code": .string("0000-\(code)"), "device_name": "x"],
        headers: [("X-Forwarded-For", "1.1.1.1, \(sender)")], token: "", address: address
      ).status
    }
    for _ in 0..<5 { #expect(try await guess(from: "2.2.2.2", through: "10.0.0.9") == 403) }
    #expect(try await guess(from: "2.2.2.2", through: "10.0.0.9") == 429)
    #expect(try await guess(from: "3.3.3.3", through: "10.0.0.9") == 403)
    for number in 0..<5 { #expect(try await guess(from: "4.4.4.\(number)", through: "10.0.0.8") == 403) }
    #expect(try await guess(from: "4.4.4.9", through: "10.0.0.8") == 429)
  }

  @Test func `wrong codes from any number of addresses do not block other addresses`() async throws {
    let hub = try TestHub()
    for number in 0..<300 {
      let address = "10.0.\(number / 250).\(number % 250)"
      #expect(try await pair(hub, "0000-\(1000 + number)", address: address).status == 403)
    }
    let code = try hub.server.accounts.createPairingCode(user: hub.user.id)
    #expect(try await pair(hub, code, address: "10.0.2.1").status == 201)
  }

  @Test(
    "addresses of one subscriber count together",
    arguments: [
      ((0..<5).map { "2001:db8:1:2::\($0)" }, "2001:db8:1:2:ffff::1", "2001:db8:1:3::1"),
      (["10.0.0.1", "::ffff:10.0.0.1", "::FFFF:0a00:1", "10.0.0.1", "::ffff:10.0.0.1"], "10.0.0.1", "10.0.0.2"),
    ])
  func subscribers(guessers: [String], own: String, other: String) async throws {
    let hub = try TestHub()
    for address in guessers { #expect(try await pair(hub, "0000-0000", address: address).status == 403) }
    let code = try hub.server.accounts.createPairingCode(user: hub.user.id)
    #expect(try await pair(hub, code, address: own).status == 429)
    #expect(try await pair(hub, code, address: other).status == 201)
  }

  @Test func `only health and pairing are accessible without a valid token`() async throws {
    let hub = try TestHub()
    #expect(try await hub.send("GET", "/health", token: "").json == ["status": "ok", "version": "1"])
    for path in ["/changes", "/snapshot", "/events", "/me/sync", "/events/e", "/nothing"] {
      for token in ["", "wrong", hub.token + "x", String(hub.token.dropLast())] {
        let answer = try await hub.send("GET", path, token: token)
        #expect(answer.status == 401, "\(path) \(token)")
        #expect(answer.problem == "unauthorized")
        #expect(answer.headers["WWW-Authenticate"] == "Bearer")
      }
    }
    for value in ["Basic \(hub.token)", hub.token, "Bearer"] {
      #expect(try await hub.send("GET", "/changes", headers: [("Authorization", value)]).status == 401)
    }
    #expect(try await hub.send("GET", "/changes", headers: [("Authorization", "bearer \(hub.token)")]).status == 200)
  }

  @Test func `a removed user is locked out until restored and paired again`() async throws {
    let hub = try TestHub()
    try await hub.makeType()
    // Another process uses the storage while the hub is running.
    let accounts = HubAccounts(storage: TestHub.openStorage(hub.disk.anotherProcess()), clock: hub.clock)
    let code = try accounts.createPairingCode(user: hub.user.id)
    try accounts.remove(user: hub.user.id, isErasing: false)
    #expect(try await hub.send("GET", "/changes").problem == "token_revoked")
    #expect(try await pair(hub, code).status == 403)
    #expect(throws: Problem.self) { try accounts.createPairingCode(user: hub.user.id) }
    #expect(try accounts.users().isEmpty && accounts.removedPeople().map(\.name) == [hub.user.name])

    try accounts.restore(user: hub.user.id)
    #expect(try await hub.send("GET", "/changes").problem == "token_revoked")
    let (token, _) = try accounts.createToken(user: hub.user.id, deviceName: "new")
    let feed = try await hub.send("GET", "/changes", token: token)
    #expect(feed["changes"].arrayValue?.count == 1)
  }

  @Test func `the name of a removed user is free, and a restore fails while another user has it`() throws {
    let hub = try TestHub()
    let accounts = hub.server.accounts
    try accounts.remove(user: hub.user.id, isErasing: false)
    let other = try accounts.createPerson(name: hub.user.name)
    #expect(throws: Problem.self) { try accounts.restore(user: hub.user.id) }
    try accounts.remove(user: other.id, isErasing: false)
    try accounts.restore(user: hub.user.id)
    #expect(try accounts.users().map(\.id) == [hub.user.id])
  }

  @Test func `erasing a user leaves no files after any power cut, and later writes are rejected`()
    async throws
  {
    for change in 1... {
      let hub = try TestHub()
      let other = try hub.server.accounts.createPerson(name: "Eve")
      let (token, _) = try hub.server.accounts.createToken(user: other.id, deviceName: "phone")
      try await hub.makeType()
      _ = try await hub.send("POST", "/event-types", ["name": "Tea", "color": "#112233", "icon": "cup"], token: token)
      try hub.server.accounts.remove(user: hub.user.id, isErasing: true)
      #expect(throws: Problem.self) { try hub.server.accounts.restore(user: hub.user.id) }
      let user = try #require(try hub.server.accounts.removedPeople().first)
      hub.disk.powerOff(beforeChange: change)
      // If an erasure fails, the next start repeats it.
      try? hub.server.accounts.finishErasing(user: user)
      let isCutShort = hub.disk.isOff
      hub.disk.powerOff(beforeChange: .max)
      if isCutShort {
        hub.disk.restart(losing: .unsynced)
        let accounts = HubAccounts(storage: TestHub.openStorage(hub.disk.anotherProcess()))
        for user in try accounts.removedPeople() { try accounts.finishErasing(user: user) }
      } else {
        #expect(throws: HubStorageError.erased(user: hub.user.id)) {
          try hub.storage.write(user: hub.user.id) { _ in }
        }
      }
      let accounts = HubAccounts(storage: TestHub.openStorage(hub.disk.anotherProcess()))
      #expect(try accounts.removedPeople().isEmpty && accounts.devices().map(\.name) == ["phone"])
      #expect(try hub.disk.names(inDirectory: "/hub/people/\(hub.user.id)") == [])
      #expect(try !hub.disk.names(inDirectory: "/hub/people/\(other.id)").isEmpty)
      guard isCutShort else { break }
    }
  }

  @Test func `a revoked token is rejected, and other tokens stay valid`() async throws {
    let hub = try TestHub()
    let (other, device) = try hub.server.accounts.createToken(user: hub.user.id, deviceName: "lost")
    #expect(try await hub.send("GET", "/changes", token: other).status == 200)
    // Another process uses the storage while the hub is running.
    let accounts = HubAccounts(storage: TestHub.openStorage(hub.disk.anotherProcess()))
    try accounts.revoke(deviceId: device.id)
    try accounts.revoke(deviceId: device.id)
    let answer = try await hub.send("GET", "/changes", token: other)
    #expect(answer.status == 401)
    #expect(answer.problem == "token_revoked")
    #expect(try await hub.send("GET", "/changes").status == 200)
    #expect(throws: Problem.self) { try accounts.revoke(deviceId: "nobody") }
  }

  @Test func `a device beyond the rate limit gets Retry-After, and other devices are served`() async throws {
    let hub = try TestHub(configuration: HubConfiguration(requestsPerMinute: 60))
    for _ in 0..<60 { #expect(try await hub.send("GET", "/changes").status == 200) }
    let answer = try await hub.send("GET", "/changes")
    #expect(answer.problem == "rate_limited")
    #expect(answer.headers["Retry-After"] == "1")
    let other = try hub.server.accounts.createToken(user: hub.user.id, deviceName: "laptop").token
    #expect(try await hub.send("GET", "/changes", token: other).status == 200)
    await hub.clock.advance(by: .seconds(1))
    #expect(try await hub.send("GET", "/changes").status == 200)
    #expect(try await hub.send("GET", "/changes").status == 429)
  }

  @Test func `a hub without a limit serves every request`() async throws {
    let hub = try TestHub(configuration: HubConfiguration(requestsPerMinute: nil))
    for _ in 0..<1300 { #expect(try await hub.send("GET", "/changes/latest-cursor").status == 200) }
  }

  @Test func `two users cannot see each other's records`() async throws {
    let anna = try TestHub()
    let bert = try anna.server.accounts.createPerson(name: "Bert")
    let token = try anna.server.accounts.createToken(user: bert.id, deviceName: "phone").token
    try await anna.makeType()
    try await anna.makeEvent("e")
    _ = try await anna.push([TestHub.mutation(1, "update", "event", "e", ["notes": "secret"])], device: "d")
    for path in ["/events", "/event-types", "/geofences", "/property-definitions"] {
      #expect(try await anna.send("GET", path, token: token).json == [], "\(path)")
    }
    #expect(try await anna.send("GET", "/events/e", token: token).status == 404)
    #expect(try await anna.send("GET", "/changes", token: token)["changes"] == [])
    #expect(try await anna.send("GET", "/changes?since=1", token: token).problem == "log_reset")
    #expect(try await anna.send("GET", "/snapshot?device=d", token: token)["last_seq"] == 0)
    #expect(try await anna.send("GET", "/me/sync?device=d", token: token)["last_seq"] == 0)
    #expect(try await anna.send("PATCH", "/events/e", ["notes": "mine"], token: token).status == 404)
    #expect(try await anna.send("DELETE", "/events/e", token: token).status == 204)
    #expect(try await anna.send("GET", "/events/e")["notes"] == "secret")
    // Two users' records may contain the same ids and device identities.
    let own: JSONValue = ["id": "t", "name": "Run", "color": "#FFFFFF", "icon": "shoe"]
    #expect(try await anna.send("POST", "/event-types", own, token: token).status == 201)
    #expect(try await anna.send("GET", "/event-types/t")["name"] == "Coffee")
  }

  @Test func `names of users are unique and bounded`() throws {
    let hub = try TestHub()
    for name in ["Anna", "anna", "", "a\nb", String(repeating: "x", count: 257)] {
      #expect(throws: Problem.self) { try hub.server.accounts.createPerson(name: name) }
    }
    _ = try hub.server.accounts.createPerson(name: "Bert")
    #expect(try hub.server.accounts.users().map(\.name) == ["Anna", "Bert"])
    #expect(throws: Problem.self) { try hub.server.accounts.createPairingCode(user: "nobody") }
  }

  @Test func `the hub only accepts its own host names`() async throws {
    let hub = try TestHub(configuration: HubConfiguration(allowedHosts: ["hub.example", "192.168.1.5"]))
    for host in [
      "localhost", "LOCALHOST:80", "127.0.0.1:8080", "[::1]", "[::1]:8080", "hub.example", "Hub.Example:443",
      "192.168.1.5:1",
    ] {
      #expect(try await hub.send("GET", "/health", headers: [("Host", host)]).status == 200, "\(host)")
    }
    for host in ["evil.example", "hub.example.evil", "", "127.0.0.1.evil:80", "[::2]", "localhost:x", "::1"] {
      #expect(try await hub.send("GET", "/health", headers: [("Host", host)]).problem == "host_not_allowed", "\(host)")
    }
    for origin in ["http://localhost:3000", "https://hub.example"] {
      #expect(try await hub.send("GET", "/health", headers: [("Origin", origin)]).status == 200, "\(origin)")
    }
    for origin in ["null", "https://evil.example", "ftp://localhost", "localhost"] {
      #expect(
        try await hub.send("GET", "/health", headers: [("Origin", origin)]).problem == "origin_not_allowed", "\(origin)"
      )
    }
  }

  @Test func `a token is stored as its SHA-256 digest`() throws {
    let hub = try TestHub()
    let device = try #require(try hub.server.accounts.devices().first)
    #expect(device.tokenHash.count == 64)
    #expect(device.tokenHash != hub.token)
  }

  @Test func `devices of a user with equal names are numbered until one is revoked`() throws {
    let hub = try TestHub()
    let accounts = hub.server.accounts
    func pair(_ name: String, of user: String) throws -> HubDevice {
      try accounts.createToken(user: user, deviceName: name).device
    }
    let user = try accounts.createPerson(name: "Two machines").id
    let first = try pair("vm", of: user)
    #expect(try [first.name, pair("vm", of: user).name, pair("vm", of: user).name] == ["vm", "vm 2", "vm 3"])
    let other = try accounts.createPerson(name: "Somebody else").id
    #expect(try pair("vm", of: other).name == "vm", "names are a person's own")
    try accounts.revoke(deviceId: first.id)
    #expect(try pair("vm", of: user).name == "vm")
    let long = String(repeating: "x", count: 256)
    _ = try pair(long, of: user)
    #expect(try pair(long, of: user).name.utf8.count <= 256)
  }
}

extension [UInt8] {
  fileprivate func contains(sequence: [UInt8]) -> Bool {
    guard !sequence.isEmpty, count >= sequence.count else { return false }
    return indices.dropLast(sequence.count - 1).contains { start in
      self[start] == sequence[0] && self[start..<start + sequence.count].elementsEqual(sequence)
    }
  }
}
