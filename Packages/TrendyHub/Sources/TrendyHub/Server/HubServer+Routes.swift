import Foundation
import Synchronization
import TrendyModels
import TrendyProtocols

extension HubCall {
  /// Whether it is one of the paths that are asked before there is a token.
  var isWithoutToken: Bool { path == ["health"] || path == ["ready"] || path == ["pair"] }
}

extension HubServer {
  /// Answers the paths that are asked before there is a token.
  func answerWithoutToken(_ call: HubCall) async throws -> HTTPResponse? {
    switch call.path {
    case ["health"]:
      _ = try call.method(.get)
      return .json(["status": "ok", "version": "1"])
    case ["ready"]:
      _ = try call.method(.get)
      return try await answerReady()
    case ["pair"]:
      _ = try call.method(.post)
      return try await pair(call)
    default: return nil
    }
  }

  func answer(_ call: HubCall, sender: HubDevice) async throws -> HTTPResponse {
    switch call.path {
    case ["changes"]:
      _ = try call.method(.get)
      return try await changes(call, sender)
    case ["changes", "latest-cursor"]:
      _ = try call.method(.get)
      return try await latestCursor(sender)
    case ["changes", "stream"]:
      _ = try call.method(.get)
      return try await changeStream(sender)
    case ["snapshot"]:
      _ = try call.method(.get)
      return try await snapshot(call, sender)
    case ["me", "sync"]:
      _ = try call.method(.get)
      return try await syncStatus(call, sender)
    case ["me", "devices"]:
      _ = try call.method(.get)
      return try await listDevices(sender)
    case ["me", "live"]: return try await answerLive(call, sender)
    case let path where path.first == "companions":
      return try await answerCompanions(call, sender)
    case ["mutations"]:
      _ = try call.method(.post)
      return try await mutations(call, sender)
    default:
      return try await carryOut(
        try await prepared(call, sender) { [self] in try workOnRecord(call, sender) }, for: sender.person)
    }
  }

  /// What a request of plain REST comes to.
  func workOnRecord(_ call: HubCall, _ sender: HubDevice) throws -> HubWork {
    if call.path == ["events", "batch"] {
      _ = try call.method(.post)
      return try batch(call, sender)
    }
    guard let first = call.path.first, let kind = SyncedKind.all.first(where: { $0.path == first }) else {
      throw Problem.unknownPath(call.request)
    }
    switch (kind.name, call.path.count) {
    case (_, 1):
      return switch try call.method(.get, .post) {
      case .get: try list(kind, call, sender)
      default: try create(kind, try call.body().members, call, sender)
      }
    case (_, 2):
      let id = call.path[1]
      return switch try call.method(.get, .put, .patch, .delete) {
      case .get: show(kind, id, sender)
      case .delete: delete(kind, id, sender)
      default: try update(kind, id, call, sender)
      }
    case (SyncedKind.eventType.name, 3) where call.path[2] == "properties":
      return switch try call.method(.get, .post) {
      case .get: listDefinitions(ofType: call.path[1], sender)
      default: try createDefinition(ofType: call.path[1], call, sender)
      }
    default: throw Problem.unknownPath(call.request)
    }
  }

  private func pair(_ call: HubCall) async throws -> HTTPResponse {
    let address = call.request.remoteAddress
    if let delay = pairing.withLock({ $0.delay(address: address, now: clock.uptime) }) {
      throw Problem(
        "rate_limited", status: 429, title: "Too many tries",
        detail: "too many pairing codes were wrong: wait, then ask for a new code", retryAfter: delay)
    }
    let body = try call.body()
    let code = try body.string("code")
    let name = try body.string("device_name")
    let holder = try body.optionalString("person")
    do {
      let (token, device) = try await store.perform(.writing, for: "directory") { [accounts] in
        try accounts.pair(code: code, deviceName: name, holder: holder)
      }
      return .json(
        [
          "token": .string(token), "device_id": .string(device.id), "person": .string(device.person),
          "hub": .string(configuration.name),
        ], status: 201)
    } catch let problem as Problem where problem.kind == "pairing_code_invalid" {
      pairing.withLock { $0.onFailure(address: address, now: clock.uptime) }
      throw problem
    }
  }
}
