import Foundation

/// A copy of the sources in which an environment variable selects the guard to remove, so that one build serves all
/// mutants.
struct MutantTree {
  let root: URL
  let copy: URL

  func write(_ mutants: [Mutant]) throws {
    let listed = try Command.output(
      "git", ["-C", root.path, "ls-files", "-co", "--exclude-standard", "Packages", "Tools"])
    var sources: [String: Data] = [:]
    for path in listed.split(separator: "\n").map(String.init) {
      // Skip files that are deleted in the working tree, which `git ls-files` also lists.
      guard let data = try? Data(contentsOf: root.appending(path: path)) else { continue }
      sources[path] = data
    }
    for (number, mutant) in mutants.enumerated() {
      guard let data = sources[mutant.file] else { throw TableError(description: "\(mutant.name): no \(mutant.file)") }
      let text = String(decoding: data, as: UTF8.self)
      let places = text.ranges(of: mutant.original)
      guard places.count == 1 else {
        throw TableError(
          description:
            "\(mutant.name): the guard occurs \(places.count) times in \(mutant.file); update the table")
      }
      let mutated = mutant.mutated.replacing("MUTANT", with: "isMutant(\(number + 1))")
      sources[mutant.file] = Data(text.replacingCharacters(in: places[0], with: mutated).utf8)
      sources[Self.module(of: mutant.file) + "/IsMutant.swift"] = Data(Self.question.utf8)
    }
    for (path, data) in sources { try place(data, path) }
  }

  /// Returns the module folder, such as `Packages/X/Sources/Y`.
  private static func module(of file: String) -> String {
    file.split(separator: "/").prefix(4).joined(separator: "/")
  }

  /// Writes only files that changed, to keep incremental builds short.
  private func place(_ data: Data, _ path: String) throws {
    let file = copy.appending(path: path)
    if let there = try? Data(contentsOf: file), there == data { return }
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: file)
  }

  private static let question = """
    #if canImport(Darwin)
      import Darwin
    #elseif canImport(Musl)
      import Musl
    #else
      import Glibc
    #endif

    private let active = getenv("TRENDY_MUTANT").flatMap { Int(String(cString: $0)) } ?? 0
    @inline(never) func isMutant(_ number: Int) -> Bool { active == number }

    """
}
