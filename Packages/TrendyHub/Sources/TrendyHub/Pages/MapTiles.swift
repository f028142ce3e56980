import Foundation

/// Pictures that the pages draw below their maps, where the one who runs the hub names some: square ones in Web Mercator, by zoom,
/// column and row, as most map servers have them. Without them a map's ground is blank, and nobody else is asked for anything.
public struct MapTiles: Hashable, Sendable {
  public enum Source: Hashable, Sendable {
    /// Files `{z}/{x}/{y}.png` in a folder, which the hub itself gives out to the devices of its persons.
    case folder(String)
    /// A server that browsers ask: its origin, and the address with `{z}`, `{x}` and `{y}` in it.
    case server(origin: String, template: String)
  }

  public let source: Source
  /// Who made the map, in words that stand on it.
  public let credit: String

  /// - Parameters:
  ///   - text: the absolute path of a folder, or an address such as `https://tiles.example/{z}/{x}/{y}.png`.
  ///   - credit: who made the map.
  /// - Returns: `nil` for text that is neither.
  public init?(_ text: String, credit: String = "") {
    self.credit = credit
    if text.hasPrefix("/") {
      source = .folder(text)
      return
    }
    // What is in the policy of the pages must not be able to say anything else there.
    guard let match = text.wholeMatch(of: /(https:\/\/[a-zA-Z0-9.\-]+(?::[0-9]{1,5})?)\/[!-~]*/),
      !text.contains(where: { $0 == "\"" || $0 == "\\" || $0 == "#" }),
      ["{z}", "{x}", "{y}"].allSatisfy({ text.dropFirst(match.output.1.count).ranges(of: $0).count == 1 })
    else { return nil }
    source = .server(origin: match.output.1.lowercased(), template: text)
  }

  /// The origin that pages may load pictures from beside their own; `nil` for none.
  var foreignOrigin: String? { if case .server(let origin, _) = source { origin } else { nil } }

  /// The address by which a page asks for a tile.
  var template: String {
    switch source {
    case .folder: "/api/v1/tiles/{z}/{x}/{y}.png"
    case .server(_, let template): template
    }
  }

  /// The zoom of the smallest tiles that there are: a page enlarges them where it shows less ground. `nil` where no folder is there.
  var deepest: Int? {
    guard case .folder(let folder) = source else { return 19 }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.compactMap { MapTile.number($0) }.filter { MapTile.zooms.contains($0) }.max()
  }
}

/// The place of a tile.
struct MapTile: Hashable {
  static let zooms = 0...22

  let zoom: Int
  let column: Int
  let row: Int

  /// - Parameter path: of a request; `nil` where it is of no tile that can be.
  init?(path: Substring) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 7, parts[0].isEmpty, parts[1] == "api", parts[2] == "v1", parts[3] == "tiles",
      parts[6].hasSuffix(".png"), let zoom = Self.number(parts[4]), let column = Self.number(parts[5]),
      let row = Self.number(parts[6].dropLast(".png".count)), Self.zooms.contains(zoom), column < 1 << zoom,
      row < 1 << zoom
    else { return nil }
    (self.zoom, self.column, self.row) = (zoom, column, row)
  }

  /// Digits as they are written, and nothing else: no sign, no zero before them.
  static func number(_ text: some StringProtocol) -> Int? {
    guard (1...8).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let number = Int(text),
      String(number) == text
    else { return nil }
    return number
  }

  /// What lies in a folder for the tile. Nothing that a link leads to outside the folder.
  func content(in folder: String) -> Data? {
    guard let root = Self.realPath(folder), let file = Self.realPath("\(root)/\(zoom)/\(column)/\(row).png"),
      file.hasPrefix(root == "/" ? root : root + "/"),
      let attributes = try? FileManager.default.attributesOfItem(atPath: file),
      attributes[.type] as? FileAttributeType == .typeRegular,
      let size = attributes[.size] as? Int, size <= Self.largest
    else { return nil }
    return FileManager.default.contents(atPath: file)
  }

  /// Bytes.
  private static let largest = 2 << 20

  private static func realPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}

/// Serves the tiles of a configured folder.
struct TileHandlers: Sendable {
  let store: HubStore
  let tiles: MapTiles?

  /// Not metered: moving a map requests many tiles, which must not delay recording.
  var routes: [HubRoute] {
    guard case .folder(let folder)? = tiles?.source else { return [] }
    return [
      HubRoute(
        .get, "tiles/{zoom}/{column}/{row}", name: "getTile", summary: "Picture of a map below a page's drawing.",
        answers: [], isMetered: false, isDocumented: false, tag: .content,
        .device { try await show($0.request, in: folder, $1) })
    ]
  }

  private func show(_ request: HTTPRequest, in folder: String, _ sender: HubDevice) async throws -> HTTPResponse {
    guard let tile = MapTile(path: request.path) else { throw Problem.unknownPath(request) }
    let content = try await store.perform(.reading, for: sender.person) { tile.content(in: folder) }
    guard let content else { throw Problem.notFound("there is no such tile in this hub's folder") }
    return HTTPResponse(type: "image/png", .data(content), [("Cache-Control", "private, max-age=604800")])
  }
}
