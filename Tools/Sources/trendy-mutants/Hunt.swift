import Foundation

/// Builds the simulator and the tests with removable guards, and runs them for each mutant.
struct Hunt {
  let tree: MutantTree
  let scratch: URL

  /// Builds what the mutants need and checks that nothing fails with all guards in place; otherwise later failures
  /// would prove nothing.
  func prepare(_ mutants: [Mutant]) throws {
    var worlds: Set<[String]> = []
    var packages: [String: Set<String>] = [:]
    for mutant in mutants {
      switch mutant.witness {
      case .seeds(_, let world): worlds.insert(world)
      case .tests(let names): packages[mutant.package, default: []].insert(names)
      }
    }
    if !worlds.isEmpty {
      try build(
        "Tools", ["-c", "release", "--static-swift-stdlib", "--product", "trendy-simulate"], into: simulatorBuild)
    }
    for world in worlds.sorted(by: { $0.joined() < $1.joined() }) {
      guard try simulate(0, seeds: 20, world: world) == nil else {
        throw TableError(description: "without any mutant a story breaks already (\(world.joined(separator: " ")))")
      }
    }
    for (package, names) in packages.sorted(by: { $0.key < $1.key }) {
      try build(package, ["--build-tests", "--disable-build-manifest-caching"], into: testBuild)
      for name in names.sorted() {
        guard try tests(of: 0, name, in: package) == nil else {
          throw TableError(
            description: "without any mutant the tests \"\(name)\" of \(package) fail already, or there are none")
        }
      }
    }
  }

  /// - Returns: the failure that the mutant caused; `nil` if it was not detected.
  func look(for number: Int, _ mutant: Mutant) throws -> String? {
    switch mutant.witness {
    case .seeds(let seeds, let world): try simulate(number, seeds: seeds, world: world)
    case .tests(let name): try tests(of: number, name, in: mutant.package)
    }
  }
}

extension Hunt {
  /// Many times the duration of the slowest world; longer runs count as hanging.
  private static func limitSeconds(seeds: Int) -> Int { max(300, seeds) }

  private var simulatorBuild: String { scratch.appending(path: "build").path }
  private var testBuild: String { scratch.appending(path: "tests").path }
  private var swift: String { ProcessInfo.processInfo.environment["SWIFT"] ?? "swift" }

  private func build(_ package: String, _ options: [String], into build: String) throws {
    let path = tree.copy.appending(path: package).path
    let built = try Command.run(swift, ["build", "--scratch-path", build, "--package-path", path] + options)
    guard built.status == 0 else {
      print(built.output)
      throw TableError(description: "the sources do not build with the table's guards")
    }
  }

  private func simulate(_ mutant: Int, seeds: Int, world: [String]) throws -> String? {
    let result = try Command.run(
      "\(simulatorBuild)/release/trendy-simulate",
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

  private func tests(of mutant: Int, _ name: String, in package: String) throws -> String? {
    let path = tree.copy.appending(path: package).path
    let result = try Command.run(
      swift,
      [
        "test", "--skip-build", "--disable-build-manifest-caching", "--scratch-path", testBuild, "--package-path", path,
        "--filter", name,
      ],
      environment: ["TRENDY_MUTANT": "\(mutant)"], limit: Self.limitSeconds(seeds: 0))
    if result.wasStopped { return "a test does not come to rest" }
    let lines = result.output.split(separator: "\n").map(String.init)
    if result.status == 0, lines.contains(where: { $0.contains("Test run with") && !$0.contains("with 0 tests") }) {
      return nil
    }
    guard let failure = lines.first(where: { $0.contains("recorded an issue") }) else {
      return "ends with \(result.status)"
    }
    return String(failure.prefix(160))
  }
}
