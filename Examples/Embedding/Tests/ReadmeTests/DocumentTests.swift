import Foundation
import Testing

/// Checks links, pictures and line lengths in the documentation.
@Suite struct DocumentTests {
  private static let root = URL(filePath: #filePath).appending(path: "../../../../..").standardized

  static let pages: [String] = {
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: root.appending(path: "docs").path)) ?? []
    return ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "Examples/Embedding/README.md"]
      + entries.filter { $0.hasSuffix(".md") }.sorted().map { "docs/" + $0 }
  }()

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  private static func words(_ line: some StringProtocol) -> Int { line.split { $0 == " " || $0 == "\n" }.count }

  @Test(arguments: pages) func `every link leads to an existing file`(page: String) throws {
    let text = try Self.text(page)
    let links =
      text.matches(of: /\]\(([^)#:\s]+)[)#]/).map { $0.1 } + text.matches(of: /src(?:set)?="([^":]+)"/).map { $0.1 }
    let folder = Self.root.appending(path: page).deletingLastPathComponent()
    for link in links {
      let file = folder.appending(path: String(link)).standardized
      #expect(FileManager.default.fileExists(atPath: file.path), "\(page): \(link)")
    }
  }

  @Test func `the counterparts of the original names exist`() throws {
    var sources = Data()
    let packages = Self.root.appending(path: "Packages")
    for path in try FileManager.default.subpathsOfDirectory(atPath: packages.path)
    where path.hasSuffix(".swift") && path.contains("/Sources/") {
      sources.append(try Data(contentsOf: packages.appending(path: path)))
    }
    var names: Set<Substring> = []
    for line in try Self.text("docs/seeds.md").split(separator: "\n") {
      let isTable = line.hasPrefix("| ")
      let isOriginal = isTable && line.contains(/^\| `(CL|CM|WC|Activity|Trip|Testable)/)
      let here = isOriginal ? line.split(separator: "|").dropFirst().joined(separator: "|")[...] : line
      for code in here.matches(of: /`([^`]+)`/) {
        names.formUnion(code.1.matches(of: /[A-Za-z]{3,}/).map { $0.0 })
      }
    }
    #expect(names.count > 60)
    for name in names.subtracting(["docs", "make"]) {
      #expect(sources.range(of: Data(name.utf8)) != nil, "\(name)")
    }
  }

  @Test func `pictures are small and referenced by the README`() throws {
    let readme = try Self.text("README.md")
    let folder = Self.root.appending(path: "docs/images")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names.count >= 6)
    for name in names {
      let size = try Data(contentsOf: folder.appending(path: name)).count
      #expect(size < 200_000 && readme.contains("docs/images/\(name)"), "\(name): \(size) bytes")
    }
  }

  @Test func `the changelog and the list of pages are short`() throws {
    let lines = try Self.text("CHANGELOG.md").split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 81)
    for line in lines where line.hasPrefix("- ") {
      #expect(Self.words(line) - 1 <= 25, "\(line)")
    }
    #expect(Self.words(try Self.text("docs/README.md")) <= 250)
  }
}
