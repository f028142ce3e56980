import Foundation

/// `trendy-mutants` takes the guards of sync away, one at a time, and sees whether the simulator notices.
@main
enum TrendyMutants {
  static let usage = """
    usage: trendy-mutants [--only NAME] [--list] [--scratch DIR] [--table FILE]

    Reads the table and builds the sources once with every guard of the table made removable. Then each is removed in
    turn, and trendy-simulate tells stories until one breaks.

      --only NAME     this one alone; part of a name is enough
      --list          only says what there is
      --scratch DIR   where the copy of the sources is built, .build/mutants unless told
      --table FILE    Tools/mutants.txt unless told; Tools/mutants-open.txt has guards that the stories do not miss yet

    Status 0: each was noticed within its number of seeds, and in Tools/mutants.txt every invariant and fault has one; 1: not so,
    or one no longer fits; 2: these options.
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

  /// The table in which no gap may be.
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
      default: throw UsageError(text: "there is no option \"\(option)\"")
      }
    }
    let root = URL(filePath: FileManager.default.currentDirectoryPath, directoryHint: .isDirectory)
    let text: String
    do {
      text = try String(contentsOf: URL(filePath: table, relativeTo: root), encoding: .utf8)
    } catch {
      throw UsageError(text: "\(table) cannot be read here (\(error)): run it in the root of the repository")
    }
    let mutants = try MutantTable.read(text)
    let gaps = table == guardTable ? MutantTable.gaps(in: mutants) : []
    for gap in gaps { print(gap) }
    if isListing {
      for mutant in mutants { print("\(mutant.name): \(mutant.protects)") }
      return gaps.isEmpty
    }
    let chosen = mutants.enumerated().filter { only.map($0.element.name.contains) ?? true }
    guard !chosen.isEmpty else { throw UsageError(text: "no mutant is called \"\(only ?? "")\"") }

    let tree = MutantTree(root: root, copy: scratch.appending(path: "tree"))
    try tree.write(mutants)
    let build = scratch.appending(path: "build").path
    say("building the sources with \(mutants.count) removable guards")
    let built = try Command.run(
      ProcessInfo.processInfo.environment["SWIFT"] ?? "swift",
      [
        "build", "--scratch-path", build, "-c", "release", "--static-swift-stdlib", "--package-path",
        tree.copy.appending(path: "Tools").path,
        "--product", "trendy-simulate",
      ])
    guard built.status == 0 else {
      print(built.output)
      throw TableError(description: "the sources do not build with the table's guards")
    }
    let hunt = Hunt(simulator: "\(build)/release/trendy-simulate")
    // With every guard in place nothing may break, or what is seen later means nothing.
    for world in Set(chosen.map(\.element.world)).sorted(by: { $0.joined() < $1.joined() }) {
      let catching = try hunt.stories(of: 0, seeds: 20, world: world)
      guard catching == nil else {
        throw TableError(description: "without any mutant a story breaks already (\(world.joined(separator: " ")))")
      }
    }
    var escaped: [String] = []
    for (index, mutant) in chosen {
      if let catching = try hunt.stories(of: index + 1, seeds: mutant.seeds, world: mutant.world) {
        say("caught   \(mutant.name): \(catching)")
      } else {
        say("ESCAPED  \(mutant.name): \(mutant.seeds) seeds saw nothing; it protects \(mutant.protects)")
        escaped.append(mutant.name)
      }
    }
    print("{\"mutants\":\(chosen.count),\"caught\":\(chosen.count - escaped.count),\"escaped\":\(escaped.count)}")
    return escaped.isEmpty && gaps.isEmpty
  }
}

/// At once, also to a file that somebody watches.
private func say(_ line: String) {
  print(line)
  fflush(nil)
}

private struct Hunt {
  /// Many times what the slowest world needs: what takes longer does not come to rest.
  private static func limitSeconds(seeds: Int) -> Int { max(300, seeds) }

  let simulator: String

  /// - Returns: how it was noticed; `nil` where it was not.
  func stories(of mutant: Int, seeds: Int, world: [String]) throws -> String? {
    let result = try Command.run(
      simulator,
      [
        "--seeds", "1..\(seeds)", "--until-violation", "--no-shrink", "--jobs",
        "\(ProcessInfo.processInfo.activeProcessorCount)",
      ] + world,
      environment: ["TRENDY_MUTANT": "\(mutant)"], limit: Self.limitSeconds(seeds: seeds))
    if result.status == 0 { return nil }
    if result.wasStopped { return "does not come to rest" }
    let lines = result.output.split(separator: "\n").map(String.init)
    guard let place = lines.firstIndex(where: { $0.hasPrefix("seed ") }) else { return "ends with \(result.status)" }
    let sentence = place + 1 < lines.count ? lines[place + 1].trimmingCharacters(in: .whitespaces) : ""
    return "\(lines[place].dropLast(1)): \(sentence.prefix(140))"
  }
}
