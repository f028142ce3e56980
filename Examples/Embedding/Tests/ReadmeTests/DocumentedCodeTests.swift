import Foundation
import Testing

/// Checks that code in the documentation is compiled in this package.
@Suite struct DocumentedCodeTests {
  private static let root = URL(filePath: #filePath).appending(path: "../../../../..").standardized

  private static func lines(_ text: String) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
  }

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// Returns the Swift code blocks of a document.
  private static func blocks(of document: String) throws -> [[String]] {
    try text(document).components(separatedBy: "```swift\n").dropFirst()
      .map { lines($0.components(separatedBy: "```")[0]) }
  }

  private static func sources() throws -> [[String]] {
    try ["Examples/Embedding", "Packages/TrendySimulation/Tests"].flatMap { folder in
      let files = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
      return try (files?.compactMap { $0 as? String } ?? [])
        .filter { $0.hasSuffix(".swift") && !$0.hasPrefix(".build") }.map { lines(try text("\(folder)/\($0)")) }
    }
  }

  private static let articles = "Packages/TrendySync/Sources/TrendySync/TrendySync.docc"

  @Test(arguments: ["README.md", "\(articles)/Recipes.md", "\(articles)/ViewModel.md"])
  func `every code block of a document is part of a compiled file`(document: String) throws {
    let blocks = try Self.blocks(of: document).filter { $0.first?.hasPrefix("dependencies: [") != true }
    let sources = try Self.sources()
    #expect(blocks.count >= 2)
    for block in blocks {
      let isCompiled = sources.contains { source in
        source.indices.contains { source[$0...].starts(with: block) }
      }
      #expect(isCompiled, "not compiled: \(block.prefix(12).joined(separator: " / "))")
    }
  }

  @Test func `the packages in the README exist`() throws {
    let manifest = try #require(Self.blocks(of: "README.md").first { $0.first == "dependencies: [" })
    let paths = manifest.compactMap { $0.split(separator: "\"").dropFirst().first.map(String.init) }
    #expect(paths.count == 5)
    for path in paths {
      let package = path.replacing("../trendy/", with: "")
      #expect(
        FileManager.default.fileExists(atPath: Self.root.appending(path: package + "/Package.swift").path), "\(path)")
    }
  }
}
