import Foundation

/// Removes the sync guards one at a time and checks that the simulator or a test fails.
@main
enum TrendyMutants {
  static let usage = """
    usage: trendy-mutants [--only NAME] [--list] [--scratch DIR] [--table FILE]

    Builds the sources once with every guard of the table made removable. Then removes one guard at a time and runs
    trendy-simulate until a seed fails, or the tests that the table names.

      --only NAME     only mutants whose names contain NAME
      --list          only lists the mutants
      --scratch DIR   build folder for the copy of the sources (default .build/mutants)
      --table FILE    table of mutants (default Tools/mutants.txt)

    Exit status: 0 each mutant was detected and Tools/mutants.txt covers every invariant and fault; 1 otherwise, or a
    guard no longer matches; 2 invalid options.
    """

  static func main() {
    do {
      exit(try run(Array(CommandLine.arguments.dropFirst())) ? 0 : 1)
    } catch let error as UsageError {
      print("trendy-mutants: \(error.text)\n\(usage)")
      exit(2)
    } catch {
      print("trendy-mutants: \(error)")
      exit(1)
    }
  }

  /// The table that must cover every invariant and fault.
  private static let guardTable = "Tools/mutants.txt"

  private struct UsageError: Error {
    var text: String
  }

  private static func run(_ arguments: [String]) throws -> Bool {
    var rest = arguments[...]
    var only: String?
    var isListing = false
    var table = guardTable
    var scratch = URL(filePath: FileManager.default.currentDirectoryPath).appending(path: ".build/mutants")
    while let option = rest.popFirst() {
      switch option {
      case "--help", "-h":
        print(usage)
        return true
      case "--list": isListing = true
      case "--only", "--scratch", "--table":
        guard let value = rest.popFirst() else { throw UsageError(text: "\(option) needs a value") }
        switch option {
        case "--only": only = value
        case "--table": table = value
        default: scratch = URL(filePath: value)
        }
      default: throw UsageError(text: "unknown option \"\(option)\"")
      }
    }
    let root = URL(filePath: FileManager.default.currentDirectoryPath, directoryHint: .isDirectory)
    let text: String
    do {
      text = try String(contentsOf: URL(filePath: table, relativeTo: root), encoding: .utf8)
    } catch {
      throw UsageError(text: "cannot read \(table) (\(error)); run this program in the root of the repository")
    }
    let mutants = try MutantTable.read(text)
    let gaps = table == guardTable ? MutantTable.gaps(in: mutants) : []
    for gap in gaps { print(gap) }
    if isListing {
      for mutant in mutants { print("\(mutant.name): \(mutant.protects)") }
      return gaps.isEmpty
    }
    let chosen = mutants.enumerated().filter { only.map($0.element.name.contains) ?? true }
    guard !chosen.isEmpty else { throw UsageError(text: "no mutant has a name with \"\(only ?? "")\"") }

    let tree = MutantTree(root: root, copy: scratch.appending(path: "tree"))
    try tree.write(mutants)
    printLine("building the sources with \(mutants.count) removable guards")
    let run = MutationRun(tree: tree, scratch: scratch)
    try run.prepare(chosen.map(\.element))
    var escaped: [String] = []
    for (index, mutant) in chosen {
      if let catching = try run.detect(index + 1, mutant) {
        printLine("caught   \(mutant.name): \(catching)")
      } else {
        printLine("ESCAPED  \(mutant.name): not detected by \(mutant.witness); it protects \(mutant.protects)")
        escaped.append(mutant.name)
      }
    }
    print("{\"mutants\":\(chosen.count),\"caught\":\(chosen.count - escaped.count),\"escaped\":\(escaped.count)}")
    return escaped.isEmpty && gaps.isEmpty
  }
}

/// Prints a line and flushes, so that a program that reads the output receives each line immediately.
private func printLine(_ line: String) {
  print(line)
  fflush(nil)
}
