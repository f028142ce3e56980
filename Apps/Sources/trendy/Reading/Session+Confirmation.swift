import CommandSupport
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension OptionSpec {
  static let yes = OptionSpec("--yes", "-y", help: "do not ask for confirmation")
}

/// Questions that the user has confirmed in this process, so that they are not asked again if the command is repeated
/// because of a concurrent save.
final class Confirmations {
  fileprivate var given: Set<[String]> = []
}

@available(*, unavailable) extension Confirmations: Sendable {}

extension Session {
  /// Asks for confirmation unless `--yes` is given. `showing` prints details before the question.
  ///
  /// `ids` are the ids of the affected entities, if the question does not identify them. `refusal` is the error if the
  /// user cannot be asked, or `nil` for an error that mentions `--yes`.
  /// - Throws: ``CommandError`` with exit 64 if the user cannot be asked (`--no-input`, or not on a terminal), or exit
  ///   130 if the user declines.
  func confirm(
    _ question: String, about ids: [String] = [], otherwise refusal: CommandError? = nil, showing: () -> Void = {}
  ) throws(CommandError) {
    if arguments.has(OptionSpec.yes.key) || confirmations.given.contains([question] + ids) { return }
    showing()
    guard !arguments.has("--no-input"), isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else {
      throw refusal
        ?? CommandError(
          "Confirmation required: \(question)", hint: "Nothing was done. Confirm with --yes.", exit: .usage)
    }
    console.ask("\(question) [y/N] ")
    guard let answer = readLine()?.lowercased(), ["y", "yes"].contains(answer) else {
      throw CommandError("Cancelled. Nothing was done.", exit: .interrupted)
    }
    confirmations.given.insert([question] + ids)
  }
}
