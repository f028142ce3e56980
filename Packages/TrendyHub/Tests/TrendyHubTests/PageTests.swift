import Foundation
import StorageTesting
import Testing
import TrendyArchive
import TrendyHub
import TrendyModels
import TrendyTesting

@Suite("The hub's pages", .timeLimit(.minutes(5)))
struct PageTests {
  private let hub: TestHub

  init() throws { hub = try TestHub() }

  /// Sends a request as a browser would, with host, origin and cookie.
  private func ask(
    _ method: String, _ target: String, host: String = "127.0.0.1:8787", origin: String? = nil, cookie: String? = nil,
    _ body: JSONValue? = nil, more: [(String, String)] = []
  ) async throws -> TestHub.Answer {
    var headers = HTTPHeaders([("Host", host)] + more)
    headers["Origin"] = origin
    headers["Cookie"] = cookie
    let response = await hub.server.handle(
      HTTPRequest(
        id: "r", method: method, target: target, headers: headers,
        body: try body.map { try WireJSON.encode($0) } ?? Data(), remoteAddress: "127.0.0.1"))
    return TestHub.Answer(
      status: response.status, headers: response.headers, body: try await response.collectedBody())
  }

  private static let site = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Sources/HubPages/site").standardizedFileURL

  private static let own = "http://127.0.0.1:8787"

  private func pairedCookie() async throws -> String {
    let code = try hub.server.accounts.createPairingCode(user: hub.user.id)
    let answer = try await ask(
      "POST", "/api/v1/session", origin: Self.own, ["code": .string(code), "device_name": "Firefox"])
    #expect(answer.status == 201)
    return String((answer.headers["Set-Cookie"] ?? "").prefix { $0 != ";" })
  }

  // MARK: Files

  @Test func `every page path returns the same document, which loads nothing from other sites`() async throws {
    let page = try await ask("GET", "/")
    #expect(page.status == 200 && page.headers["Content-Type"] == "text/html; charset=utf-8")
    #expect(page.headers["Cache-Control"] == "no-cache")
    let policy = page.headers["Content-Security-Policy"] ?? ""
    for part in ["default-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"] { #expect(policy.contains(part)) }
    #expect(!policy.contains("unsafe") && page.headers["Referrer-Policy"] == "no-referrer")
    // The documents at different paths differ only in the modules that they preload.
    func common(_ body: Data) -> [Substring] {
      String(decoding: body, as: UTF8.self).split(separator: "\n").filter { !$0.contains("modulepreload") }
    }
    for path in ["/timeline/2026-11-19?q=soup", "/types/abc?range=12w", "/calendar", "/settings"] {
      #expect(common(try await ask("GET", path).body) == common(page.body), "\(path)")
    }
    for (path, sources) in [("/", ""), ("/trips", ""), ("/places", "self"), ("/places/home", "self")] {
      let policy = try await ask("GET", path).headers["Permissions-Policy"] ?? ""
      #expect(policy.contains("geolocation=(\(sources))"), "\(path): \(policy)")
    }
    let text = String(decoding: page.body, as: UTF8.self)
    #expect(!text.contains("{{") && !text.contains("http://") && !text.contains("https://"))
    #expect(!text.contains("<style") && !text.contains("style=\"") && !text.contains(" on"))
    #expect(try await ask("GET", "/nothing").status == 404)
    // A browser that requests a mistyped path receives the main document, which reports that the page does not exist.
    let html = [("Accept", "text/html,application/xhtml+xml")]
    let missing = try await ask("GET", "/nothing", more: html)
    #expect(missing.status == 404 && missing.body == page.body)
    for path in ["/api/v1/nothing", "/assets/nothing"] {
      #expect(try await ask("GET", path, more: html).headers["Content-Type"] == "application/problem+json", "\(path)")
    }
    #expect(try await ask("GET", "/assets/0000000000000000/app.js").status == 404)
    #expect(try await ask("POST", "/").status == 404)
  }

  @Test func `assets have a hash in their path and are cached permanently`() async throws {
    let text = String(decoding: try await ask("GET", "/").body, as: UTF8.self)
    let addresses = text.matches(of: /"(\/assets\/[0-9a-f]{16}\/[^"]+)"/).map { String($0.output.1) }
    #expect(addresses.count > 2)
    for address in addresses {
      let file = try await ask("GET", address)
      #expect(file.status == 200, "\(address)")
      #expect(file.headers["Cache-Control"] == "public, max-age=31536000, immutable")
      #expect(file.headers["X-Content-Type-Options"] == "nosniff")
    }
  }

  @Test func `the first load of a page is its own modules, which compress to 120 kB`() async throws {
    for page in ["", "timeline", "calendar", "types", "insights", "trips", "mileage", "places", "devices", "data"] {
      let text = String(decoding: try await ask("GET", "/\(page)").body, as: UTF8.self)
      let addresses = Set(text.matches(of: /"(\/assets\/[0-9a-f]{16}\/[^"]+)"/).map { String($0.output.1) })
      var compressed = 0
      for address in addresses where !address.hasSuffix(".png") && !address.hasSuffix(".svg") {
        compressed += Deflater.compress(Array(try await ask("GET", address).body), as: .gzip, level: 6).count
      }
      #expect(compressed < 120_000, "\(page): \(compressed) bytes")
      let isTrips = addresses.contains { $0.hasSuffix("/pages/trips.js") }
      #expect(addresses.contains { $0.hasSuffix("/app.js") } && isTrips == (page == "trips"), "\(page)")
    }
  }

  @Test func `assets are served without comments and indentation`() async throws {
    let worker = String(decoding: try await ask("GET", "/worker.js").body, as: UTF8.self)
    let addresses = worker.matches(of: /\/assets\/[0-9a-f]{16}\/[^ ']+/).map { String($0.output) }
    #expect(addresses.count > 60)
    for address in addresses {
      let served = try await ask("GET", address).body
      guard address.hasSuffix(".js") || address.hasSuffix(".css") else { continue }
      let path = address.split(separator: "/").dropFirst(2).joined(separator: "/")
      let source = try String(contentsOf: Self.site.appending(path: path), encoding: .utf8)
      // Independent implementation that applies regular expressions to lines instead of scanning bytes.
      func words(_ line: Substring) -> String { line.split(separator: " ").joined(separator: " ") }
      let expected = source.replacing(/\/\*[\s\S]*?\*\//) { $0.output.contains("\n") ? "\n" : " " }
        .split(separator: "\n").map(words).filter { !$0.isEmpty && !$0.hasPrefix("//") }
      let lines = String(decoding: served, as: UTF8.self).split(separator: "\n")
      #expect(lines.map(words) == expected, "\(path)")
      #expect(!lines.contains { $0.hasPrefix(" ") || $0.hasSuffix(" ") }, "\(path)")
    }
  }

  @Test func `no string of the pages begins a comment or spans lines`() throws {
    for path in try FileManager.default.subpathsOfDirectory(atPath: Self.site.path) where path.hasSuffix(".js") {
      let source = try String(contentsOf: Self.site.appending(path: path), encoding: .utf8)
      let code = source.replacing(/\/\*[\s\S]*?\*\//, with: "").split(separator: "\n").filter {
        !$0.drop { $0 == " " }.hasPrefix("//")
      }
      for line in code { #expect(line.count { $0 == "`" } % 2 == 0, "\(path): \(line)") }
      for line in source.split(separator: "\n") {
        let comments = line.matches(of: /\/\*|^ *\/\//)
        for comment in comments {
          let before = line[..<comment.range.lowerBound].replacing(/\/\*.*?\*\//, with: "")
          let parts = before.split(separator: "`", omittingEmptySubsequences: false)
          // A comment is allowed within an interpolation in a template literal.
          let isInTemplate = parts.count % 2 == 0 && parts.last?.contains("${") == false
          let isInQuotes = "'\"".contains { quote in before.count { $0 == quote } % 2 == 1 }
          #expect(!isInTemplate && !isInQuotes, "\(path): \(line)")
        }
      }
    }
  }

  @Test func `a document that the browser has cached is not sent again`() async throws {
    let tag = try #require(try await ask("GET", "/").headers["ETag"])
    for field in [tag, "W/\(tag)", "\"other\", \(tag)"] {
      let answer = try await ask("GET", "/", more: [("If-None-Match", field)])
      #expect(answer.status == 304 && answer.body.isEmpty && answer.headers["ETag"] == tag, "\(field)")
    }
    #expect(try await ask("GET", "/", more: [("If-None-Match", "\"other\"")]).status == 200)
  }

  @Test func `a page is only served under a name of the hub`() async throws {
    #expect(try await ask("GET", "/", host: "evil.example").problem == "host_not_allowed")
  }

  @Test func `the list for the compiler contains every file of the pages`() throws {
    let list = try String(contentsOf: Self.site.appending(path: "../pages.c").standardizedFileURL, encoding: .utf8)
    let site = Self.site.path
    let paths = try FileManager.default.subpathsOfDirectory(atPath: site).filter { path in
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: "\(site)/\(path)", isDirectory: &isFolder) && !isFolder.boolValue
    }
    #expect(!paths.isEmpty)
    for path in paths { #expect(list.contains("#embed \"site/\(path)\""), "\(path): run Tools/list-pages") }
    #expect(list.split(separator: "#embed").count == paths.count + 1)
  }

  // MARK: Sessions

  @Test func `a session without a token only reports whether the hub has users`() async throws {
    let empty = HubServer(storage: TestHub.openStorage(SimulatedFileSystem()), clock: hub.clock)
    let answer = await empty.handle(HTTPRequest(id: "r", method: "GET", target: "/api/v1/session"))
    let document = try WireJSON.decode(JSONValue.self, from: try await answer.collectedBody())
    #expect(document == ["paired": false, "hub": "trendy", "has_people": false])
    #expect(try await ask("GET", "/api/v1/session").json == ["paired": false, "hub": "trendy", "has_people": true])
    #expect(try await ask("GET", "/api/v1/event-types").problem == "unauthorized")
  }

  @Test func `a browser is paired by code, and only the cookie contains its token`() async throws {
    let code = try hub.server.accounts.createPairingCode(user: hub.user.id)
    let answer = try await ask(
      "POST", "/api/v1/session", origin: Self.own, ["code": .string(code), "device_name": "Firefox"])
    let field = try #require(answer.headers["Set-Cookie"])
    for part in ["trendy-8787=", "; HttpOnly", "; SameSite=Strict", "; Path=/api/v1"] { #expect(field.contains(part)) }
    #expect(!field.contains("Secure"), "over plain HTTP a browser would not send it back")
    let cookie = String(field.prefix { $0 != ";" })
    let token = cookie.dropFirst("trendy-8787=".count)
    #expect(token.count == 43 && !String(decoding: answer.body, as: UTF8.self).contains(token))
    let session = try await ask("GET", "/api/v1/session", cookie: "other=1; \(cookie)")
    #expect(session["person"]["name"] == "Anna" && session["device"]["name"] == "Firefox")
    #expect(session.status == 200 && session["device"]["id"] == answer["device_id"])
    #expect(try hub.server.accounts.devices().contains { $0.name == "Firefox" })
  }

  @Test func `behind TLS the cookie is never sent over plain HTTP`() async throws {
    let code = try hub.server.accounts.createPairingCode(user: hub.user.id)
    let answer = try await ask(
      "POST", "/api/v1/session", host: "localhost", origin: "https://localhost",
      ["code": .string(code), "device_name": "Firefox"])
    #expect(answer.headers["Set-Cookie"]?.hasSuffix("; Secure") == true)
  }

  @Test func `a write with the cookie must come from the hub's own page`() async throws {
    let cookie = try await pairedCookie()
    let type: JSONValue = ["id": "t", "name": "Coffee", "color": "#000000", "icon": "cup"]
    func write(_ origin: String?, _ more: [(String, String)] = []) async throws -> TestHub.Answer {
      try await ask("POST", "/api/v1/event-types", origin: origin, cookie: cookie, type, more: more)
    }
    #expect(try await write(nil).problem == "origin_not_allowed")
    // To a browser, another port of the host is the same site, so it sends the cookie.
    #expect(try await write("http://127.0.0.1:3000").problem == "origin_not_allowed")
    #expect(try await write("http://localhost:8787").problem == "origin_not_allowed")
    #expect(try await write("https://evil.example").problem == "origin_not_allowed")
    #expect(try await write("null").problem == "origin_not_allowed")
    #expect(try await write(Self.own, [("Sec-Fetch-Site", "same-site")]).problem == "origin_not_allowed")
    #expect(
      try await ask("GET", "/api/v1/events", cookie: cookie, more: [("Sec-Fetch-Site", "cross-site")]).problem
        == "origin_not_allowed")
    #expect(try await write(Self.own, [("Sec-Fetch-Site", "same-origin")]).status == 201)
    // A client with a token is not a browser, so it needs no origin.
    #expect(try await hub.send("DELETE", "/event-types/t").status == 204)
  }

  @Test func `a pairing code is not accepted from another site`() async throws {
    let code = try hub.server.accounts.createPairingCode(user: hub.user.id)
    let body: JSONValue = ["code": .string(code), "device_name": "x"]
    for origin in [nil, "http://127.0.0.1:3000"] {
      #expect(try await ask("POST", "/api/v1/session", origin: origin, body).problem == "origin_not_allowed")
    }
    #expect(try await ask("POST", "/api/v1/session", origin: Self.own, body).status == 201, "it is still good")
  }

  @Test func `a revoked browser is locked out at once`() async throws {
    let cookie = try await pairedCookie()
    let id = try #require(try await ask("GET", "/api/v1/session", cookie: cookie)["device"]["id"].stringValue)
    #expect(try await hub.send("DELETE", "/me/devices/\(id)").status == 204)
    #expect(try await ask("GET", "/api/v1/events", cookie: cookie).problem == "token_revoked")
    #expect(try await ask("GET", "/api/v1/session", cookie: cookie).problem == "token_revoked")
  }

  @Test func `a browser that signs out revokes its device`() async throws {
    let cookie = try await pairedCookie()
    let answer = try await ask("DELETE", "/api/v1/session", origin: Self.own, cookie: cookie)
    #expect(answer.status == 204 && answer.headers["Set-Cookie"]?.contains("Max-Age=0") == true)
    #expect(try await ask("GET", "/api/v1/events", cookie: cookie).problem == "token_revoked")
  }

  @Test func `a user can be renamed unless another user has the name`() async throws {
    _ = try hub.server.accounts.createPerson(name: "Berta")
    #expect(try await hub.send("PATCH", "/me", ["name": "berta"]).detail.contains("already"))
    #expect(try await hub.send("PATCH", "/me", ["name": ""]).status == 400)
    #expect(try await hub.send("PATCH", "/me", ["name": "ANNA"])["name"] == "ANNA", "one's own in other letters")
    #expect(try hub.server.accounts.users().map(\.name).sorted() == ["ANNA", "Berta"])
    #expect(try await hub.send("GET", "/session")["person"]["name"] == "ANNA")
  }

  @Test func `a token for a tracker is a device of its user`() async throws {
    let made = try await hub.send("POST", "/me/tokens", ["name": "OwnTracks"])
    #expect(made.status == 201 && made["name"] == "OwnTracks")
    let token = try #require(made["token"].stringValue)
    #expect(try await hub.send("GET", "/session", token: token)["person"]["id"] == .string(hub.user.id))
    #expect(try await hub.send("POST", "/me/tokens", ["name": ""]).status == 400)
    let id = try #require(made["device_id"].stringValue)
    #expect(try await hub.send("DELETE", "/me/devices/\(id)").status == 204)
    #expect(try await hub.send("GET", "/event-types", token: token).problem == "token_revoked")
  }

  @Test func `a device pairs another one of its user and cannot revoke devices of others`() async throws {
    let code = try #require(try await hub.send("POST", "/me/pairing-codes")["code"].stringValue)
    #expect(try hub.server.accounts.pair(code: code, deviceName: "watch").device.user == hub.user.id)
    let other = try hub.server.accounts.createPerson(name: "Berta")
    let foreign = try hub.server.accounts.createToken(user: other.id, deviceName: "hers")
    #expect(try await hub.send("DELETE", "/me/devices/\(foreign.device.id)").problem == "not_found")
    #expect(try hub.server.accounts.device(token: foreign.token).revokedAt == nil)
  }
}
