import Foundation

/// Builds the simulator and the tests with removable guards, and runs both for each mutant.
struct MutationRun {
  let tree: MutantTree
  let scratch: URL

  /// Builds the simulator and the tests that the mutants need, and checks that both pass with all guards in place.
  /// Otherwise, a later failure would not prove that a mutant was detected.
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
        throw TableError(description: "a seed fails even without mutants (\(world.joined(separator: " ")))")
      }
    }
    for (package, names) in packages.sorted(by: { $0.key < $1.key }) {
      try build(package, ["--build-tests", "--disable-build-manifest-caching"], into: testBuild)
      for name in names.sorted() {
        guard try tests(of: 0, name, in: package) == nil else {
          throw TableError(
            description: "the tests \"\(name)\" of \(package) fail even without mutants, or do not exist")
        }
      }
    }
  }

  /// Runs the simulation or the tests with one guard removed. Returns the failure that the mutant caused, or `nil` if
  /// the mutant was not detected.
  func detect(_ number: Int, _ mutant: Mutant) throws -> String? {
    switch mutant.witness {
    case .seeds(let seeds, let world): try simulate(number, seeds: seeds, world: world)
    case .tests(let name): try tests(of: number, name, in: mutant.package)
    }
  }
}

extension MutationRun {
  /// Returns the time limit for a simulation, many times the duration of the slowest world. If a run takes longer, it
  /// is assumed to hang.
  private static func limitSeconds(seeds: Int) -> Int { max(300, seeds) }

  private var simulatorBuild: String { scratch.appending(path: "build").path }
  private var testBuild: String { scratch.appending(path: "tests").path }
  private var swift: String { ProcessInfo.processInfo.environment["SWIFT"] ?? "swift" }

  private func build(_ package: String, _ options: [String], into build: String) throws {
    let path = tree.copy.appending(path: package).path
    let built = try Command.run(swift, ["build", "--scratch-path", build, "--package-path", path] + options)
    guard built.status == 0 else {
      print(built.output)
      throw TableError(description: "the sources with removable guards do not compile")
    }
  }

  /// Output of `trendy-simulate --json` for a failed seed.
  private struct SeedFailure: Decodable {
    let seed: UInt64
    let story: String
  }

  private func simulate(_ mutant: Int, seeds: Int, world: [String]) throws -> String? {
    let result = try Command.run(
      "\(simulatorBuild)/release/trendy-simulate",
      [
        "--seeds", "1..\(seeds)", "--until-violation", "--json", "--jobs",
        "\(ProcessInfo.processInfo.activeProcessorCount)",
      ] + world,
      environment: ["TRENDY_MUTANT": "\(mutant)"], limit: Self.limitSeconds(seeds: seeds))
    if result.status == 0 { return nil }
    if result.wasStopped { return "hangs" }
    let failures = result.output.split(separator: "\n").lazy.compactMap {
      try? JSONDecoder().decode(SeedFailure.self, from: Data($0.utf8))
    }
    guard let failure = failures.first else { return "exits with status \(result.status)" }
    return "seed \(failure.seed): \(failure.story.prefix(140))"
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
    if result.wasStopped { return "a test hangs" }
    let lines = result.output.split(separator: "\n").map(String.init)
    if result.status == 0, lines.contains(where: { $0.contains("Test run with") && !$0.contains("with 0 tests") }) {
      return nil
    }
    guard let failure = lines.first(where: { $0.contains("recorded an issue") }) else {
      return "exits with status \(result.status)"
    }
    return String(failure.prefix(160))
  }
}
