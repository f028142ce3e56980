import Foundation

/// Source of map tiles for the dashboard: square images in Web Mercator, by zoom, column and row.
///
/// Without a source, maps have an empty background and the pages load nothing from other servers.
public struct MapTiles: Hashable, Sendable {
  /// Location of the tiles.
  public enum Source: Hashable, Sendable {
    /// Files `{z}/{x}/{y}.png` in a directory, which the hub serves to its users' devices.
    case folder(String)
    /// A tile server that browsers access directly: its origin, and a URL with `{z}`, `{x}` and `{y}`.
    case server(origin: String, template: String)
  }

  /// Location of the tiles.
  public let source: Source
  /// Attribution shown on the map.
  public let credit: String

  /// Parses a configured source, or returns `nil` if it is invalid.
  ///
  /// - Parameters:
  ///   - text: Absolute path of a directory, or a URL such as `https://tiles.example/{z}/{x}/{y}.png`.
  ///   - credit: Attribution shown on the map.
  public init?(_ text: String, credit: String = "") {
    self.credit = credit
    if text.hasPrefix("/") {
      source = .folder(text)
      return
    }
    // The origin becomes part of the content security policy, so allow only characters used in host names.
    guard let match = text.wholeMatch(of: /(https:\/\/[a-zA-Z0-9.\-]+(?::[0-9]{1,5})?)\/[!-~]*/),
      !text.contains(where: { $0 == "\"" || $0 == "\\" || $0 == "#" }),
      ["{z}", "{x}", "{y}"].allSatisfy({ text.dropFirst(match.output.1.count).ranges(of: $0).count == 1 })
    else { return nil }
    source = .server(origin: match.output.1.lowercased(), template: text)
  }

  /// Origin of the tile server, which the content security policy must allow, or `nil` for a directory.
  var foreignOrigin: String? { if case .server(let origin, _) = source { origin } else { nil } }

  var template: String {
    switch source {
    case .folder: "/api/v1/tiles/{z}/{x}/{y}.png"
    case .server(_, let template): template
    }
  }

  /// Highest available zoom, beyond which the pages enlarge tiles, or `nil` if the directory does not exist.
  var deepest: Int? {
    guard case .folder(let folder) = source else { return 19 }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.compactMap { MapTile.number($0) }.filter { MapTile.zooms.contains($0) }.max()
  }
}

struct MapTile: Hashable {
  static let zooms = 0...22

  let zoom: Int
  let column: Int
  let row: Int

  /// Parses a request path, or returns `nil` if it does not denote a valid tile.
  init?(path: Substring) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 7, parts[0].isEmpty, parts[1] == "api", parts[2] == "v1", parts[3] == "tiles",
      parts[6].hasSuffix(".png"), let zoom = Self.number(parts[4]), let column = Self.number(parts[5]),
      let row = Self.number(parts[6].dropLast(".png".count)), Self.zooms.contains(zoom), column < 1 << zoom,
      row < 1 << zoom
    else { return nil }
    (self.zoom, self.column, self.row) = (zoom, column, row)
  }

  /// Parses decimal digits without a sign or leading zeros, or returns `nil` for other text.
  static func number(_ text: some StringProtocol) -> Int? {
    guard (1...8).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let number = Int(text),
      String(number) == text
    else { return nil }
    return number
  }

  /// Returns the tile's file in a directory, or `nil` if it is missing or a symbolic link leads outside.
  func content(in folder: String) -> Data? {
    guard let root = Self.realPath(folder), let file = Self.realPath("\(root)/\(zoom)/\(column)/\(row).png"),
      file.hasPrefix(root == "/" ? root : root + "/"),
      let attributes = try? FileManager.default.attributesOfItem(atPath: file),
      attributes[.type] as? FileAttributeType == .typeRegular,
      let size = attributes[.size] as? Int, size <= Self.largest
    else { return nil }
    return FileManager.default.contents(atPath: file)
  }

  /// Maximum size of a tile in bytes.
  private static let largest = 2 << 20

  private static func realPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}

struct TileHandlers: Sendable {
  let store: HubStore
  let tiles: MapTiles?

  /// The routes are not rate-limited: moving a map requests many tiles, which must not delay recording.
  var routes: [HubRoute] {
    guard case .folder(let folder)? = tiles?.source else { return [] }
    return [
      HubRoute(
        .get, "tiles/{zoom}/{column}/{row}", name: "getTile", summary: "Returns a map tile.",
        answers: [], isMetered: false, isDocumented: false, tag: .content,
        .device { try await show($0.request, in: folder, $1) })
    ]
  }

  private func show(_ request: HTTPRequest, in folder: String, _ sender: HubDevice) async throws -> HTTPResponse {
    guard let tile = MapTile(path: request.path) else { throw Problem.unknownPath(request) }
    let content = try await store.perform(.reading, for: sender.user) { tile.content(in: folder) }
    guard let content else { throw Problem.notFound("this hub has no such map tile") }
    return HTTPResponse(type: "image/png", .data(content), [("Cache-Control", "private, max-age=604800")])
  }
}
