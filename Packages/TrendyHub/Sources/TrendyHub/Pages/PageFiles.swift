import Foundation
import HubPages

/// The embedded files of the hub's pages.
///
/// Nearly all are served below a directory named after a hash of all content, so browsers may cache them indefinitely;
/// another version of the program has another directory. Modules import each other by relative paths, which need no
/// rewriting.
struct PageFiles: Sendable {
  struct File: Sendable {
    let content: Data
    let type: String
    /// Entity tag without quotes.
    let tag: String
    /// Whether the path determines the content.
    let isVersioned: Bool
  }

  static let embedded = PageFiles(Self.readEmbedded())

  /// Files by request path: `/`, `/assets/4f1c…/app.js`.
  private let files: [String: File]
  /// Hash of all content: 16 hexadecimal digits.
  let version: String

  /// Creates the files from their contents by path below `site/`.
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
        // The service worker caches these files; icons are loaded when the page is installed.
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

  /// Files with fixed paths: the main document, and files whose scope requires them at the root.
  private static let unversioned: Set<String> = ["index.html", "worker.js", "manifest.webmanifest", "favicon.ico"]

  /// First path segments of pages; all serve the main document, which evaluates the path itself.
  private static let pages: Set<String> = [
    "calendar", "data", "devices", "insights", "mileage", "more", "places", "settings", "timeline", "trips", "types",
  ]

  /// Returns the file at a path, or `nil`.
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
