import Foundation
import TrendyModels
import TrendyProtocols

/// How a browser shows its device's token: in a cookie that no script can read and no other site makes it send.
enum BrowserSession {
  /// The cookie of the hub at one port: cookies are shared by all ports of a host, and two hubs on one machine must not take
  /// each other's away.
  static func cookieName(of request: HTTPRequest) -> String {
    let host = request.headers["Host"] ?? ""
    guard let colon = host.lastIndex(of: ":"), case let port = host[host.index(after: colon)...], !port.isEmpty,
      port.allSatisfy({ ("0"..."9").contains($0) })
    else { return "trendy" }
    return "trendy-\(port)"
  }

  /// The token that the request's cookie holds; `nil` for none.
  static func token(of request: HTTPRequest) -> String? {
    let name = cookieName(of: request) + "="
    for field in request.headers.values(of: "Cookie") {
      for pair in field.split(separator: ";") {
        let pair = pair.drop { $0 == " " }
        if pair.hasPrefix(name), pair.count > name.count { return String(pair.dropFirst(name.count)) }
      }
    }
    return nil
  }

  /// The field that makes a browser keep the token, or with `nil` forget it.
  static func cookie(_ token: String?, for request: HTTPRequest) -> String {
    // Over TLS as the browser sees it: its own origin says so, also where a proxy ends TLS.
    let isSecure = request.headers["Origin"]?.lowercased().hasPrefix("https://") == true
    // Browsers keep none for longer than 400 days.
    let age = token == nil ? 0 : 400 * 86_400
    return "\(cookieName(of: request))=\(token ?? ""); Path=/api/v1; Max-Age=\(age); HttpOnly; SameSite=Strict"
      + (isSecure ? "; Secure" : "")
  }

}

extension HubConfiguration {
  /// Refuses what another site, or another port of this host, could have made a browser send along with its cookie.
  ///
  /// A write must name the hub's own origin, port and all; a read must not be said to come from anywhere else.
  func check(browserOriginOf request: HTTPRequest) throws(Problem) {
    let site = request.headers["Sec-Fetch-Site"]
    guard site == nil || site == "same-origin" || site == "none" else { throw .browserOrigin(site ?? "") }
    guard let origin = request.headers["Origin"] else {
      if request.method == "GET" || request.method == "HEAD" { return }
      throw .browserOrigin("")
    }
    guard isOwn(origin: origin.lowercased(), host: request.headers["Host"]?.lowercased()) else {
      throw .browserOrigin(origin)
    }
  }

  private func isOwn(origin: String, host: String?) -> Bool {
    for scheme in ["http://", "https://"] where origin.hasPrefix(scheme) {
      let named = origin.dropFirst(scheme.count)
      if let host, named == host { return true }
      // A proxy may ask by a name of its own; then the page is where the one who runs the hub said that it is.
      return allowedHosts.contains { $0.lowercased() == named }
    }
    return false
  }
}

extension Problem {
  fileprivate static func browserOrigin(_ origin: String) -> Problem {
    Problem(
      "origin_not_allowed", status: 403, title: "Origin not allowed",
      detail: origin.isEmpty
        ? "a browser's write must say that it comes from this hub's own page: expected the header field Origin"
        : "a browser's session counts on this hub's own page only, not on \"\(origin.prefix(100))\"")
  }
}

extension HubServer {
  /// Answers `GET /session`: who is asking, or how to come in.
  func showSession(_ call: HubCall) async throws -> HTTPResponse {
    guard BrowserSession.token(of: call.request) != nil || call.request.headers["Authorization"] != nil else {
      let isEmpty = try await store.perform(.reading, for: "directory") { [accounts] in
        try accounts.people().isEmpty
      }
      return .json(["paired": false, "hub": .string(configuration.name), "has_people": .bool(!isEmpty)])
    }
    let device = try await authenticate(call.request)
    let person = try await store.perform(.reading, for: "directory") { [accounts] in
      try accounts.people().first { $0.id == device.person }
    }
    var members: [String: JSONValue] = [
      "paired": true, "hub": .string(configuration.name), "has_people": true,
      "person": ["id": .string(device.person), "name": .string(person?.name ?? "")],
      "device": ["id": .string(device.id), "name": .string(device.name)],
    ]
    if let tiles = configuration.tiles, let deepest = tiles.deepest {
      members["tiles"] = [
        "address": .string(tiles.template), "deepest": .int(Int64(deepest)), "credit": .string(tiles.credit),
      ]
    }
    return .json(.object(members))
  }

  /// Answers `POST /session`: pairs a browser as a device; its token goes into the cookie and nowhere else.
  func beginSession(_ call: HubCall) async throws -> HTTPResponse {
    try configuration.check(browserOriginOf: call.request)
    let (token, device) = try await paired(call)
    var response = HTTPResponse.json(
      ["device_id": .string(device.id), "person": .string(device.person), "hub": .string(configuration.name)],
      status: 201)
    response.headers["Set-Cookie"] = BrowserSession.cookie(token, for: call.request)
    return response
  }

  /// Answers `DELETE /session`: the device is revoked, and the browser forgets it.
  func endSession(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    try await revoke(sender.id)
    var response = HTTPResponse(status: 204)
    response.headers["Set-Cookie"] = BrowserSession.cookie(nil, for: call.request)
    return response
  }

  /// Answers `DELETE /me/devices/{id}`.
  func revokeDevice(_ id: String, _ sender: HubDevice) async throws -> HTTPResponse {
    // Of somebody else's device nobody learns that it is there.
    let isOwn = try await store.perform(.reading, for: sender.person) { [accounts] in
      try accounts.devices(person: sender.person).contains { $0.id == id }
    }
    guard isOwn else { throw Problem.notFound("you have no device with the id \"\(id.prefix(60))\"") }
    try await revoke(id)
    return HTTPResponse(status: 204)
  }

  /// Answers `POST /me/pairing-codes`.
  func makePairingCode(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    let expiry = clock.now.addingTimeInterval(Double(HubAccounts.pairingLifetime.components.seconds))
    let code = try await store.perform(.writing, for: "directory") { [accounts] in
      try accounts.createPairingCode(person: sender.person)
    }
    var members: [String: JSONValue] = [
      "code": .string(code), "expires_at": .string(RFC3339.string(from: expiry)),
    ]
    let headers = call.request.headers
    let address = headers["Origin"] ?? headers["Host"].map { "http://\($0)" }
    members["picture"] = pairingPicture?(code, address)?.document
    return .json(.object(members), status: 201)
  }

  /// Answers `POST /me/tokens`: for a program that cannot take a code.
  func makeToken(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    let name = try call.body().string("name")
    let (token, device) = try await store.perform(.writing, for: "directory") { [accounts] in
      try accounts.createToken(person: sender.person, deviceName: name)
    }
    return .json(
      ["token": .string(token), "device_id": .string(device.id), "name": .string(device.name)], status: 201)
  }

  /// Answers `PATCH /me`.
  func changePerson(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    let name = try call.body().string("name")
    let person = try await store.perform(.writing, for: "directory") { [accounts] in
      try accounts.rename(person: sender.person, to: name)
    }
    return .json(["id": .string(person.id), "name": .string(person.name)])
  }

  private func revoke(_ id: String) async throws {
    try await store.perform(.writing, for: "directory") { [accounts] in try accounts.revoke(deviceId: id) }
    streams.onRevoked(id)
  }
}
