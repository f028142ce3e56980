import Foundation
import HubTesting
import TrendyHub
import TrendyModels
import TrendySimulation
import TrendyTesting

/// An in-memory hub with one user and one device.
struct FuzzHub: Sendable {
  let server: HubServer
  let clock: FuzzClock
  let token: String

  init(seed: UInt64) throws {
    clock = FuzzClock()
    server = HubServer(
      storage: MemoryHubStorage(), clock: clock, generator: SeededGenerator(seed: seed),
      configuration: HubConfiguration(requestsPerMinute: nil, snapshotPartBytes: 700))
    let user = try server.accounts.createPerson(name: "Anna").id
    token = try server.accounts.createToken(user: user, deviceName: "phone").token
  }

  /// Sends a request with the device's token.
  /// - Throws: ``Finding`` if the status is 500 or higher.
  func ask(_ method: String, _ path: String, _ body: [UInt8] = []) async throws -> (status: Int, body: Data) {
    let request = HTTPRequest(
      id: "fuzz", method: method, target: "/api/v1\(path)",
      headers: HTTPHeaders([("Authorization", "Bearer \(token)")]), body: Data(body))
    let response = await server.handle(request)
    let answer = try await response.collectedBody()
    guard response.status < 500 else {
      throw Finding(
        "\(method) \(path) \(String(decoding: body, as: UTF8.self)) returns \(response.status): "
          + String(decoding: answer, as: UTF8.self))
    }
    return (response.status, answer)
  }

  /// Checks that a device can decode the whole change feed.
  func check() async throws {
    var cursor: Int64 = 0
    while true {
      let page = try WireJSON.decode(
        ChangeFeedResponse.self, from: try await ask("GET", "/changes?since=\(cursor)&limit=500").body)
      for entry in page.changes {
        if let fault = entry.fault { throw Finding("the hub stored \(entry): \(fault)") }
        guard entry.id > cursor, entry.id <= page.nextCursor else {
          throw Finding("\(entry) is outside its page from \(cursor) to \(page.nextCursor)")
        }
      }
      guard page.hasMore else { return }
      cursor = page.nextCursor
    }
  }
}
