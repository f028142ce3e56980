import Foundation
import Testing
import TrendyHub
import TrendyModels
import TrendyProtocols

/// Tests every route with every kind of credentials.
@Suite("Authorisation")
struct AuthorisationTests {
  /// Routes that need no token. Listed by hand, so a route that becomes open by mistake fails the test.
  private static let open: Set<String> = [
    "GET /api/v1/health", "GET /api/v1/openapi.json", "GET /api/v1/ready", "GET /api/v1/session", "POST /api/v1/pair",
    "POST /api/v1/session",
  ]
  private static let local: Set<String> = ["GET /metrics"]

  enum Credentials: CaseIterable {
    case none, emptyToken, unknownToken, revokedToken, twoTokens, basic, tokenInQuery, token, cookie, cookieOfOtherSite
    case tokenOfOtherUser, otherHost
  }

  private let hub: TestHub
  private let ben: (user: HubUser, token: String)

  init() throws {
    let tiles = MapTiles("/nowhere")
    hub = try TestHub(configuration: HubConfiguration(requestsPerMinute: nil, tiles: tiles), ingest: NoIngest())
    let user = try hub.server.accounts.createPerson(name: "Ben")
    ben = (user, try hub.server.accounts.createToken(user: user.id, deviceName: "phone").token)
  }

  /// Returns the problem expected from a route that requires a token, or `nil` if the credentials are accepted.
  private static func refusal(of credentials: Credentials) -> (status: Int, kind: String)? {
    switch credentials {
    case .none, .emptyToken, .unknownToken, .twoTokens, .basic, .tokenInQuery: (401, "unauthorized")
    case .revokedToken: (401, "token_revoked")
    case .cookieOfOtherSite: (403, "origin_not_allowed")
    case .otherHost: (403, "host_not_allowed")
    case .tokenOfOtherUser: (409, "other_person")
    case .token, .cookie: nil
    }
  }

  /// Returns the header fields for the credentials, and the query to append to the target.
  private func headers(_ credentials: Credentials) throws -> (fields: [(String, String)], suffix: String) {
    // The route may revoke the device, so each request uses a new one.
    let (token, device) = try hub.server.accounts.createToken(user: hub.user.id, deviceName: "new")
    let cookie = [("Host", "localhost:1"), ("Cookie", "trendy-1=\(token)")]
    let bearer = ("Authorization", "Bearer \(token)")
    switch credentials {
    case .none: return ([], "")
    case .emptyToken: return ([("Authorization", "Bearer ")], "")
    case .unknownToken: return ([("Authorization", "Bearer \(token.reversed())")], "")
    case .revokedToken:
      try hub.server.accounts.revoke(deviceId: device.id)
      return ([bearer], "")
    case .twoTokens: return ([bearer, bearer], "")
    case .basic: return ([("Authorization", "Basic \(Data("x:\(token)".utf8).base64EncodedString())")], "")
    case .tokenInQuery: return ([], "?token=\(token)")
    case .token: return ([bearer], "")
    case .cookie: return (cookie + [("Origin", "http://localhost:1")], "")
    case .cookieOfOtherSite: return (cookie + [("Sec-Fetch-Site", "cross-site")], "")
    case .tokenOfOtherUser: return ([bearer, ("Trendy-Person", ben.user.id)], "")
    case .otherHost: return ([bearer, ("Host", "elsewhere.example")], "")
    }
  }

  private func ask(
    _ method: String, _ target: String, _ fields: [(String, String)], address: String = "192.0.2.7", body: Data = Data()
  ) async throws -> (status: Int, problem: String?, text: String) {
    let response = await hub.server.handle(
      HTTPRequest(
        id: "x", method: method, target: target, headers: HTTPHeaders(fields), body: body, remoteAddress: address))
    // The change stream never ends.
    if response.headers["Content-Type"] == "text/event-stream" { return (response.status, nil, "") }
    let answer = TestHub.Answer(
      status: response.status, headers: response.headers, body: try await response.collectedBody())
    return (answer.status, answer.problem, String(decoding: answer.body, as: UTF8.self))
  }

  @Test("every route accepts or rejects these credentials", arguments: Credentials.allCases)
  func matrix(credentials: Credentials) async throws {
    #expect(hub.server.router.routes.count > 90)
    for route in hub.server.router.routes {
      let operation = "\(route.method.rawValue) \(route.address)"
      let (fields, suffix) = try headers(credentials)
      let target = route.address.replacing(/\{\w+\}/, with: "none") + suffix
      let answer = try await ask(route.method.rawValue, target, fields)
      if credentials == .otherHost || !Self.open.contains(operation), let refusal = Self.refusal(of: credentials) {
        #expect(answer.status == refusal.status && answer.problem == refusal.kind, "\(operation)")
      } else {
        // An open route may perform its own check of the credentials.
        let isOwnCheck = operation.hasSuffix("/session") || operation.hasSuffix("/pair")
        #expect(isOwnCheck || answer.problem != "unauthorized" && answer.problem != "token_revoked", "\(operation)")
      }
      if route.method == .get, !Self.open.contains(operation), let refusal = Self.refusal(of: credentials) {
        #expect(try await ask("HEAD", target, fields).status == refusal.status, "HEAD \(route.address)")
        // Only paired devices may learn which methods and paths exist.
        guard !Self.local.contains(operation) else { continue }
        #expect(try await ask("TRACE", target, fields).status == refusal.status, "TRACE \(route.address)")
        #expect(try await ask("GET", "/api/v1/x\(suffix)", fields).status == refusal.status)
      }
    }
  }

  @Test func `a process on this machine needs a token for everything but metrics`() async throws {
    for route in hub.server.router.routes {
      let operation = "\(route.method.rawValue) \(route.address)"
      let answer = try await ask(
        route.method.rawValue, route.address.replacing(/\{\w+\}/, with: "none"), [], address: "127.0.0.1")
      let needsToken = !Self.open.contains(operation) && !Self.local.contains(operation)
      #expect((answer.status == 401) == needsToken, "\(operation)")
    }
  }

  @Test func `the OpenAPI document lists the same operations without a token`() async throws {
    let text = try await ask("GET", "/api/v1/openapi.json", []).text
    let document = try WireJSON.decode(JSONValue.self, from: Data(text.utf8))
    var open: Set<String> = []
    var count = 0
    for (path, item) in document["paths"].objectValue ?? [:] {
      for (method, operation) in item.objectValue ?? [:] where method != "parameters" {
        count += 1
        if operation["security"] == [] { open.insert("\(method.uppercased()) /api/v1\(path)") }
      }
    }
    #expect(open == Self.open)
    // The API description omits the routes for metrics and tiles.
    #expect(count == hub.server.router.routes.count - 2)
  }

  @Test func `no route reads or changes the record or the devices of another user`() async throws {
    let secret = "Anna's secret"
    try await hub.makeType("t", name: secret)
    try await hub.makeEvent("e")
    _ = try await hub.makeTrip("trip", ["secret": ["type": "text", "value": .string(secret)]])
    for (path, body) in [
      ("geofences", ["id": "g", "latitude": 48, "longitude": 11, "radius": 100]), ("vehicles", ["id": "v"]),
      (
        "property-definitions",
        ["id": "p", "event_type_id": "t", "key": "size", "label": .string(secret), "property_type": "text"]
      ),
    ] as [(String, [String: JSONValue])] {
      let members = path == "property-definitions" ? body : body.merging(["name": .string(secret)]) { $1 }
      #expect(try await hub.send("POST", "/\(path)", .object(members)).status == 201, "\(path)")
    }
    let watch = try hub.server.accounts.createToken(user: hub.user.id, deviceName: secret)
    let link = try await hub.send("POST", "/companions", ["companion_id": .string(watch.device.id)])
    let before = try await hub.changes().changes
    let ids = ["t", "e", "trip", "g", "v", "p", watch.device.id, link["id"].stringValue ?? ""]
    let body = try WireJSON.encode(["name": "changed", "notes": "changed", "with": "trip", "into": "t", "act": "a"])
    for route in hub.server.router.routes where !(route.method == .delete && route.address == "/api/v1/session") {
      for id in route.address.contains("{id}") ? ids : [""] {
        let answer = try await ask(
          route.method.rawValue, route.address.replacing("{id}", with: id).replacing(/\{\w+\}/, with: "0"),
          [("Authorization", "Bearer \(ben.token)")], body: route.method == .get ? Data() : body)
        #expect(!answer.text.contains(secret), "\(route.method.rawValue) \(route.address) \(id)")
      }
    }
    #expect(try await hub.changes().changes == before)
    #expect(try await hub.send("GET", "/companions").json[0]["id"] == link["id"])
    #expect(try await hub.send("GET", "/me/devices", token: watch.token).json.arrayValue?.count == 2)
  }
}

/// Accepts posts without storing readings.
private struct NoIngest: Ingest {
  func take(_ request: IngestRequest, from sender: IngestSender) async throws -> IngestResponse { IngestResponse() }
}
