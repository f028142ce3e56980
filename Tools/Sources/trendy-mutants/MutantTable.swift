import Foundation

/// One guard taken away.
struct Mutant: Hashable {
  var name: String
  /// What the guard is for: the numbers of invariants, then words.
  var protects: String
  /// Which of the original faults it keeps out; `nil` for none.
  var fault: String?
  /// From the root of the repository.
  var file: String
  /// From the root of the repository: the package whose tests must fail.
  var package: String
  var witness: Witness
  /// The guard as it stands, which must be there exactly once.
  var original: String
  /// The same with `MUTANT` in it: true takes the guard away, false leaves everything as it was.
  var mutated: String
}

/// What must see that a guard is gone.
enum Witness: Hashable, CustomStringConvertible {
  /// So many stories of `trendy-simulate` with these options.
  case seeds(Int, world: [String])
  /// The tests of the mutant's package whose names contain this.
  case tests(String)

  var description: String {
    switch self {
    case .seeds(let count, _): "\(count) seeds"
    case .tests(let names): "the tests \"\(names)\""
    }
  }
}

extension Mutant {
  /// The invariants of docs/sync.md that fall with the guard: the numbers that `protects` begins with.
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

/// `Tools/mutants.txt`: sections that begin with `== name`, lines `protects:`, `fault:`, `file:`, `seeds:` and `world:` or `tests:` and
/// `package:`, then the guard between `<<<<`, `====` and `>>>>`. Lines with `#` between the sections are for readers.
enum MutantTable {
  /// As docs/sync.md numbers them.
  static let invariants = 1...29
  /// What went wrong in the program that this one follows.
  static let faults = [
    "a second edit while the first waits", "clearing a field to null, both ways", "any 409", "five time-outs in a row",
    "a page with one undecodable entry", "crash between page and cursor",
    "a change made on another device between snapshot and first pull", "a failed latest-cursor call",
    "an event created before its type was pushed", "the app killed in the middle of a forced resync",
    "a rate-limited hub with 50,000 entries of backlog",
    "bulk import of 5,000 events on two devices from the same source", "an editor with a stale copy changing one field",
  ]

  /// What no mutant stands for: everything should be missed by somebody.
  static func gaps(in mutants: [Mutant]) -> [String] {
    let numbers = mutants.reduce(into: Set<Int>()) { $0.formUnion($1.invariants) }
    let met = Set(mutants.compactMap(\.fault))
    return invariants.filter { !numbers.contains($0) }.map { "no mutant protects invariant \($0)" }
      + faults.filter { !met.contains($0) }.map { "no mutant keeps out \"\($0)\"" }
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
    let witness: Witness
    if let tests = fields["tests"], !tests.isEmpty {
      witness = .tests(tests)
    } else {
      guard let seeds = Int(try field("seeds")), seeds > 0 else {
        throw TableError(description: "\(name): seeds: expected a number from 1 up")
      }
      witness = .seeds(seeds, world: (fields["world"] ?? "").split(separator: " ").map(String.init))
    }
    guard !original.isEmpty, mutated.contains("MUTANT") else {
      throw TableError(description: "\(name): expected the guard, and MUTANT in what takes its place")
    }
    if let fault = fields["fault"], !faults.contains(fault) {
      throw TableError(description: "\(name): fault: there is no \"\(fault)\"")
    }
    let file = try field("file")
    return Mutant(
      name: name, protects: try field("protects"), fault: fields["fault"], file: file,
      package: fields["package"] ?? file.split(separator: "/").prefix(2).joined(separator: "/"), witness: witness,
      original: original, mutated: mutated)
  }
}
