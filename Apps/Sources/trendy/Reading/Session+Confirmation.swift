import CommandSupport
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension OptionSpec {
  static let yes = OptionSpec("--yes", "-y", help: "do it without asking")
}

/// Questions that the user has answered with yes, which are not asked again when a command acts again.
final class Confirmations {
  fileprivate var given: Set<[String]> = []
}

@available(*, unavailable) extension Confirmations: Sendable {}

extension Session {
  /// Asks before what takes much along; `--yes` is an answer.
  /// - Parameters:
  ///   - question: as printed.
  ///   - ids: entities that the question is about, where its text does not identify them.
  ///   - showing: prints these before the question.
  /// - Throws: ``CommandError``: 64 where nobody is there to ask or `--no-input` forbids it, 130 where the answer is no.
  func confirm(_ question: String, about ids: [String] = [], showing: () -> Void = {}) throws(CommandError) {
    if arguments.has(OptionSpec.yes.key) || confirmations.given.contains([question] + ids) { return }
    showing()
    guard !arguments.has("--no-input"), isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else {
      throw CommandError("\(question) Nothing was done.", hint: "Say it with --yes.", exit: .usage)
    }
    console.ask("\(question) [y/N] ")
    guard let answer = readLine()?.lowercased(), ["y", "yes"].contains(answer) else {
      throw CommandError("Nothing was done.", exit: .interrupted)
    }
    confirmations.given.insert([question] + ids)
  }
}
