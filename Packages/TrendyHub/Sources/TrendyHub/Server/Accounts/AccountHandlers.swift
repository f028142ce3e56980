import Foundation
import TrendyModels
import TrendyProtocols

struct AccountHandlers: Sendable {
  let records: HubRecords
  let authenticator: Authenticator
  let presence: DeviceContacts
  let configuration: HubConfiguration
  let pairingPicture: PairingPicture.Maker?

  var routes: [HubRoute] {
    [
      HubRoute(
        .post, "pair", name: "pair", summary: "Exchanges a pairing code for a device token.",
        body: .named("PairRequest"), answers: [.json(201, "paired", .named("PairResponse"))], .open(pair)),
      HubRoute(
        .get, "session", name: "getSession",
        summary: "Returns the user and the device, or how an unpaired browser can be paired.",
        answers: [.json(200, "the session, without a user if unpaired", .named("Session"))], .open(showSession)),
      HubRoute(
        .post, "session", name: "beginSession",
        summary: "Exchanges a pairing code for a cookie that contains a browser's device token.",
        body: .named("BrowserPairRequest"), answers: [.json(201, "paired", .named("BrowserPairing"))],
        .open(beginSession)),
      HubRoute(
        .delete, "session", name: "endSession", summary: "Revokes the token of the requesting device.",
        answers: [.nothing("revoked")], .device(endSession)),
      HubRoute(
        .post, "me/pairing-codes", name: "createPairingCode",
        summary: "Creates a code that pairs another device of the user.",
        answers: [
          .json(
            201, "the code and its QR code",
            .object([
              .required("code", .string), .required("expires_at", .date),
              .optional(
                "picture",
                .object([.required("link", .string), .required("size", .counter), .required("path", .string)])),
            ]))
        ], .device(makePairingCode)),
      HubRoute(
        .post, "me/tokens", name: "createToken",
        summary:
          "Creates a device with a token for a program that cannot pair. The token is returned only once.",
        body: .object([.required("name", .string)]),
        answers: [
          .json(
            201, "the token and its device",
            .object([.required("token", .string), .required("device_id", .string), .required("name", .string)]))
        ], .device(makeToken)),
      HubRoute(
        .patch, "me", name: "changePerson", summary: "Changes the name of the user.",
        body: .object([.required("name", .string)]),
        answers: [.json(200, "the user", .object([.required("id", .string), .required("name", .string)]))],
        .device(rename)),
      HubRoute(
        .delete, "me/devices/{id}", name: "revokeDevice", summary: "Revokes the token of a device of the user.",
        answers: [.nothing("revoked")], .device(revokeDevice)),
      HubRoute(
        .get, "me/devices", name: "listDevices", summary: "Lists the paired devices of the user.",
        answers: [.json(200, "the devices", .list(.named("Device")))], tag: .content, .device(listDevices)),
      HubRoute(
        .get, "me/storage", name: "getStorage", summary: "Returns the size of the record and its quota.",
        answers: [
          .json(
            200, "entries, bytes and quota",
            .object([
              .required("rows", .counter), .required("bytes", .counter), .required("quota_rows", .nullable(.counter)),
              .required("quota_bytes", .nullable(.counter)), .required("stored_bytes", .nullable(.counter)),
            ]))
        ], .device(showStorage)),
    ]
  }

  private func directory<Result: Sendable>(
    _ lane: StorageThreads.Lane, _ body: @escaping @Sendable (HubAccounts) throws -> Result
  ) async throws -> Result {
    try await records.store.perform(lane, for: "directory") { [accounts = records.accounts] in try body(accounts) }
  }

  // MARK: Pairing

  private func pair(_ call: HubCall) async throws -> HTTPResponse {
    let (token, device) = try await paired(call)
    return try .wire(
      PairResponse(token: token, deviceId: device.id, user: device.user, hub: configuration.name), status: 201)
  }

  /// Pairs a device. `former` is the id of the client's previous device, if the client was paired before.
  private func paired(
    _ call: HubCall, replacing former: String? = nil
  ) async throws -> (token: String, device: HubDevice) {
    let address = call.request.remoteAddress
    let asked = try call.document(PairRequest.self)
    return try await directory(.writing) {
      try $0.pair(
        code: asked.code, deviceName: asked.deviceName, holder: asked.user, replacing: former, address: address)
    }
  }

  private func makePairingCode(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    let expiry = records.clock.now.addingTimeInterval(Double(HubAccounts.pairingLifetime.components.seconds))
    let code = try await directory(.writing) { try $0.createPairingCode(user: sender.user) }
    var members: [String: JSONValue] = [
      "code": .string(code), "expires_at": .string(RFC3339.string(from: expiry)),
    ]
    let headers = call.request.headers
    let address = headers["Origin"] ?? headers["Host"].map { "http://\($0)" }
    members["picture"] = pairingPicture?(code, address)?.document
    return .json(.object(members), status: 201)
  }

  private func makeToken(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    let name = try call.body().string("name")
    let (token, device) = try await directory(.writing) {
      try $0.createToken(user: sender.user, deviceName: name)
    }
    return .json(
      ["token": .string(token), "device_id": .string(device.id), "name": .string(device.name)], status: 201)
  }

  // MARK: Browser sessions

  private func showSession(_ call: HubCall) async throws -> HTTPResponse {
    guard BrowserSession.token(of: call.request) != nil || call.request.headers["Authorization"] != nil else {
      let isEmpty = try await directory(.reading) { try $0.users().isEmpty }
      return .json(["paired": false, "hub": .string(configuration.name), "has_people": .bool(!isEmpty)])
    }
    let device = try await authenticator.device(of: call.request)
    let user = try await directory(.reading) { try $0.users().first { $0.id == device.user } }
    var members: [String: JSONValue] = [
      "paired": true, "hub": .string(configuration.name), "has_people": true,
      "person": ["id": .string(device.user), "name": .string(user?.name ?? "")],
      "device": ["id": .string(device.id), "name": .string(device.name)],
    ]
    if let tiles = configuration.tiles, let deepest = tiles.deepest {
      members["tiles"] = [
        "address": .string(tiles.template), "deepest": .int(Int64(deepest)), "credit": .string(tiles.credit),
      ]
    }
    return .json(.object(members))
  }

  /// Pairs a browser as a device. The browser's token is sent only in the cookie.
  private func beginSession(_ call: HubCall) async throws -> HTTPResponse {
    try configuration.check(browserOriginOf: call.request)
    let (token, device) = try await paired(call, replacing: try call.body().optionalString("replaces"))
    var response = HTTPResponse.json(
      ["device_id": .string(device.id), "person": .string(device.user), "hub": .string(configuration.name)],
      status: 201)
    response.headers["Set-Cookie"] = BrowserSession.cookie(token, for: call.request)
    return response
  }

  private func endSession(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    try await revoke(sender.id)
    var response = HTTPResponse(status: 204)
    response.headers["Set-Cookie"] = BrowserSession.cookie(nil, for: call.request)
    return response
  }

  // MARK: The user

  private func rename(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    let name = try call.body().string("name")
    let user = try await directory(.writing) { try $0.rename(user: sender.user, to: name) }
    return .json(["id": .string(user.id), "name": .string(user.name)])
  }

  private func showStorage(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    try await records.store.perform(.reading, for: sender.user) { [records, configuration] in
      let (own, rows, bytes) = try records.accounts.quota(of: sender.user)
      let quota = own.otherwise(configuration.quota)
      func number(_ number: Int64?) -> JSONValue { number.map { .int($0) } ?? .null }
      return .json([
        "rows": .int(rows), "bytes": .int(bytes), "quota_rows": number(quota.rows), "quota_bytes": number(quota.bytes),
        "stored_bytes": number(try records.storage.size(of: sender.user)),
      ])
    }
  }

  // MARK: Devices

  private func listDevices(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    let devices = try await records.devices(of: sender.user).filter { $0.revokedAt == nil }
    return .json(
      .array(
        devices.map { device in
          // The time of the current request would change the tag on every response.
          let seen = device.id == sender.id ? nil : presence.lastSeen(device)
          return [
            "id": .string(device.id), "name": .string(device.name),
            "created_at": .string(RFC3339.string(from: device.createdAt)), "current": .bool(device.id == sender.id),
            "seen_at": seen.map { .string(RFC3339.string(from: $0)) } ?? .null,
            "report": device.id == sender.id ? .null : presence.lastReport(device)?.document ?? .null,
          ]
        }))
  }

  private func revokeDevice(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    // Do not reveal whether another user has a device with this id.
    guard try await records.devices(of: sender.user).contains(where: { $0.id == call.id }) else {
      throw Problem.notFound("you have no device with the id \"\(call.id.prefix(60))\"")
    }
    try await revoke(call.id)
    return HTTPResponse(status: 204)
  }

  private func revoke(_ id: String) async throws {
    try await directory(.writing) { try $0.revoke(deviceId: id) }
    records.streams.onRevoked(id)
  }
}

extension HubRecords {
  /// Returns the user's devices, including revoked ones.
  func devices(of user: String) async throws -> [HubDevice] {
    try await store.perform(.reading, for: user) { [accounts] in try accounts.devices(user: user) }
  }
}
