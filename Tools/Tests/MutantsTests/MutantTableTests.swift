import Foundation
import Testing

@testable import trendy_mutants

@Suite("MutantTable")
struct MutantTableTests {
  private static let section = """
    # What a reader should know.

    == gap accepted
    protects: 3 and 25, exactly once, in 7 words
    fault: any 409
    file: Packages/TrendyHub/Sources/TrendyHub/Core/HubCore.swift
    seeds: 200
    world: --hazards network,hub-crash
    <<<<
    guard a == b else {
    ====
    guard a == b || MUTANT else {
    >>>>
    """

  @Test func `a section contains a guard and its replacement`() throws {
    let mutants = try MutantTable.read(Self.section)
    #expect(mutants.count == 1)
    let mutant = try #require(mutants.first)
    #expect(mutant.name == "gap accepted")
    #expect(mutant.protects == "3 and 25, exactly once, in 7 words")
    #expect(mutant.invariants == [3, 25])
    #expect(mutant.fault == "any 409")
    #expect(mutant.witness == .seeds(200, world: ["--hazards", "network,hub-crash"]))
    #expect(mutant.package == "Packages/TrendyHub")
    #expect(mutant.original == "guard a == b else {")
    #expect(mutant.mutated == "guard a == b || MUTANT else {")
  }

  @Test(arguments: [
    "seeds: 200\n", "protects: 3 and 25, exactly once, in 7 words\n", " || MUTANT", "\n>>>>", "== gap accepted\n",
  ])
  func `an incomplete section is rejected`(part: String) {
    #expect(throws: TableError.self) { try MutantTable.read(Self.section.replacing(part, with: "")) }
  }

  @Test func `a mutant may name tests instead of seeds`() throws {
    let section = Self.section.replacing("seeds: 200\n", with: "tests: RareOrderTests\n")
    #expect(try MutantTable.read(section).first?.witness == .tests("RareOrderTests"))
  }

  @Test func `the tests may be in another package than the guard`() throws {
    let section = Self.section.replacing("seeds: 200\n", with: "tests: A\npackage: Packages/TrendySimulation\n")
    #expect(try MutantTable.read(section).first?.package == "Packages/TrendySimulation")
  }

  @Test func `an unknown fault is rejected`() {
    #expect(throws: TableError.self) { try MutantTable.read(Self.section.replacing("any 409", with: "any 410")) }
  }

  @Test func `invariants and faults without a mutant are reported`() throws {
    let gaps = MutantTable.gaps(in: try MutantTable.read(Self.section))
    #expect(gaps.count == 27 + 12)
    #expect(gaps.first == "no mutant protects invariant 1")
    #expect(gaps.last == "no mutant covers the fault \"an editor with a stale copy changing one field\"")
  }

  @Test func `the table of this repository is complete and matches the sources`() throws {
    let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
    let table = root.appending(path: "Tools/mutants.txt")
    let mutants = try MutantTable.read(try String(contentsOf: table, encoding: .utf8))
    #expect(MutantTable.gaps(in: mutants) == [])
    let copy = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: copy) }
    try MutantTree(root: root, copy: copy).write(mutants)
    for mutant in mutants {
      guard case .tests(let named) = mutant.witness else { continue }
      let name = named.split(separator: "/").last.map(String.init) ?? named
      #expect(
        try isTest(name, of: mutant.package, in: root), "\(mutant.name): no test of \(mutant.package) is '\(named)'")
    }
  }

  /// Whether the package's tests contain a function or suite with this name. `--filter` matches such identifiers
  /// instead of the display names in quotes.
  private func isTest(_ name: String, of package: String, in root: URL) throws -> Bool {
    let tests = root.appending(path: package).appending(path: "Tests")
    let files = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)
    while let file = files?.nextObject() as? URL {
      guard file.pathExtension == "swift" else { continue }
      let source = try String(contentsOf: file, encoding: .utf8)
      if source.split(separator: "\n").contains(where: {
        ($0.contains("func ") || $0.contains("struct ")) && $0.contains(name)
      }) {
        return true
      }
    }
    return false
  }

  @Test func `a duplicate name is rejected`() {
    #expect(throws: TableError.self) { try MutantTable.read(Self.section + "\n" + Self.section) }
  }
}

@Suite("MutantTree", .timeLimit(.minutes(10)))
struct MutantTreeTests {
  /// Creates a repository with one source file in a temporary folder.
  private func repository(_ source: String) throws -> (tree: MutantTree, file: String) {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    let file = "Packages/X/Sources/Y/Guard.swift"
    let url = folder.appending(path: "root/\(file)")
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(source.utf8).write(to: url)
    let root = folder.appending(path: "root")
    _ = try Command.output("git", ["-C", root.path, "init", "-q"])
    return (MutantTree(root: root, copy: folder.appending(path: "copy")), file)
  }

  private func mutant(_ file: String) -> Mutant {
    Mutant(
      name: "m", protects: "p", file: file, package: "X", witness: .seeds(1, world: []), original: "a == b",
      mutated: "(a == b || MUTANT)")
  }

  @Test func `the guard in the copy can be removed`() throws {
    let (tree, file) = try repository("let x = a == b\n")
    defer { try? FileManager.default.removeItem(at: tree.root.deletingLastPathComponent()) }
    try tree.write([mutant(file)])
    let copied = try String(contentsOf: tree.copy.appending(path: file), encoding: .utf8)
    #expect(copied == "let x = (a == b || isMutant(1))\n")
    #expect(try String(contentsOf: tree.root.appending(path: file), encoding: .utf8) == "let x = a == b\n")
  }

  @Test(arguments: ["let x = 1\n", "let x = a == b\nlet y = a == b\n"])
  func `a missing or repeated guard is reported`(source: String) throws {
    let (tree, file) = try repository(source)
    defer { try? FileManager.default.removeItem(at: tree.root.deletingLastPathComponent()) }
    #expect(throws: TableError.self) { try tree.write([mutant(file)]) }
  }
}
