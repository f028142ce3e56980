import Foundation
import StorageTesting
import Testing
import TrendyHub
import TrendyModels

@Suite("Map tiles", .timeLimit(.minutes(5)))
struct MapTileTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "tiles-\(UUID().uuidString)")

  /// Returns a hub's response to a browser, with these tiles configured.
  private func ask(
    _ tiles: MapTiles?, _ target: String, more: [(String, String)] = [], isPaired: Bool = true
  ) async throws -> TestHub.Answer {
    let hub = try TestHub(configuration: HubConfiguration(tiles: tiles))
    var headers = HTTPHeaders([("Host", "127.0.0.1:8787")] + more)
    if isPaired { headers["Authorization"] = "Bearer \(hub.token)" }
    let response = await hub.server.handle(
      HTTPRequest(id: "r", method: "GET", target: target, headers: headers, remoteAddress: "127.0.0.1"))
    return TestHub.Answer(
      status: response.status, headers: response.headers, body: try await response.collectedBody())
  }

  private func policy(_ tiles: MapTiles?) async throws -> String {
    try await ask(tiles, "/", isPaired: false).headers["Content-Security-Policy"] ?? ""
  }

  // MARK: Sources that pages may load

  @Test func `pages load images only from the configured map server`() async throws {
    let server = try #require(MapTiles("https://Tiles.example:8443/a/{z}/{x}/{y}.png?key=1", credit: "© A"))
    let told = try await policy(server)
    #expect(told.contains("img-src 'self' https://tiles.example:8443; "))
    let blank = try await policy(nil)
    #expect(told.replacing("img-src 'self' https://tiles.example:8443; ", with: "") == blank)
    #expect(try await policy(MapTiles("/srv/tiles")) == blank)
    #expect(!blank.contains("http") && !blank.contains("img-src"))
    let session = try await ask(server, "/api/v1/session").json
    #expect(
      session["tiles"] == [
        "address": "https://Tiles.example:8443/a/{z}/{x}/{y}.png?key=1", "deepest": 19, "credit": "© A",
      ])
    #expect(try await ask(nil, "/api/v1/session").json["tiles"].isNull)
    #expect(try await ask(server, "/api/v1/session", isPaired: false).json["tiles"].isNull)
  }

  @Test(
    "only a directory or an https URL with all three placeholders is accepted",
    arguments: [
      "", "tiles", "~/tiles", "http://a.example/{z}/{x}/{y}.png", "https://a.example/{z}/{x}.png",
      "https://a.example/{z}/{x}/{y}/{y}.png", "https://{z}.example/{x}/{y}.png", "https:///{z}/{x}/{y}",
      "https://a.example;script-src/{z}/{x}/{y}", "https://a.example 'unsafe-inline'/{z}/{x}/{y}",
      "https://u@a.example/{z}/{x}/{y}", "https://*.example/{z}/{x}/{y}", "https://a.example/{z}/{x}/{y} b",
      "https://a.example/{z}/{x}/{y}\r\nx", "https://a.example/{z}/{x}/\"{y}",
    ])
  func refused(text: String) { #expect(MapTiles(text) == nil) }

  // MARK: A directory

  private func make(_ path: String, _ text: String = "picture") throws {
    let file = folder.appending(path: path)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  @Test func `a tile of the directory is served to paired devices and cached by the browser`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try make("served/3/4/5.png")
    try make("served/11/0/0.png")
    try make("served/readme/0/0.png")
    let tiles = MapTiles(folder.appending(path: "served").path, credit: "© B")
    let tile = try await ask(tiles, "/api/v1/tiles/3/4/5.png")
    #expect(tile.status == 200 && tile.body == Data("picture".utf8))
    #expect(tile.headers["Content-Type"] == "image/png" && tile.headers["Cache-Control"] == "private, max-age=604800")
    let tag = try #require(tile.headers["ETag"])
    #expect(try await ask(tiles, "/api/v1/tiles/3/4/5.png", more: [("If-None-Match", tag)]).status == 304)
    #expect(try await ask(tiles, "/api/v1/tiles/3/4/6.png").problem == "not_found")
    #expect(try await ask(tiles, "/api/v1/tiles/3/4/5.png", isPaired: false).status == 401)
    #expect(try await ask(nil, "/api/v1/tiles/3/4/5.png").status == 404)
    #expect(
      try await ask(tiles, "/api/v1/session").json["tiles"] == [
        "address": "/api/v1/tiles/{z}/{x}/{y}.png", "deepest": 11, "credit": "© B",
      ])
    // The directory may be on a disk that is temporarily missing.
    #expect(try await ask(MapTiles("/nowhere/tiles"), "/api/v1/session").json["tiles"].isNull)
    #expect(try await ask(MapTiles("/nowhere/tiles"), "/api/v1/tiles/3/4/5.png").status == 404)
  }

  @Test(
    "no path leads outside the tiles of the directory",
    arguments: [
      "3/4/../../secret.png", "3/4/..%2F..%2Fsecret.png", "%2E%2E/4/5.png", "../secret/3/4/5.png", "3/4/5.png%00",
      "3/4/5.PNG", "3/4/5.jpg", "3/4/5", "03/4/5.png", "+3/4/5.png", "3/-4/5.png", "3/4/5.png/", "3//4/5.png",
      "3/8/5.png", "3/4/8.png", "23/0/0.png", "3/4/٥.png", "3/4/link.png", "3/4/6.png", "3/4/7.png", "2/0/0.png",
    ])
  func safe(path: String) async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try make("secret.png", "secret")
    try make("outside/0/0.png", "secret")
    try make("served/3/4/5.png")
    let served = folder.appending(path: "served").path
    // Symbolic links to a file, a directory and a parent directory, and a directory named like a tile.
    try FileManager.default.createSymbolicLink(
      atPath: "\(served)/3/4/6.png", withDestinationPath: "../../../secret.png")
    try FileManager.default.createSymbolicLink(atPath: "\(served)/2", withDestinationPath: "../outside")
    try FileManager.default.createDirectory(atPath: "\(served)/3/4/7.png", withIntermediateDirectories: true)
    let answer = try await ask(MapTiles(served), "/api/v1/tiles/\(path)")
    #expect(answer.status == 404 || answer.status == 400, "\(path)")
    #expect(answer.body != Data("secret".utf8))
  }

  @Test func `symbolic links within the directory and to it are followed`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try make("served/3/4/5.png")
    try FileManager.default.createSymbolicLink(
      atPath: folder.appending(path: "served/3/4/6.png").path, withDestinationPath: "5.png")
    let link = folder.appending(path: "link").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "served")
    #expect(try await ask(MapTiles(link), "/api/v1/tiles/3/4/6.png").status == 200)
  }
}
