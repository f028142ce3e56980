import Foundation

/// One guard taken away.
struct Mutant: Hashable {
  var name: String
  /// What the guard is for, in words.
  var protects: String
  /// From the root of the repository.
  var file: String
  /// How many stories must be enough to see that it is gone.
  var seeds: Int
  /// Options of `trendy-simulate` that make the world in which it is seen.
  var world: [String]
  /// The guard as it stands, which must be there exactly once.
  var original: String
  /// The same with `MUTANT` in it: true takes the guard away, false leaves everything as it was.
  var mutated: String
}

struct TableError: Error, CustomStringConvertible {
  var description: String
}

/// `Tools/mutants.txt`: sections that begin with `== name`, lines `protects:`, `file:`, `seeds:`, `world:`, then the guard
/// between `<<<<`, `====` and `>>>>`. Lines with `#` between the sections are for readers.
enum MutantTable {
  static func read(_ text: String) throws(TableError) -> [Mutant] {
    var mutants: [Mutant] = []
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)[...]
    while let line = lines.popFirst() {
      if line.isEmpty || line.hasPrefix("#") { continue }
      guard line.hasPrefix("== ") else { throw TableError(description: "expected \"== name\", found \"\(line)\"") }
      mutants.append(try section(name: String(line.dropFirst(3)), &lines))
    }
    let names = mutants.map(\.name)
    if let twice = names.first(where: { name in names.count { $0 == name } > 1 }) {
      throw TableError(description: "\(twice) is there twice")
    }
    return mutants
  }

  private static func section(name: String, _ lines: inout ArraySlice<String>) throws(TableError) -> Mutant {
    var fields: [String: String] = [:]
    while let line = lines.popFirst(), line != "<<<<" {
      guard let colon = line.firstIndex(of: ":") else {
        throw TableError(description: "\(name): expected a field or \"<<<<\", found \"\(line)\"")
      }
      fields[String(line[..<colon])] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    }
    func block(until end: String) throws(TableError) -> String {
      var block: [String] = []
      while let line = lines.popFirst() {
        if line == end { return block.joined(separator: "\n") }
        block.append(line)
      }
      throw TableError(description: "\(name): expected \"\(end)\"")
    }
    func field(_ key: String) throws(TableError) -> String {
      guard let value = fields[key], !value.isEmpty else { throw TableError(description: "\(name): no \"\(key):\"") }
      return value
    }
    let original = try block(until: "====")
    let mutated = try block(until: ">>>>")
    guard let seeds = Int(try field("seeds")), seeds > 0 else {
      throw TableError(description: "\(name): seeds: expected a number from 1 up")
    }
    guard !original.isEmpty, mutated.contains("MUTANT") else {
      throw TableError(description: "\(name): expected the guard, and MUTANT in what takes its place")
    }
    return Mutant(
      name: name, protects: try field("protects"), file: try field("file"), seeds: seeds,
      world: (fields["world"] ?? "").split(separator: " ").map(String.init), original: original, mutated: mutated)
  }
}
