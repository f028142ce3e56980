import Foundation
import HubPages

/// The dashboard's embedded files.
///
/// Nearly all files are served below a directory named after a hash of all content. Browsers may cache them
/// indefinitely, because another version of the program uses another directory. Modules import each other by relative
/// paths, so they need no rewriting.
struct PageFiles: Sendable {
  struct File: Sendable {
    let content: Data
    let type: String
    /// Entity tag without quotes.
    let tag: String
    /// Whether the content at this path never changes, because the path contains the hash.
    let isVersioned: Bool
    /// Whether the document may ask the browser for the user's location.
    var permitsLocation = false

    fileprivate init(_ path: String, _ content: Data, isVersioned: Bool) {
      self.content = content
      type = PageFiles.type(of: path)
      tag = String(SHA256Digest.hexadecimal(of: content).prefix(32))
      self.isVersioned = isVersioned
    }
  }

  static let embedded = PageFiles(Self.readEmbedded())

  /// Files by request path, such as `/` and `/assets/4f1c…/app.js`.
  private let files: [String: File]
  /// Hash of all content, as 16 hexadecimal digits.
  let version: String

  /// `sources` contains the contents by path below `site/`.
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
    let scripts = contents.filter { $0.key.hasSuffix(".js") }
    let imports = Dictionary(uniqueKeysWithValues: scripts.map { ($0, Self.imports(of: $0, in: $1)) })
    var files: [String: File] = [:]
    for path in paths {
      var content = contents[path] ?? Data()
      let isVersioned = !Self.unversioned.contains(path)
      if !isVersioned, let text = String(data: content, encoding: .utf8) {
        // The service worker caches these files. Icons are omitted, because they are loaded only when the page is
        // installed as an app.
        let addresses = paths.filter { !Self.unversioned.contains($0) && !$0.hasSuffix(".png") }.map { folder + $0 }
        content = Data(
          text
            .replacing("{{assets}}", with: String(folder.dropLast())).replacing("{{version}}", with: version)
            .replacing("{{files}}", with: addresses.joined(separator: " ")).utf8)
      }
      guard path == "index.html" else {
        files[isVersioned ? folder + path : "/" + path] = File(path, content, isVersioned: isVersioned)
        continue
      }
      let document = String(decoding: content, as: UTF8.self)
      for (page, modules) in Self.pages {
        let preloads = Self.loaded(by: ["app.js"] + modules.map { "pages/\($0).js" }, imports: imports)
          .map { "<link rel=\"modulepreload\" href=\"\(folder)\($0)\">" }.joined(separator: "\n")
        var file = File(path, Data(document.replacing("{{modules}}", with: preloads).utf8), isVersioned: false)
        file.permitsLocation = page == "places"
        files["/" + page] = file
      }
    }
    self.files = files
    self.version = version
  }

  /// Files with fixed paths: the main document, and files that must be at the root because of their scope.
  private static let unversioned: Set<String> = ["index.html", "worker.js", "manifest.webmanifest", "favicon.ico"]

  /// Modules of each page, keyed by the first segment of its path. The main document evaluates the rest of the path
  /// itself.
  private static let pages = [
    "": ["today"], "calendar": ["calendar"], "data": ["data"], "devices": ["devices"], "insights": ["insights"],
    "mileage": ["mileage"], "more": ["more"], "places": ["places"], "settings": ["settings"], "timeline": ["timeline"],
    "trips": ["trips"], "types": ["type", "types"],
  ]

  func file(at path: Substring) -> File? {
    if let file = files[String(path)] { return file }
    let first = path.split(separator: "/", omittingEmptySubsequences: true).first.map(String.init)
    return first.flatMap { Self.pages[$0] == nil ? nil : files["/" + $0] }
  }

  private static func imports(of path: String, in content: Data) -> [String] {
    let folder = path.split(separator: "/").dropLast()
    // The specifier is at the end of an import, on its only line or on the last line of its list.
    return String(decoding: content, as: UTF8.self).split(separator: "\n").compactMap { line in
      guard ["import ", "export ", "} from "].contains(where: line.hasPrefix), line.hasSuffix(".js';"),
        let start = line.dropLast(2).lastIndex(of: "'")
      else { return nil }
      var parts = Array(folder)
      for part in line[start...].dropFirst().dropLast(2).split(separator: "/") where part != "." {
        if part == ".." { parts.removeLast() } else { parts.append(part) }
      }
      return parts.joined(separator: "/")
    }
  }

  /// Returns the roots and all modules loaded with them, in alphabetical order.
  private static func loaded(by roots: [String], imports: [String: [String]]) -> [String] {
    var found: Set<String> = []
    var pending = roots
    while let path = pending.popLast() {
      if found.insert(path).inserted { pending += imports[path] ?? [] }
    }
    return found.sorted()
  }

  fileprivate static func type(of path: String) -> String {
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
