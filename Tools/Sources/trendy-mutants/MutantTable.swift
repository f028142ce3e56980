import Foundation

/// A source change that removes one guard.
struct Mutant: Hashable {
  var name: String
  /// Numbers of the invariants that the guard protects, followed by a description.
  var protects: String
  /// The historical fault that the guard prevents, if any.
  var fault: String?
  /// Path relative to the repository root.
  var file: String
  /// Path of the package whose tests must fail, relative to the repository root.
  var package: String
  var witness: Witness
  /// Source text of the guard, which must occur exactly once in the file.
  var original: String
  /// The guard with a condition `MUTANT`, where `true` removes the guard and `false` keeps the original behaviour.
  var mutated: String
}

/// The check that must fail without the guard.
enum Witness: Hashable, CustomStringConvertible {
  /// Simulation of the given number of seeds with these options of `trendy-simulate`.
  case seeds(Int, world: [String])
  /// Tests of the mutant's package whose names contain the text.
  case tests(String)

  var description: String {
    switch self {
    case .seeds(let count, _): "\(count) seeds"
    case .tests(let names): "the tests \"\(names)\""
    }
  }
}

extension Mutant {
  /// Numbers of the invariants in docs/sync.md that the guard protects. `protects` begins with these numbers.
  var invariants: Set<Int> {
    var words = protects.split { $0 == " " || $0 == "," }[...]
    var numbers: Set<Int> = []
    while let word = words.popFirst() {
      if let number = Int(word) { numbers.insert(number) } else if word != "and" { break }
    }
    return numbers
  }
}

struct TableError: Error, CustomStringConvertible {
  var description: String
}

/// Parses `Tools/mutants.txt`: sections begin with `== name`, followed by the fields `protects:`, `fault:`, `file:`,
/// `seeds:` and `world:`, or `tests:` and `package:`, then the original guard between `<<<<` and `====`, and the
/// mutated guard up to `>>>>`. Lines that start with `#` between sections are comments.
enum MutantTable {
  /// Numbers of the invariants in docs/sync.md.
  static let invariants = 1...29
  /// Historical faults that led to this design.
  static let faults = [
    "a second edit while the first waits", "clearing a field to null, both ways", "any 409", "five time-outs in a row",
    "a page with one undecodable entry", "crash between page and cursor",
    "a change made on another device between snapshot and first pull", "a failed latest-cursor call",
    "an event created before its type was pushed", "the app killed in the middle of a forced resync",
    "a rate-limited hub with 50,000 entries of backlog",
    "bulk import of 5,000 events on two devices from the same source", "an editor with a stale copy changing one field",
  ]

  /// Returns the invariants and faults without a mutant.
  static func gaps(in mutants: [Mutant]) -> [String] {
    let numbers = mutants.reduce(into: Set<Int>()) { $0.formUnion($1.invariants) }
    let met = Set(mutants.compactMap(\.fault))
    return invariants.filter { !numbers.contains($0) }.map { "no mutant protects invariant \($0)" }
      + faults.filter { !met.contains($0) }.map { "no mutant covers the fault \"\($0)\"" }
  }

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
      throw TableError(description: "\(twice) is listed twice")
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
    let witness: Witness
    if let tests = fields["tests"], !tests.isEmpty {
      witness = .tests(tests)
    } else {
      guard let seeds = Int(try field("seeds")), seeds > 0 else {
        throw TableError(description: "\(name): seeds: expected a number of at least 1")
      }
      witness = .seeds(seeds, world: (fields["world"] ?? "").split(separator: " ").map(String.init))
    }
    guard !original.isEmpty, mutated.contains("MUTANT") else {
      throw TableError(description: "\(name): expected the guard, and a replacement that contains MUTANT")
    }
    if let fault = fields["fault"], !faults.contains(fault) {
      throw TableError(description: "\(name): fault: unknown fault \"\(fault)\"")
    }
    let file = try field("file")
    return Mutant(
      name: name, protects: try field("protects"), fault: fields["fault"], file: file,
      package: fields["package"] ?? file.split(separator: "/").prefix(2).joined(separator: "/"), witness: witness,
      original: original, mutated: mutated)
  }
}
