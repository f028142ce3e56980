import Foundation
import HubPages

/// The files of the hub's pages, as they lie in the program.
///
/// All but a few are asked for under a folder that is named after the content of all of them, so a browser may keep each for ever:
/// another version of the program has another folder. Modules name each other by relative paths and need no rewriting.
struct PageFiles: Sendable {
  struct File: Sendable {
    let content: Data
    let type: String
    /// Without its quotes.
    let tag: String
    /// Whether its address tells its content.
    let isVersioned: Bool
  }

  static let embedded = PageFiles(Self.readEmbedded())

  /// By address: `/`, `/assets/4f1c…/app.js`.
  private let files: [String: File]
  /// Of all content: 16 hexadecimal digits.
  let version: String

  /// - Parameter sources: by path below `site/`.
  init(_ sources: [String: Data]) {
    let contents = Dictionary(
      uniqueKeysWithValues: sources.map { path, content in
        (path, path.hasSuffix(".js") || path.hasSuffix(".css") ? PageText.compacted(content) : content)
      })
    let paths = contents.keys.sorted()
    var all = Data()
    for path in paths {
      let content = contents[path] ?? Data()
      all += Data("\(path)\n\(content.count)\n".utf8) + content
    }
    let version = String(SHA256Digest.hexadecimal(of: all).prefix(16))
    let folder = "/assets/\(version)/"
    let modules = paths.filter { $0.hasSuffix(".js") && !Self.unversioned.contains($0) && $0 != "theme.js" }
    var files: [String: File] = [:]
    for path in paths {
      var content = contents[path] ?? Data()
      let isVersioned = !Self.unversioned.contains(path)
      if !isVersioned, let text = String(data: content, encoding: .utf8) {
        let preloads = modules.map { "<link rel=\"modulepreload\" href=\"\(folder)\($0)\">" }.joined(separator: "\n")
        // The worker stores them; icons are loaded when the page is installed.
        let addresses = paths.filter { !Self.unversioned.contains($0) && !$0.hasSuffix(".png") }.map { folder + $0 }
        content = Data(
          text
            .replacing("{{assets}}", with: String(folder.dropLast())).replacing("{{version}}", with: version)
            .replacing("{{modules}}", with: preloads).replacing("{{files}}", with: addresses.joined(separator: " "))
            .utf8)
      }
      let address = path == "index.html" ? "/" : isVersioned ? folder + path : "/" + path
      files[address] = File(
        content: content, type: Self.type(of: path), tag: String(SHA256Digest.hexadecimal(of: content).prefix(32)),
        isVersioned: isVersioned)
    }
    self.files = files
    self.version = version
  }

  /// Asked for under an address that stays: the page itself, and what has to lie at the root for its reach.
  private static let unversioned: Set<String> = ["index.html", "worker.js", "manifest.webmanifest", "favicon.ico"]

  /// The first segments of the addresses at which there are pages; all are the one document, which reads its address itself.
  private static let pages: Set<String> = [
    "calendar", "data", "devices", "insights", "mileage", "more", "places", "settings", "timeline", "trips", "types",
  ]

  /// The file at a path; `nil` where there is none.
  func file(at path: Substring) -> File? {
    if let file = files[String(path)] { return file }
    let first = path.split(separator: "/", omittingEmptySubsequences: true).first
    return first.map { Self.pages.contains(String($0)) } == true ? files["/"] : nil
  }

  private static func type(of path: String) -> String {
    switch path.split(separator: ".").last {
    case "html": "text/html; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    case "svg": "image/svg+xml"
    case "png": "image/png"
    case "ico": "image/x-icon"
    case "webmanifest": "application/manifest+json"
    default: "application/octet-stream"
    }
  }

  private static func readEmbedded() -> [String: Data] {
    var contents: [String: Data] = [:]
    var index = 0
    while case let file = hub_page_file_at(index), let path = file.path {
      contents[String(cString: path)] = Data(bytes: file.bytes, count: file.count)
      index += 1
    }
    return contents
  }
}
